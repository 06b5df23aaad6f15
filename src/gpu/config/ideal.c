// SPDX-License-Identifier: MIT
// Applies the oracles of [ideal] to the caches and partitions of a configuration.
#include "gpu/config/ideal.h"

static const char *const l1d_choices[] = {"real", "hits", "instant", NULL};

enum { MOST_MSHRS = 65536 };

const Param ideal_params[] = {
    PARAM_CHOICE(IdealConfig, l1d, L1D_REAL, l1d_choices,
                 "loads see the real L1D, only hits, or misses answered at once"),
    PARAM(IdealConfig, no_fixed_latency, false, 0, 1,
          "treat partition.rop_latency_cycles and dram_latency_cycles as 0"),
    PARAM(IdealConfig, l1d_mshr_factor, 1, 0, 1024, "multiple of l1d.mshrs; 0 = no limit"),
    {0}};

// A cache that allocates on miss has at most its units in flight. One that allocates on
// fill is limited by the loads of its SM, which this number covers. The remaining waiters
// are available to merges, so that these are not limited either.
static void lift_mshr_limit(CacheConfig *l1d) {
  uint32_t sets, ways, mshrs = CACHE_MAX_WAITERS / 8;
  Error ignored;  // the cache reports a bad geometry when it is made
  if (l1d->allocate == ALLOCATE_ON_MISS && cache_geometry(l1d, &sets, &ways, &ignored) == OK)
    mshrs = sets * ways * (l1d->sectored ? l1d->line_bytes / SECTOR_BYTES : 1);
  if (mshrs > MOST_MSHRS) mshrs = MOST_MSHRS;
  if (mshrs < l1d->mshrs) mshrs = l1d->mshrs;
  uint32_t merges = CACHE_MAX_WAITERS / mshrs;
  l1d->mshrs = mshrs;
  if (merges > l1d->mshr_merges) l1d->mshr_merges = merges < 4096 ? merges : 4096;
}

CacheConfig ideal_l1d(const IdealConfig *ideal, const CacheConfig *l1d) {
  CacheConfig made = *l1d;
  made.ideal_hits = ideal->l1d == L1D_HITS;
  if (ideal->l1d_mshr_factor == 0) lift_mshr_limit(&made);
  if (ideal->l1d_mshr_factor > 1) {
    uint64_t mshrs = (uint64_t)l1d->mshrs * ideal->l1d_mshr_factor;
    made.mshrs = mshrs < MOST_MSHRS ? (uint32_t)mshrs : MOST_MSHRS;
  }
  return made;
}

PartitionConfig ideal_partition(const IdealConfig *ideal, const PartitionConfig *partition) {
  PartitionConfig made = *partition;
  if (ideal->no_fixed_latency) made.rop_latency_cycles = made.dram_latency_cycles = 0;
  return made;
}
