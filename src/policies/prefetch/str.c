// SPDX-License-Identifier: MIT
// Per-load stride prefetching: a load with a stable stride from warp to warp is
// prefetched for the warps after the one that executed it.
//
// The STR of Oh et al., "APRES", ISCA 2016, section III-C: a table with base address and
// stride for each static load, after Lee et al., "Many-Thread Aware Prefetching
// Mechanisms for GPGPU Applications", MICRO 2010 (prefetching for other
// warps), and Sethia et al., "APOGEE", PACT 2013 (strides by thread number).
//
// Simplified: APOGEE's second kind of load, with a stride from iteration to iteration of
// one warp, is not prefetched, and the throttling of either mechanism is not implemented:
// a stride observed twice suffices. The paper states neither distance nor degree; ours
// are the next warps of the same CTA, because a stride by slot does not predict the
// addresses of another CTA (scope=sm: any slot).
#include "policies/prefetch/prefetch.h"
#include "policies/prefetch/stride_table.h"

typedef enum StrScope { WARPS_OF_CTA, WARPS_OF_SM } StrScope;
static const char *const scopes[] = {"cta", "sm", NULL};

typedef struct Str {
  uint32_t entries, distance, degree;    // parameters
  uint32_t scope;                        // StrScope
  StrideEntry *table;  // entries of them
  uint64_t matches, mismatches;
} Str;

static bool is_among(uint64_t warps, int warp) {
  return warp < PREFETCH_WARPS && (warps >> warp & 1);
}

static void str_on_access(void *state, const L1dAccess *access, PrefetchList *list) {
  Str *str = state;
  if (!access->is_lowest || access->is_local) return;
  StrideEntry *entry = stride_table_find(str->table, str->entries, access->requester.pc);
  bool matches = stride_entry_learn(entry, access, access->requester.warp);
  str->matches += matches;
  str->mismatches += !matches;
  if (!matches || !entry->stride) return;
  for (uint32_t i = 0; i < str->degree; i++) {
    int warp = access->requester.warp + (int)(str->distance + i);
    if (str->scope == WARPS_OF_CTA && !is_among(access->cta_warps, warp)) continue;
    uint64_t address = stride_entry_address(entry, (int64_t)str->distance + i);
    if (warp < PREFETCH_WARPS)
      prefetch_add_for_next(list, address, warp);
    else
      prefetch_add(list, address, PREFETCH_NO_WARP);
  }
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
    PARAM(Str, entries, 10, 1, STRIDE_TABLE_MOST, "table entries (loads)"),
    PARAM(Str, distance, 1, 1, 64, "distance in warps from the executing warp to the first target"),
    PARAM(Str, degree, 2, 1, PREFETCH_MOST, "warps prefetched for"),
    PARAM_CHOICE(Str, scope, WARPS_OF_CTA, scopes,
                 "warps prefetched for: of the same CTA, or of any slot"),
    {0}};

static const Stat str_stats[] = {
    STAT_COUNT(Str, matches, "executions that repeated the previous stride"),
    STAT_COUNT(Str, mismatches, "executions with another stride, or none"),
    {0}};

const PrefetchType str_prefetch = {
    .policy = {.name = "str",
               .summary = "by inter-warp stride per load",
               .state_size = sizeof(Str),
               .params = str_params,
               .stats = str_stats,
               .storage_bits = str_storage_bits,
               .init = str_init},
    .on_access = str_on_access,
};
