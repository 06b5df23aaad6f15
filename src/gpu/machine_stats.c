// SPDX-License-Identifier: MIT
#include "gpu/machine_stats.h"

static const Stat machine_table[] = {
    STAT_COUNT(MachineStats, cycles, "core cycles"),
    STAT_COUNT(MachineStats, dispatched_ctas, "CTAs given to SMs"),
    {0}};

#define PART(prefix_, summary_, table_, field) \
  {.prefix = prefix_, .summary = summary_, .table = table_, .offset = offsetof(MachineStats, field)}

const StatsPart machine_stats_parts[] = {
    {.prefix = "", .summary = "the machine", .table = machine_table},
    PART("sm.", "all SMs", sm_stats, sm),
    PART("lsu.", "their load/store units", lsu_stats, lsu),
    PART("l1d.", "data caches", cache_stats, l1d),
    PART("l1i.", "instruction caches", cache_stats, l1i),
    PART("l1c.", "constant caches", cache_stats, l1c),
    PART("l1t.", "texture caches", cache_stats, l1t),
    PART("l2.", "L2 slices", cache_stats, l2),
    PART("noc.request_", "network from SMs to L2", crossbar_stats, request_noc),
    PART("noc.reply_", "network from L2 to SMs", crossbar_stats, reply_noc),
    PART("l2_slice.", "around the L2 slices", l2_slice_stats, slice),
    PART("partition.", "between L2 and DRAM", partition_stats, partition),
    PART("dram.", "memory channels", dram_stats, dram),
    {0}};

static Status check_cache(const CacheStats *cache, const char *name, Error *err) {
  if (cache->hits + cache->merges + cache->misses == cache->accesses) return OK;
  return error_set(err, ERR_INTERNAL, "%s: %llu hits + %llu merges + %llu misses != %llu accesses",
                   name, (unsigned long long)cache->hits, (unsigned long long)cache->merges,
                   (unsigned long long)cache->misses, (unsigned long long)cache->accesses);
}

Status machine_stats_check(const MachineStats *stats, uint32_t sm_count, uint32_t schedulers,
                           Error *err) {
  TRY(check_cache(&stats->l1d, "l1d", err));
  TRY(check_cache(&stats->l1i, "l1i", err));
  TRY(check_cache(&stats->l1c, "l1c", err));
  TRY(check_cache(&stats->l1t, "l1t", err));
  TRY(check_cache(&stats->l2, "l2", err));
  const SmStats *sm = &stats->sm;
  uint64_t slots = 0;
#define X(name, text) slots += sm->slot_##name;
  SLOT_LIST(X)
#undef X
  uint64_t expected = stats->cycles * sm_count * schedulers;
  if (slots == expected) return OK;
  return error_set(err, ERR_INTERNAL, "scheduler slots: %llu accounted for, %llu there were",
                   (unsigned long long)slots, (unsigned long long)expected);
}
