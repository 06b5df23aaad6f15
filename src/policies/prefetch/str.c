// SPDX-License-Identifier: MIT
// Per-load stride prefetching: a load that has kept its stride from warp to
// warp is prefetched for the warps behind the one that executed it.
//
// The STR of Oh et al., "APRES", ISCA 2016, section III-C: a table with base address and
// stride for each static load, after Lee et al., "Many-Thread Aware Prefetching
// Mechanisms for GPGPU Applications", MICRO 2010 (prefetching for other
// warps), and Sethia et al., "APOGEE", PACT 2013 (strides by thread number).
//
// Simplified: APOGEE's second kind of load, whose stride is one warp's from
// iteration to iteration, is not prefetched, and neither mechanism's throttling is
// here: a stride that was seen twice is enough. Neither distance nor degree is
// in the paper; ours are the warps right behind.
#include "policies/prefetch/prefetch.h"
#include "policies/prefetch/stride_table.h"

typedef struct Str {
  uint32_t entries, distance, degree;    // parameters
  StrideEntry *table;  // entries of them
  uint64_t matches, mismatches;
} Str;

static void str_on_access(void *state, const L1dAccess *access, PrefetchList *list) {
  Str *str = state;
  if (!access->is_first || access->is_local) return;
  StrideEntry *entry = stride_table_find(str->table, str->entries, access->who.pc);
  bool matches = stride_entry_learn(entry, access, access->who.warp);
  str->matches += matches;
  str->mismatches += !matches;
  if (!matches || !entry->stride) return;
  for (uint32_t i = 0; i < str->degree; i++)
    prefetch_add(list, stride_entry_address(entry, (int64_t)str->distance + i), PREFETCH_NO_WARP);
}

static Status str_init(void *state, const PolicySetup *setup, Error *err) {
  Str *str = state;
  (void)err;
  str->table = ARENA_ARRAY(setup->arena, StrideEntry, str->entries);
  return OK;
}

// PC, warp, address and stride in each entry.
static uint64_t str_storage_bits(const void *state, uint32_t warps) {
  (void)warps;
  return (uint64_t)((const Str *)state)->entries * (32 + 8 + 64 + 64);
}

static const Param str_params[] = {
    PARAM(Str, entries, 10, 1, STRIDE_TABLE_MOST, "loads in the table"),
    PARAM(Str, distance, 1, 1, 64, "warps from the one that executes the load to the first prefetched for"),
    PARAM(Str, degree, 2, 1, PREFETCH_MOST, "warps prefetched for"),
    {0}};

static const Stat str_stats[] = {
    STAT_COUNT(Str, matches, "executions that had the stride of the one before"),
    STAT_COUNT(Str, mismatches, "executions that had another, or none"),
    {0}};

const PrefetchType str_prefetch = {
    .policy = {.name = "str",
               .summary = "by the stride of each load from warp to warp",
               .state_size = sizeof(Str),
               .params = str_params,
               .stats = str_stats,
               .storage_bits = str_storage_bits,
               .init = str_init},
    .on_access = str_on_access,
};
