// SPDX-License-Identifier: MIT
// All counters of a machine, summed over its parts. Only uint64_t, so a
// kernel's are the difference of two snapshots.
#ifndef GPU_MACHINE_STATS_H
#define GPU_MACHINE_STATS_H

#include "memory/partition.h"
#include "sm/sm.h"

typedef struct MachineStats {
  uint64_t cycles;
  uint64_t dispatched_ctas;
  SmStats sm;
  LsuStats lsu;
  CacheStats l1d, l1i, l1c, l1t, l2;
  CrossbarStats request_noc, reply_noc;
  L2SliceStats slice;
  PartitionStats partition;
  DramStats dram;
} MachineStats;

extern const StatsPart machine_stats_parts[];

// What must hold at the end of every run; ERR_INTERNAL names what does not.
Status machine_stats_check(const MachineStats *stats, uint32_t sm_count, uint32_t schedulers,
                           Error *err);

#endif
