// SPDX-License-Identifier: MIT
// Scheduling-aware prefetching: when the head of a group of warps misses and
// its load has a stride from warp to warp, the group's other warps are
// prefetched for.
//
// Oh et al., "APRES", ISCA 2016, section IV-B. The prefetch table (PT) keeps, for each
// load, the warp and address that missed last and the stride between the last
// two. Nothing is prefetched without a warp scheduler that groups (laws), which
// hears of each warp that is prefetched for.
//
// Where the paper leaves room: the table learns from misses only, by the rules
// of stride_table.h. The demand-request queue and the warp queue are used up at
// once, so they never fill: candidates wait before the L1D (sm.prefetch_entries)
// instead. The queues' sizes count for the storage.
#include "policies/prefetch/prefetch.h"
#include "policies/prefetch/stride_table.h"

typedef struct Sap {
  uint32_t entries, demand_requests;     // parameters
  StrideEntry table[STRIDE_TABLE_MOST];  // PT
  uint64_t heads, matches, mismatches;
} Sap;

static void sap_on_access(void *state, const L1dAccess *access, PrefetchList *list) {
  Sap *sap = state;
  if (access->outcome != L1D_MISS || !access->is_first || access->is_local) return;
  StrideEntry *entry = stride_table_find(sap->table, sap->entries, access->pc);
  bool matches = stride_entry_learn(entry, access);
  uint64_t others = access->grouped_warps & ~(UINT64_C(1) << access->warp);
  if (!others) return;
  sap->heads++;
  sap->matches += matches;
  sap->mismatches += !matches;
  for (; matches && others; others &= others - 1) {
    int warp = __builtin_ctzll(others);
    prefetch_add(list, stride_entry_address(entry, warp - (int64_t)access->warp), warp);
  }
}

// Table II: addresses in the demand-request queue, a byte a warp in the warp
// queue, and PC, warp, address and stride in each entry of the PT.
static uint64_t sap_storage_bits(const void *state, uint32_t warps) {
  const Sap *sap = state;
  return (uint64_t)sap->demand_requests * 64 + (uint64_t)warps * 8 +
         (uint64_t)sap->entries * (32 + 8 + 64 + 64);
}

static const Param sap_params[] = {
    PARAM(Sap, entries, 10, 1, STRIDE_TABLE_MOST, "loads in the prefetch table"),
    PARAM(Sap, demand_requests, 32, 1, 1024, "addresses in the demand-request queue (storage only)"),
    {0}};

static const Stat sap_stats[] = {
    STAT_COUNT(Sap, heads, "misses of a group's head"),
    STAT_COUNT(Sap, matches, "of which had the stride of the one before"),
    STAT_COUNT(Sap, mismatches, "of which had another stride"),
    {0}};

const PrefetchType sap_prefetch = {
    .policy = {.name = "sap",
               .summary = "by stride, for the warps that the scheduler groups with one that missed",
               .state_size = sizeof(Sap),
               .params = sap_params,
               .stats = sap_stats,
               .storage_bits = sap_storage_bits},
    .on_access = sap_on_access,
};
