// SPDX-License-Identifier: MIT
// All counters of a machine, summed over its parts. Only uint64_t, so a
// kernel's are the difference of two snapshots.
#ifndef GPU_MACHINE_STATS_H
#define GPU_MACHINE_STATS_H

#include "gpu/energy.h"
#include "gpu/config/gpu_config.h"
#include "memory/partition.h"
#include "sm/sm.h"

struct MachineStats {
  uint64_t cycles;
  uint64_t dispatched_ctas;
  SmStats sm;
  LsuStats lsu;
  CacheStats l1d, l1i, l1c, l1t, l2;
  PrefetchStats prefetch;
  ClusterStats cluster;
  CrossbarStats request_noc, reply_noc;
  L2SliceStats slice;
  PartitionStats partition;
  DramStats dram;
  // worked out from the above and the configuration
  uint64_t warp_slot_cycles;                   // warp slots of SMs that had warps, over cycles
  uint64_t l1d_reuse_misses, l2_reuse_misses;  // of lines that had been there before
  uint64_t dram_bytes;                         // read and written
  uint64_t dram_peak_bytes;                    // what the data buses could have moved
  EnergyStats energy;
};

extern const StatsPart machine_stats_parts[];
// Those that a machine has: energy only where its costs are known.
const StatsPart *machine_stats_parts_of(const GpuConfig *config);

// Fills in what follows from the rest.
void machine_stats_derive(MachineStats *stats, const GpuConfig *config);

// Checks the invariants at the end of every run; ERR_INTERNAL names a violated one.
Status machine_stats_check(const MachineStats *stats, const GpuConfig *config, Error *err);

#endif
