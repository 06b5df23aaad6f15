// SPDX-License-Identifier: MIT
// Scheduling-aware prefetching: when the head of a group of warps misses and
// its load has a stride from warp to warp, the group's other warps are
// prefetched for.
//
// Oh et al., "APRES", ISCA 2016, section IV-B. The prefetch table (PT) keeps, for each
// load, the warp and address that missed last and the stride between the last
// two. The groups are those of the warp scheduler (laws), which learns which warps
// were prefetched for: both work on the shared part prefetch_group. Without such a scheduler nothing is
// prefetched.
//
// Which warps: "prefetch requests are generated for a subset of warps in the
// group" (section IV-A). The strides of table I, by slot, hold inside a CTA: slots
// side by side may have CTAs that lie anywhere in the grid. So the subset is the
// warps of the head's CTA that have not executed the load yet (scope=cta);
// scope=group takes the whole group.
//
// Where the paper leaves room otherwise: the table learns from misses only, by the rules
// of stride_table.h. The demand-request queue and the warp queue are used up at
// once, so they never fill: candidates wait before the L1D (sm.prefetch_entries)
// instead. The queues' sizes count for the storage. Warps are numbered by their
// slots, which fit the one byte of table II and give the strides of table I; section
// III-B can be read as by their first thread in the grid instead (warp_ids=grid),
// which makes a difference where an SM's CTAs do not follow one another.
#include "policies/prefetch/prefetch.h"
#include "policies/prefetch/stride_table.h"
#include "policies/shared/prefetch_group.h"

typedef enum WarpIds { WARPS_BY_SLOT, WARPS_BY_GRID } WarpIds;
static const char *const warp_id_rules[] = {"slot", "grid", NULL};

typedef enum SapScope { WARPS_OF_CTA, WARPS_OF_GROUP } SapScope;
static const char *const scopes[] = {"cta", "group", NULL};

typedef struct Sap {
  uint32_t entries, demand_requests;     // parameters
  uint32_t warp_ids;                     // WarpIds
  uint32_t scope;                        // SapScope
  StrideEntry *table;  // PT
  PrefetchGroup *group;                  // shared with the warp scheduler
  uint64_t heads, matches, mismatches;
} Sap;

static int64_t number_of(const Sap *sap, const L1dAccess *access, uint32_t warp) {
  return sap->warp_ids == WARPS_BY_GRID ? (int64_t)access->warp_numbers[warp] : (int64_t)warp;
}

static uint64_t targets_of(const Sap *sap, const L1dAccess *access) {
  uint64_t others = prefetch_group_of(sap->group, access->requester.warp);
  if (sap->scope == WARPS_OF_CTA) others &= access->cta_warps;
  return others & ~(UINT64_C(1) << access->requester.warp);
}

static void sap_on_access(void *state, const L1dAccess *access, PrefetchList *list) {
  Sap *sap = state;
  if (access->outcome != OUTCOME_MISS || !access->is_lowest || access->is_local) return;
  StrideEntry *entry = stride_table_find(sap->table, sap->entries, access->requester.pc);
  bool matches = stride_entry_learn(entry, access, number_of(sap, access, access->requester.warp));
  uint64_t others = targets_of(sap, access);
  if (!others) return;
  sap->heads++;
  sap->matches += matches;
  sap->mismatches += !matches;
  for (; matches && others; others &= others - 1) {
    int warp = __builtin_ctzll(others);
    int64_t warps_away = number_of(sap, access, (uint32_t)warp) - entry->warp;
    prefetch_add_for_next(list, stride_entry_address(entry, warps_away), warp);
  }
}

static void sap_on_sent(void *state, const PrefetchCandidate *candidate, Cycle now) {
  const Sap *sap = state;
  (void)now;
  if (candidate->warp != PREFETCH_NO_WARP)
    prefetch_group_note(sap->group, (uint32_t)candidate->warp);
}

static Status sap_init(void *state, const PolicySetup *setup, Error *err) {
  Sap *sap = state;
  (void)err;
  sap->table = ARENA_ARRAY(setup->arena, StrideEntry, sap->entries);
  sap->group = setup->shared;
  return OK;
}

// Table II: addresses in the demand-request queue, a byte a warp in the warp
// queue, and PC, warp, address and stride in each entry of the PT.
static uint64_t sap_storage_bits(const void *state, uint32_t warps) {
  const Sap *sap = state;
  return (uint64_t)sap->demand_requests * 64 + (uint64_t)warps * 8 +
         (uint64_t)sap->entries * (32 + 8 + 64 + 64);
}

static const Param sap_params[] = {
    PARAM(Sap, entries, 10, 1, STRIDE_TABLE_MOST, "prefetch table entries (loads)"),
    PARAM(Sap, demand_requests, 32, 1, 1024,
          "addresses in the demand-request queue (storage only)"),
    PARAM_CHOICE(Sap, warp_ids, WARPS_BY_SLOT, warp_id_rules, "warp numbering used for strides"),
    PARAM_CHOICE(Sap, scope, WARPS_OF_CTA, scopes,
                 "warps prefetched for: those of the head's CTA in its group, or the group"),
    {0}};

static const Stat sap_stats[] = {STAT_COUNT(Sap, heads, "misses of a group's head"),
                                 STAT_COUNT(Sap, matches, "of which repeated the previous stride"),
                                 STAT_COUNT(Sap, mismatches, "of which had a different stride"),
                                 {0}};

const PrefetchType sap_prefetch = {
    .policy = {.name = "sap",
               .summary = "by stride, for the warps grouped with one that missed (SAP)",
               .state_size = sizeof(Sap),
               .params = sap_params,
               .stats = sap_stats,
               .storage_bits = sap_storage_bits,
               .shares = "prefetch_group",
               .init = sap_init},
    .on_access = sap_on_access,
    .on_sent = sap_on_sent,
};
