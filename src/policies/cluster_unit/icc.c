// SPDX-License-Identifier: MIT
// Intra-cluster coalescing and the coalesced cache (Wang et al., TC
// 2019, section 6).
//
// The merge table has an entry for each outstanding read of global memory of the
// cluster: reads of the same line by other SMs wait for its reply, which is
// broadcast to them. If the table is full, reads pass. Writes pass, and close the
// entry of their line to later reads, which could otherwise receive the old value.
//
// The coalesced cache keeps lines that were returned to more than one SM, with LRU
// replacement, and is looked up first. It is as coherent as the L1s: a write or an
// atomic of the cluster invalidates its line, those of other clusters do not, and
// the cache is invalidated when an SM invalidates its L1.
//
// `icc` is the table, `cc` the cache with a table that only detects shared lines,
// `icc_cc` both. A lookup takes one cycle (section 7): for an outgoing read, in table
// and cache in parallel, and for a reply, in the table. An SM starts one lookup per
// cycle. Several SMs of a cluster may do so in the same cycle, which is as optimistic
// as the network, which accepts a request from each.
#include "policies/cluster_unit/icc.h"

#include "policies/cluster_unit/cluster_unit.h"

enum { TABLE_MOST = 1 << 20 };

typedef struct MergeEntry {
  uint64_t address, number;
  uint32_t bytes, first_sm;
  bool is_valid;
  bool is_closed;  // nothing can wait for it any more
  bool is_wanted;  // by another SM as well
} MergeEntry;

typedef struct CachedLine {
  uint64_t address, last_use;
  uint32_t bytes;
  bool is_valid;
} CachedLine;

typedef struct Icc {
  uint32_t entries, lines, lookup_cycles;  // parameters
  uint64_t merged, passed_full, closed_by_write, cache_hits, cache_fills, cache_evictions_by_write;
  uint64_t uses;
  MergeEntry *table;  // entries of them
  CachedLine *cache;  // lines of them
} Icc;

// ---- the coalesced cache

static CachedLine *find_line(Icc *icc, const ClusterRequest *request) {
  for (uint32_t i = 0; i < icc->lines; i++) {
    CachedLine *line = &icc->cache[i];
    if (line->is_valid && line->address == request->address && line->bytes >= request->bytes)
      return line;
  }
  return NULL;
}

static bool cache_serves(Icc *icc, const ClusterRequest *request) {
  CachedLine *line = find_line(icc, request);
  if (!line) return false;
  line->last_use = ++icc->uses;
  icc->cache_hits++;
  return true;
}

static void cache_insert(Icc *icc, const ClusterRequest *request) {
  CachedLine *oldest = NULL;
  if (!icc->lines || find_line(icc, request)) return;
  for (uint32_t i = 0; i < icc->lines; i++) {
    CachedLine *line = &icc->cache[i];
    if (!oldest || (oldest->is_valid && (!line->is_valid || line->last_use < oldest->last_use)))
      oldest = line;
  }
  *oldest = (CachedLine){.address = request->address,
                         .bytes = request->bytes,
                         .last_use = ++icc->uses,
                         .is_valid = true};
  icc->cache_fills++;
}

static bool overlaps(uint64_t address, uint32_t bytes, const ClusterRequest *write) {
  return address < write->address + write->bytes && write->address < address + bytes;
}

static void forget_written(Icc *icc, const ClusterRequest *write) {
  for (uint32_t i = 0; i < icc->lines; i++) {
    CachedLine *line = &icc->cache[i];
    if (!line->is_valid || !overlaps(line->address, line->bytes, write)) continue;
    line->is_valid = false;
    icc->cache_evictions_by_write++;
  }
  for (uint32_t i = 0; i < icc->entries; i++) {
    MergeEntry *entry = &icc->table[i];
    if (!entry->is_valid || entry->is_closed || !overlaps(entry->address, entry->bytes, write))
      continue;
    entry->is_closed = true;
    icc->closed_by_write++;
  }
}

// ---- the merge table

static MergeEntry *find_entry(Icc *icc, const ClusterRequest *request) {
  for (uint32_t i = 0; i < icc->entries; i++) {
    MergeEntry *entry = &icc->table[i];
    if (entry->is_valid && !entry->is_closed && entry->address == request->address &&
        entry->bytes == request->bytes)
      return entry;
  }
  return NULL;
}

static void add_entry(Icc *icc, const ClusterRequest *request) {
  for (uint32_t i = 0; i < icc->entries; i++) {
    if (icc->table[i].is_valid) continue;
    icc->table[i] = (MergeEntry){.address = request->address,
                                 .bytes = request->bytes,
                                 .number = request->number,
                                 .first_sm = request->requester.sm,
                                 .is_valid = true};
    return;
  }
  icc->passed_full++;
}

static ClusterAnswer merge(Icc *icc, const ClusterRequest *request, uint64_t *for_number) {
  const MergeEntry *entry = find_entry(icc, request);
  if (!entry) return CLUSTER_SEND;
  *for_number = entry->number;
  icc->merged++;
  return CLUSTER_HOLD;
}

static ClusterAnswer icc_ask(void *state, const ClusterRequest *request, uint64_t *for_number) {
  Icc *icc = state;
  return cache_serves(icc, request) ? CLUSTER_SERVE : merge(icc, request, for_number);
}

static ClusterAnswer cc_ask(void *state, const ClusterRequest *request, uint64_t *for_number) {
  (void)for_number;
  return cache_serves(state, request) ? CLUSTER_SERVE : CLUSTER_SEND;
}

static void icc_sent(void *state, const ClusterRequest *request) {
  Icc *icc = state;
  if (!request->is_global) return;
  if (request->is_write || request->is_atomic) {
    forget_written(icc, request);
    return;
  }
  MergeEntry *entry = find_entry(icc, request);
  if (entry)
    entry->is_wanted |= entry->first_sm != request->requester.sm;
  else
    add_entry(icc, request);
}

static void icc_flush(void *state) {
  Icc *icc = state;
  for (uint32_t i = 0; i < icc->lines; i++) icc->cache[i].is_valid = false;
  for (uint32_t i = 0; i < icc->entries; i++) icc->table[i].is_closed = true;
}

static void icc_answer(void *state, const ClusterRequest *request, uint32_t held) {
  Icc *icc = state;
  for (uint32_t i = 0; i < icc->entries; i++) {
    MergeEntry *entry = &icc->table[i];
    if (!entry->is_valid || entry->number != request->number) continue;
    if ((held || entry->is_wanted) && !entry->is_closed) cache_insert(icc, request);
    entry->is_valid = false;
    return;
  }
}

// Section 8.4 has 96, 60, 48 and 40 entries for 10, 6, 5 and 4 SMs: in each case
// 48 for five, in whole fours.
static uint32_t usual_entries(uint32_t sms) {
  uint32_t fours = (48 * sms + 19) / 20;
  return 4 * fours;
}

static Status icc_init(void *state, const PolicySetup *setup, Error *err) {
  Icc *icc = state;
  (void)err;
  if (!icc->entries) icc->entries = usual_entries(setup->machine->sms_per_cluster);
  icc->table = ARENA_ARRAY(setup->arena, MergeEntry, icc->entries);
  icc->cache = ARENA_ARRAY(setup->arena, CachedLine, icc->lines);
  return OK;
}

static uint32_t icc_lookup_cycles(const void *state) {
  return ((const Icc *)state)->lookup_cycles;
}

// ---- description

static const Stat stats[] = {
    STAT_COUNT(Icc, merged, "reads merged with another SM's read"),
    STAT_COUNT(Icc, passed_full, "reads not merged: merge table full"),
    STAT_COUNT(Icc, closed_by_write, "entries closed by a write"),
    STAT_COUNT(Icc, cache_hits, "reads that hit in the coalesced cache"),
    STAT_COUNT(Icc, cache_fills, "lines inserted"),
    STAT_COUNT(Icc, cache_evictions_by_write, "lines invalidated by a write"),
    {0}};

#define ENTRIES                         \
  PARAM(Icc, entries, 0, 0, TABLE_MOST, \
        "merge table entries; 0 = 48 per five SMs of a cluster, in multiples of four")
#define LINES PARAM(Icc, lines, 24, 1, TABLE_MOST, "coalesced cache size in lines")

#define LOOKUP PARAM(Icc, lookup_cycles, 1, 0, 64, "lookup latency, request and reply")

static const Param icc_params[] = {ENTRIES, LOOKUP, {0}};
static const Param cc_params[] = {ENTRIES, LINES, LOOKUP, {0}};

const ClusterUnitType icc_cluster_unit = {
    .policy = {.name = "icc",
               .summary = "merges reads of one line by several SMs (ICC)",
               .state_size = sizeof(Icc),
               .params = icc_params,
               .stats = stats,
               .init = icc_init},
    .ask = icc_ask,
    .on_sent = icc_sent,
    .on_answer = icc_answer,
    .on_flush = icc_flush,
    .lookup_cycles = icc_lookup_cycles,
};

const ClusterUnitType cc_cluster_unit = {
    .policy = {.name = "cc",
               .summary = "ICC with a small cache of lines requested by several SMs",
               .state_size = sizeof(Icc),
               .params = cc_params,
               .stats = stats,
               .init = icc_init},
    .ask = cc_ask,
    .on_sent = icc_sent,
    .on_answer = icc_answer,
    .on_flush = icc_flush,
    .lookup_cycles = icc_lookup_cycles,
};

const ClusterUnitType icc_cc_cluster_unit = {
    .policy = {.name = "icc_cc",
               .summary = "both",
               .state_size = sizeof(Icc),
               .params = cc_params,
               .stats = stats,
               .init = icc_init},
    .ask = icc_ask,
    .on_sent = icc_sent,
    .on_answer = icc_answer,
    .on_flush = icc_flush,
    .lookup_cycles = icc_lookup_cycles,
};
