// SPDX-License-Identifier: MIT
// Energy per event counted by the machine, summed by component.
//
// The costs are parameters, section [energy]; docs/energy.md lists their sources. They
// apply to one GPU: a configuration without costs has no energy in its results. Energy
// is computed from counters, so a kernel's energy is the difference of two snapshots, and
// the simulation does not depend on it.
#ifndef GPU_ENERGY_H
#define GPU_ENERGY_H

#include "base/param.h"
#include "base/stats.h"

typedef struct MachineStats MachineStats;
typedef struct GpuConfig GpuConfig;

// [energy]: picojoules per event, milliwatts for static power
typedef struct EnergyConfig {
  bool enabled;                         // false: the costs are not this GPU's
  char source[72];                      // of the costs, or why there are none
  uint32_t issue;                       // a warp instruction: fetch, decode, schedule
  uint32_t sp, dp, integer, sfu;        // an active lane
  uint32_t address;                     // a lane of a memory instruction: its address
  uint32_t register_operand;            // 32 lanes of a register read or written
  uint32_t l1_line, l1_small;           // an access to an L1D or texture cache; to another L1
  uint32_t shared;                      // a warp's access to shared memory, a conflict cycle each
  uint32_t policy_table;                // a lookup in a table of a warp scheduler or prefetcher
  uint32_t merge_table, coalesced_line; // a lookup; a line read from the coalesced cache
  uint32_t noc_byte;                    // through the network
  uint32_t l2_byte;                     // read or written in a slice
  uint32_t dram_activate;               // a row opened and closed
  uint32_t dram_byte;                   // read or written, with the interface
  uint32_t sm_static_mw;                // an SM
  uint32_t chip_static_mw;              // all else, with the DRAM
} EnergyConfig;
extern const Param energy_params[];

typedef struct EnergyStats {
  uint64_t execute_pj;    // issue and arithmetic
  uint64_t registers_pj;
  uint64_t l1_pj;         // caches of the SMs and shared memory
  uint64_t noc_pj;        // network, merge table, coalesced cache
  uint64_t l2_pj, dram_pj, static_pj;
  uint64_t total_pj;
} EnergyStats;
extern const Stat energy_stats[];

// From the counters of stats, which has everything else.
EnergyStats energy_of(const MachineStats *stats, const GpuConfig *config);

#endif
