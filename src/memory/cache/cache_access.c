// SPDX-License-Identifier: MIT
// Lookups. An access either succeeds completely or changes only a failure counter
// (CACHE_FAIL), so that it can be retried in the next cycle; every check therefore precedes the
// first change of state. The reasons of a failing read are checked in GPGPU-Sim's order: way,
// miss queue, MSHR.
#include <assert.h>

#include "memory/cache/cache_state.h"

// One access, looked up.
typedef struct Lookup {
  MemRequest *request;
  uint32_t sector;
  uint64_t address, tag;
  uint32_t line;  // TAGS_NONE: not there
  uint32_t set;   // where it would be
  uint8_t unit;   // its bit
  Cycle now;
} Lookup;

static void find_line(Cache *cache, Lookup *look, uint64_t index_address) {
  if (cache_tags_is_recent(&cache->tags, look->tag)) {
    look->line = cache->tags.recent;
    return;
  }
  look->set = cache_index_set(&cache->index, index_address);
  look->line = cache_tags_find(&cache->tags, look->set, look->tag);
  if (look->line != TAGS_NONE) cache->tags.recent = look->line;
}

static Lookup look_up(Cache *cache, MemRequest *request, uint32_t sector, uint64_t index_address,
                      Cycle now) {
  Lookup look = {.request = request, .sector = sector, .now = now};
  look.address = request->address + (uint64_t)sector * SECTOR_BYTES;
  look.tag = look.address >> cache->line_log2;
  look.unit = (uint8_t)(1u << (look.address >> cache->unit_log2 & cache->unit_mask));
  find_line(cache, &look, index_address);
  return look;
}

static CacheResult fail(Cache *cache, FailReason why, FailReason *reason) {
  *reason = why;
  cache_count_fails(cache, why, 1);
  return CACHE_FAIL;
}

// After a miss on a prefetched line that was evicted unused, the prefetch counts as early.
static void count(Cache *cache, const Lookup *look, Outcome outcome) {
  CacheStats *stats = &cache->stats;
  bool write = look->request->kind == REQUEST_WRITE;
  stats->accesses++;
  stats->writes += write;
  stats->reads += !write;
  stats->hits_after_hits += outcome == OUTCOME_HIT && cache->effects.outcome == OUTCOME_HIT && stats->hits;
  cache->effects.outcome = outcome;
  stats->hits += outcome == OUTCOME_HIT;
  stats->merges += outcome == OUTCOME_MERGE;
  if (outcome != OUTCOME_MISS) return;
  stats->misses++;
  if (cache->lost.count && !write) cache->prefetches.early += seen_lines_remove(&cache->lost, look->tag);
  if (look->line != TAGS_NONE)
    stats->sector_misses++;
  else if (cache->config.track_cold)
    stats->cold_misses += seen_lines_add(&cache->seen, look->tag);
}

static bool has(const Cache *cache, const Lookup *look) {
  return look->line != TAGS_NONE && (cache->tags.lines[look->line].valid & look->unit);
}

// Only with allocation on miss; with allocation on fill, only the MSHRs track fetches in flight.
static bool waits_in_line(const Cache *cache, const Lookup *look) {
  return look->line != TAGS_NONE && (cache->tags.lines[look->line].pending & look->unit);
}

static bool has_way(const Cache *cache, const Lookup *look) {
  return look->line != TAGS_NONE || cache_tags_has_victim(&cache->tags, look->set);
}

static uint32_t sector_in_line(const Cache *cache, uint64_t address) {
  return (uint32_t)(address & (cache->config.line_bytes - 1)) / SECTOR_BYTES;
}

static void push_fetch(Cache *cache, const Lookup *look, uint32_t entry, uint8_t others) {
  uint32_t bytes = 1u << cache->unit_log2, units = 1u + (uint32_t)__builtin_popcount(others);
  cache_push_miss(cache,
                  (CacheMiss){.request = look->request,
                              .address = look->address & ~(uint64_t)(bytes - 1),
                              .bytes = bytes * units,
                              .entry = entry,
                              .sectors = cache_sectors_of(cache, (uint8_t)(look->unit | others)),
                              .request_sector = (uint8_t)look->sector});
}

// Units that come with the one that is asked for: those around it that are neither here nor on
// their way, as long as there are MSHRs for them.
static uint8_t fetch_others(Cache *cache, const Lookup *look, uint32_t line) {
  const LineState *state = &cache->tags.lines[line];
  uint64_t first = look->tag << (cache->line_log2 - cache->unit_log2);
  uint32_t around = cache_units_around(cache, look->address) & ~(uint32_t)look->unit;
  uint8_t taken = 0;
  for (uint32_t left = around & ~(uint32_t)(state->valid | state->pending);
       left && !mshr_is_full(&cache->mshrs); left &= left - 1) {
    uint32_t number = (uint32_t)__builtin_ctz(left);
    mshr_take(&cache->mshrs, first + number, line);
    taken |= (uint8_t)(1u << number);
  }
  cache_tags_set_pending(&cache->tags, line, state->pending | taken);
  return taken;
}

// What of the request one access covers: a sector, or what lies in the line.
static uint32_t piece_bytes(const Cache *cache, const Lookup *look) {
  if (cache->config.sectored) return SECTOR_BYTES;
  uint64_t request_end = look->request->address + look->request->bytes;
  uint64_t line_end = (look->tag + 1) << cache->line_log2;
  return (uint32_t)((request_end < line_end ? request_end : line_end) - look->address);
}

static CacheResult send_write(Cache *cache, const Lookup *look) {
  uint32_t bytes = piece_bytes(cache, look);
  uint32_t sectors = ((1u << bytes / SECTOR_BYTES) - 1) << sector_in_line(cache, look->address);
  cache_push_miss(cache, (CacheMiss){.request = look->request,
                                     .address = look->address,
                                     .bytes = bytes,
                                     .write = true,
                                     .sectors = (uint8_t)sectors,
                                     .request_sector = (uint8_t)look->sector});
  return CACHE_WRITE_SENT;
}

// Whether an atomic may leave the line dirty here.
// Atomics are performed at the L2, whose line then differs from DRAM.
static bool holds_dirty(const Cache *cache) {
  return cache->config.write_policy == WRITE_BACK;
}

// A line of its set that is in excess stays, and is clean. Waits for room in the miss queue.
static void limit_dirty(Cache *cache, uint32_t line) {
  CacheTags *tags = &cache->tags;
  if (cache->config.dirty_percent == 100 || cache->misses.count >= cache->config.miss_queue) return;
  uint32_t oldest = cache_excess_dirty(cache, line / tags->ways);
  if (oldest == TAGS_NONE) return;
  uint8_t dirty = tags->lines[oldest].dirty;
  cache_tags_set_dirty(tags, oldest, 0);
  cache->stats.write_backs++;
  cache_push_miss(cache,
                  (CacheMiss){.address = tags->lines[oldest].tag << cache->line_log2,
                              .bytes = (uint32_t)__builtin_popcount(dirty) << cache->unit_log2,
                              .write = true,
                              .write_back = true,
                              .sectors = cache_sectors_of(cache, dirty)});
}

// `unasked` marks units that a prefetch fetched and no access has used: the first use clears
// it, so that a prefetch is counted as useful once.
static CacheResult hit(Cache *cache, const Lookup *look, bool makes_dirty) {
  count(cache, look, OUTCOME_HIT);
  cache->tags.last_used[look->line] = look->now;
  if (cache->tags.replacement.type->on_hit)
    cache_notify_replacement(cache, look->line, look->request, look->now,
                             cache->tags.replacement.type->on_hit);
  LineState *state = &cache->tags.lines[look->line];
  if (makes_dirty) {
    cache_tags_set_dirty(&cache->tags, look->line, state->dirty | look->unit);
    limit_dirty(cache, look->line);
  }
  if (state->unasked & look->unit) {
    state->unasked &= (uint8_t)~look->unit;
    cache->prefetches.used++;
    cache->effects.used_prefetch = true;
  }
  return CACHE_HIT;
}

// Hit-under-miss: it updates recency like a hit, but waits for the fill like a miss.
static CacheResult merge(Cache *cache, const Lookup *look, uint32_t entry, bool makes_dirty) {
  count(cache, look, OUTCOME_MERGE);
  if (look->line != TAGS_NONE) cache->tags.last_used[look->line] = look->now;
  cache->mshrs.entries[entry].dirty |= makes_dirty;
  cache->prefetches.late += cache->mshrs.entries[entry].unasked;
  cache->effects.used_prefetch |= cache->mshrs.entries[entry].unasked;
  cache->mshrs.entries[entry].unasked = false;
  mshr_add(&cache->mshrs, entry, look->request, look->sector);
  return CACHE_HIT_PENDING;
}

// The line of an access that is certain to succeed, in place of another if the cache has none yet.
// Only here is the policy asked: accesses that are blocked and tried again must not change its
// state.
static uint32_t take_line(Cache *cache, const Lookup *look, CacheMiss *write_back) {
  uint32_t line = look->line;
  if (line == TAGS_NONE) {
    line = cache_tags_victim(&cache->tags, look->set);
    *write_back = cache_evict(cache, line);
    cache_place(cache, line, look->tag, look->request, look->now);
  }
  cache->tags.last_used[line] = look->now;
  return line;
}

// The fetch leaves before the write-back of the line that it replaces.
// With allocation on miss the way is reserved immediately and cannot be evicted until the fill
// (pending); all ways of a set can thus be reserved (FAIL_line).
static CacheResult miss(Cache *cache, const Lookup *look, bool makes_dirty) {
  CacheMiss write_back = {0};
  uint32_t line = look->line;
  count(cache, look, OUTCOME_MISS);
  if (!cache->on_fill) {
    line = take_line(cache, look, &write_back);
    cache_tags_set_pending(&cache->tags, line, cache->tags.lines[line].pending | look->unit);
  }
  uint32_t entry = mshr_open(&cache->mshrs, look->address >> cache->unit_log2, line, look->request,
                             look->sector);
  cache->mshrs.entries[entry].dirty = makes_dirty;
  uint8_t others = cache->config.fetch_bytes > SECTOR_BYTES ? fetch_others(cache, look, line) : 0;
  cache->mshrs.entries[entry].others = others;
  push_fetch(cache, look, entry, others);
  cache_push_write_back(cache, write_back);
  return CACHE_MISS;
}

// A unit that has to be fetched, or is being fetched.
// A merge also requires a free entry in the miss queue, although it sends nothing: GPGPU-Sim
// checks the queue before the MSHRs.
static CacheResult fetch(Cache *cache, const Lookup *look, bool makes_dirty, FailReason *reason) {
  uint32_t entry = MSHR_NONE;
  if (cache->on_fill || waits_in_line(cache, look))
    entry = mshr_find(&cache->mshrs, look->address >> cache->unit_log2);
  if (!cache->on_fill && !has_way(cache, look)) return fail(cache, FAIL_line, reason);
  if (cache->misses.count + cache->config.miss_queue_reserve >= cache->config.miss_queue)
    return fail(cache, FAIL_queue, reason);
  if (entry != MSHR_NONE) {
    if (cache->mshrs.entries[entry].count == cache->mshrs.merges)
      return fail(cache, FAIL_merge, reason);
    return merge(cache, look, entry, makes_dirty);
  }
  if (mshr_is_full(&cache->mshrs)) return fail(cache, FAIL_mshr, reason);
  return miss(cache, look, makes_dirty);
}

static CacheResult read_access(Cache *cache, const Lookup *look, FailReason *reason) {
  bool makes_dirty = look->request->kind == REQUEST_ATOMIC && holds_dirty(cache);
  if (has(cache, look)) return hit(cache, look, makes_dirty);
  // An oracle (gpu/config/ideal.h): loads that would miss count as hits, and nothing is fetched.
  if (cache->config.ideal_hits || look->request->always_hits) {
    count(cache, look, OUTCOME_HIT);
    return CACHE_HIT;
  }
  return fetch(cache, look, makes_dirty, reason);
}

// Whether the access writes every byte of its unit.
// Lanes may write parts of a sector; only a sector of which every byte is written needs no
// fetch.
static bool writes_all(const Cache *cache, const Lookup *look) {
  uint32_t unit = 1u << cache->unit_log2, bytes = piece_bytes(cache, look);
  uint32_t wanted = ((1u << unit / SECTOR_BYTES) - 1) << look->sector;
  if (look->address & (unit - 1) || bytes < unit) return false;
  return (look->request->full_sectors & wanted) == wanted;
}

// L1Ds of Fermi write local memory back, since only its thread can see it, and evict or write
// through global lines, since L1Ds are not coherent.
static CacheResult write_hit(Cache *cache, const Lookup *look, FailReason *reason) {
  uint32_t policy = cache->config.write_policy;
  bool local_back = policy == WRITE_LOCAL_BACK_GLOBAL_THROUGH;
  if (policy == WRITE_BACK || (local_back && look->request->local)) return hit(cache, look, true);
  if (cache->misses.count >= cache->config.miss_queue) return fail(cache, FAIL_queue, reason);
  hit(cache, look, false);
  if (policy != WRITE_THROUGH) cache_tags_remove_units(&cache->tags, look->line, look->unit);
  return send_write(cache, look);
}

// Takes a line for a write that missed, without fetching the rest of it.
// Lazy fetch on read: a partial write leaves its unit invalid but dirty, and a later read of it
// has to fetch the rest. Full units are valid without any fetch.
static CacheResult write_lazily(Cache *cache, const Lookup *look, FailReason *reason) {
  CacheMiss write_back = {0};
  if (!has_way(cache, look)) return fail(cache, FAIL_line, reason);
  if (cache->misses.count >= cache->config.miss_queue) return fail(cache, FAIL_queue, reason);
  count(cache, look, waits_in_line(cache, look) ? OUTCOME_MERGE : OUTCOME_MISS);
  uint32_t line = take_line(cache, look, &write_back);
  if (writes_all(cache, look)) cache->tags.lines[line].valid |= look->unit;
  if (!holds_dirty(cache)) return send_write(cache, look);
  cache_tags_set_dirty(&cache->tags, line, cache->tags.lines[line].dirty | look->unit);
  cache_push_write_back(cache, write_back);
  limit_dirty(cache, line);
  return CACHE_WRITE_KEPT;
}

// Fetch on write is needed only if the write leaves bytes of its unit unknown.
static CacheResult write_access(Cache *cache, const Lookup *look, FailReason *reason) {
  assert(cache->config.write_policy != WRITE_READ_ONLY);
  if (has(cache, look)) return write_hit(cache, look, reason);
  uint32_t allocate = cache->config.write_allocate;
  if (allocate == WRITE_ALLOCATE_FETCH && !writes_all(cache, look))
    return fetch(cache, look, true, reason);
  if (allocate != WRITE_NO_ALLOCATE) return write_lazily(cache, look, reason);
  if (cache->misses.count >= cache->config.miss_queue) return fail(cache, FAIL_queue, reason);
  count(cache, look, waits_in_line(cache, look) ? OUTCOME_MERGE : OUTCOME_MISS);
  return send_write(cache, look);
}

CacheResult cache_access(Cache *cache, MemRequest *request, uint32_t sector, uint64_t index_address,
                         Cycle now, FailReason *reason) {
  // Other loads find the line of one that always hits.
  if (request->always_hits && request->kind == REQUEST_READ)
    cache_warm(cache, request->address + (uint64_t)sector * SECTOR_BYTES, index_address, false,
               false, now);
  Lookup look = look_up(cache, request, sector, index_address, now);
  cache_begin_effects(cache);
  return request->kind == REQUEST_WRITE ? write_access(cache, &look, reason)
                                        : read_access(cache, &look, reason);
}
