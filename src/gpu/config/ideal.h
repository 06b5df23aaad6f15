// SPDX-License-Identifier: MIT
// Oracles: machines that cannot be built, as bounds for those that can.
//
// Each removes one cost from the machine and nothing else, so that the difference is the
// effect of that cost. Results of programs do not change; with all oracles off, the
// machine is the configured one to the cycle.
#ifndef GPU_CONFIG_IDEAL_H
#define GPU_CONFIG_IDEAL_H

#include "base/param.h"
#include "memory/cache/cache.h"
#include "memory/partition.h"

// Outcome of loads in the L1D.
typedef enum IdealL1d {
  L1D_REAL,
  L1D_HITS,     // every load hits; nothing is fetched
  L1D_INSTANT,  // a load that misses has its data at once; the fetch goes on, with
                // its MSHR, its line and its bytes, and nobody waits for it
} IdealL1d;

// [ideal]
typedef struct IdealConfig {
  unsigned l1d;               // IdealL1d
  bool no_fixed_latency;      // ROP and the way to the DRAM take no time
  uint32_t l1d_mshr_factor;   // 1; 0: an L1D never runs out of MSHRs
} IdealConfig;
extern const Param ideal_params[];

// The configuration that parts are made with.
CacheConfig ideal_l1d(const IdealConfig *ideal, const CacheConfig *l1d);
PartitionConfig ideal_partition(const IdealConfig *ideal, const PartitionConfig *partition);

#endif
