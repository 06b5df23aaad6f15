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
// Where the paper leaves room: a second miss in a row of the same warp changes the
// address and leaves the stride; strides are quotients, rounded to zero; the
// table replaces the load that missed longest ago. The demand-request queue and
// the warp queue are used up at once, so they never fill: candidates wait before
// the L1D (sm.prefetch_entries) instead. Their sizes count for the storage.
#include "policies/prefetch/prefetch.h"

enum { MOST_ENTRIES = 64 };

typedef struct StrideEntry {
  uint32_t load;  // pc + 1; 0: free
  uint32_t warp;
  uint64_t address;
  int64_t stride;
  bool has_stride;
  Cycle missed;
} StrideEntry;

typedef struct Sap {
  uint32_t entries, demand_requests;  // parameters
  StrideEntry table[MOST_ENTRIES];    // PT
  uint64_t heads, matches, mismatches;
} Sap;

// The load's entry; else the one that missed longest ago, for it to have.
static StrideEntry *entry_of(Sap *sap, uint32_t load) {
  StrideEntry *oldest = &sap->table[0];
  for (uint32_t i = 0; i < sap->entries; i++) {
    StrideEntry *entry = &sap->table[i];
    if (entry->load == load) return entry;
    if (!entry->load || entry->missed < oldest->missed) oldest = entry;
    if (!oldest->load) break;
  }
  *oldest = (StrideEntry){0};
  return oldest;
}

// As a divider that knows no overflow.
static int64_t stride_of(int64_t distance, int64_t warps) {
  return warps == -1 ? (int64_t)(0 - (uint64_t)distance) : distance / warps;
}

// Learns from a miss; returns whether the load has kept its stride.
static bool learn(StrideEntry *entry, const L1dAccess *access) {
  bool matches = false;
  if (entry->load && entry->warp != access->warp) {
    int64_t distance = (int64_t)(access->lane_address - entry->address);
    int64_t stride = stride_of(distance, (int64_t)access->warp - (int64_t)entry->warp);
    matches = entry->has_stride && stride == entry->stride;
    entry->stride = stride;
    entry->has_stride = true;
  }
  entry->load = access->pc + 1;
  entry->warp = access->warp;
  entry->address = access->lane_address;
  entry->missed = access->now;
  return matches;
}

static void sap_on_access(void *state, const L1dAccess *access, PrefetchList *list) {
  Sap *sap = state;
  if (access->outcome != L1D_MISS || !access->is_first || access->is_local) return;
  StrideEntry *entry = entry_of(sap, access->pc + 1);
  bool matches = learn(entry, access);
  uint64_t others = access->grouped_warps & ~(UINT64_C(1) << access->warp);
  if (!others) return;
  sap->heads++;
  sap->matches += matches;
  sap->mismatches += !matches;
  for (; matches && others; others &= others - 1) {
    int warp = __builtin_ctzll(others);
    uint64_t warps_away = (uint64_t)warp - access->warp;
    prefetch_add(list, access->lane_address + warps_away * (uint64_t)entry->stride, warp);
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
    PARAM(Sap, entries, 10, 1, MOST_ENTRIES, "loads in the prefetch table"),
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
