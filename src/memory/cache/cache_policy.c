// SPDX-License-Identifier: MIT
// What prefetching and bypassing need of a cache besides accesses.
#include "memory/cache/cache_state.h"

// clang-format off
const Stat prefetch_stats[] = {
    STAT_COUNT(PrefetchStats, candidates, "prefetches requested"),
    STAT_COUNT(PrefetchStats, present, "of which redundant: line present or in flight"),
    STAT_COUNT(PrefetchStats, outside, "of which outside their buffer"),
    STAT_COUNT(PrefetchStats, crowded, "of which dropped: queue full"),
    STAT_COUNT(PrefetchStats, stale, "of which stale: the warp had executed the load"),
    STAT_COUNT(PrefetchStats, fetches, "of which issued"),
    STAT_COUNT(PrefetchStats, used, "useful: hit by a load"),
    STAT_COUNT(PrefetchStats, late, "late: merged with a load while in flight"),
    STAT_COUNT(PrefetchStats, unused, "evicted before use"),
    STAT_COUNT(PrefetchStats, early, "of which requested later: correct, but evicted too early"),
    {0}};
// clang-format on

typedef struct Spot {
  uint64_t tag, block;
  uint32_t set, line;
  uint8_t unit;
} Spot;

static Spot find_spot(const Cache *cache, uint64_t address, uint64_t index_address) {
  Spot spot = {.tag = address >> cache->line_log2, .block = address >> cache->unit_log2};
  spot.set = cache_index_set(&cache->index, index_address);
  spot.line = cache_tags_find(&cache->tags, spot.set, spot.tag);
  spot.unit = (uint8_t)(1u << (spot.block & cache->unit_mask));
  return spot;
}

// No counters and no recency update: a probe must not affect later outcomes.
static CacheResult state_of(const Cache *cache, const Spot *spot) {
  bool has_line = spot->line != TAGS_NONE;
  if (has_line && cache->tags.lines[spot->line].valid & spot->unit) return CACHE_HIT;
  if (cache->config.ideal_hits) return CACHE_HIT;
  return mshr_find(&cache->mshrs, spot->block) == MSHR_NONE ? CACHE_MISS : CACHE_HIT_PENDING;
}

CacheResult cache_probe(const Cache *cache, uint64_t address, uint64_t index_address) {
  Spot spot = find_spot(cache, address, index_address);
  return state_of(cache, &spot);
}

// Room for the prefetch, and for a read that comes after it.
static bool has_room(const Cache *cache) {
  const CacheConfig *config = &cache->config;
  return cache->misses.count + config->miss_queue_reserve + 1 < config->miss_queue &&
         cache->mshrs.used + 1 < cache->mshrs.capacity;
}

static bool take_line(Cache *cache, Spot *spot, const MemRequest *request, CacheMiss *write_back,
                      Cycle now) {
  if (spot->line == TAGS_NONE) {
    spot->line = cache_tags_victim(&cache->tags, spot->set);
    if (spot->line == TAGS_NONE) return false;
    *write_back = cache_evict(cache, spot->line);
    cache_place(cache, spot->line, spot->tag, request, now);
  }
  cache_tags_set_pending(&cache->tags, spot->line,
                         cache->tags.lines[spot->line].pending | spot->unit);
  return true;
}

CacheResult cache_prefetch(Cache *cache, MemRequest *request, uint64_t index_address, Cycle now) {
  Spot spot = find_spot(cache, request->address, index_address);
  CacheResult state = state_of(cache, &spot);
  cache_begin_effects(cache);
  if (state != CACHE_MISS) return state;
  CacheMiss write_back = {0};
  if (!has_room(cache) || (!cache->on_fill && !take_line(cache, &spot, request, &write_back, now)))
    return CACHE_FAIL;
  uint32_t entry = mshr_open(&cache->mshrs, spot.block, spot.line, request, 0);
  cache->mshrs.entries[entry].unasked = true;
  cache_push_miss(cache, (CacheMiss){.request = request,
                                     .address = spot.block << cache->unit_log2,
                                     .bytes = 1u << cache->unit_log2,
                                     .entry = entry,
                                     .sectors = cache_sectors_of(cache, spot.unit)});
  cache_push_write_back(cache, write_back);
  cache->prefetches.fetches++;
  if (cache->config.track_cold) seen_lines_add(&cache->seen, spot.tag);
  return CACHE_MISS;
}

// A bypassed load counts as a miss, so that miss rates of schemes with and without bypassing
// compare.
void cache_count_pass(Cache *cache, uint64_t address) {
  CacheStats *stats = &cache->stats;
  stats->accesses++;
  stats->reads++;
  stats->misses++;
  if (cache->config.track_cold)
    stats->cold_misses += seen_lines_add(&cache->seen, address >> cache->line_log2);
}

// Time 0 is older than any use: LRU and FIFO evict the line next.
void cache_demote(Cache *cache, uint64_t address, uint64_t index_address) {
  Spot spot = find_spot(cache, address, index_address);
  if (spot.line != TAGS_NONE) cache->tags.last_used[spot.line] = cache->tags.filled[spot.line] = 0;
}

PrefetchStats *cache_prefetch_stats(Cache *cache) {
  return &cache->prefetches;
}

// Write-backs may overfill the queue.
CacheRoom cache_room(const Cache *cache) {
  uint32_t queued = cache->misses.count, places = cache->config.miss_queue;
  return (CacheRoom){.mshrs = cache->mshrs.capacity - cache->mshrs.used,
                     .queue = queued < places ? places - queued : 0};
}

bool cache_repeats(const Cache *cache, const CacheStats *before, uint64_t prefetches_used) {
  return !cache->tags.replacement.type->on_hit && cache->prefetches.used == prefetches_used &&
         cache->stats.accesses - before->accesses == cache->stats.hits - before->hits;
}

void cache_repeat(Cache *cache, const CacheStats *before, Cycle since, uint64_t times,
                  Cycle later) {
  CacheStats *stats = &cache->stats;
  stats->accesses += times * (stats->accesses - before->accesses);
  stats->hits += times * (stats->hits - before->hits);
  stats->hits_after_hits += times * (stats->hits_after_hits - before->hits_after_hits);
  stats->reads += times * (stats->reads - before->reads);
  const CacheTags *tags = &cache->tags;
  for (uint32_t i = 0; tags->lines && i < tags->sets * tags->ways; i++)
    if (tags->last_used[i] > since) tags->last_used[i] += later;
}
