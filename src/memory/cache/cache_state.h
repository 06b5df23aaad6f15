// SPDX-License-Identifier: MIT
// Inside the cache: its parts, and what accesses and fills have in common.
#ifndef MEMORY_CACHE_CACHE_STATE_H
#define MEMORY_CACHE_CACHE_STATE_H

#include "base/ring.h"
#include "memory/cache/cache.h"
#include "memory/cache/cache_index.h"
#include "memory/cache/cache_tags.h"
#include "memory/cache/mshr.h"
#include "memory/cache/seen_lines.h"

RING_DEFINE(MissRing, miss_ring, CacheMiss);

// What an access touches of each part lies in one line of the host's cache. An owner that asks in
// each cycle whether there are misses or requests to be handed out reads the first line.
struct Cache {
  // state
  _Alignas(64) MissRing misses;
  MshrFile mshrs;
  // config
  uint32_t line_log2, unit_log2, unit_mask;
  bool on_fill;
  bool *miss_flag;  // set when a miss is queued; NULL: not watched
  // state
  _Alignas(64) CacheTags tags;
  CacheEffects effects;  // of the last call
  // stats
  _Alignas(64) CacheStats stats;
  PrefetchStats prefetches;

  _Alignas(64) CacheConfig config;
  _Alignas(64) CacheIndex index;
  SeenLines seen;
  SeenLines lost;  // lines that were prefetched and evicted unused
};

// All of a configuration but sets, ways and line, which cache_geometry checks,
// and the hash.
Status cache_config_check(const CacheConfig *config, Error *err);

// Inline forms of cache_has_ready and cache_miss_front, for callers in every cycle.
static inline bool cache_has_work(const Cache *cache) {
  return cache->mshrs.ready.count || cache->misses.count;
}

// Bits of units as bits of 32-byte sectors.
static inline uint8_t cache_sectors_of(const Cache *cache, uint32_t units) {
  if (cache->config.sectored) return (uint8_t)units;
  return (uint8_t)((1u << cache->config.line_bytes / SECTOR_BYTES) - 1);
}

// The units that a miss at the address fetches together; none if it fetches one alone.
static inline uint32_t cache_units_around(const Cache *cache, uint64_t address) {
  uint32_t count = cache->config.fetch_bytes / SECTOR_BYTES;
  if (count <= 1) return 0;
  uint32_t number = (uint32_t)(address >> cache->unit_log2) & cache->unit_mask;
  return ((1u << count) - 1) << (number & ~(count - 1));
}

// Where more ways of the set are dirty than may be: the line to be written back, the least recently
// used of these; else TAGS_NONE.
static inline uint32_t cache_excess_dirty(const Cache *cache, uint32_t set) {
  const CacheTags *tags = &cache->tags;
  if (cache->config.dirty_percent == 100) return TAGS_NONE;
  uint64_t ways = tags->masks[set].dirty;
  if ((uint32_t)__builtin_popcountll(ways) * 100 <= tags->ways * cache->config.dirty_percent)
    return TAGS_NONE;
  uint32_t first = set * tags->ways;
  return first + replacement_earliest(ways, &tags->last_used[first]);
}

// A call begins: nothing has happened yet. The outcome of the last access stays.
static inline void cache_begin_effects(Cache *cache) {
  cache->effects.used_prefetch = false;
  cache->effects.eviction_count = 0;
}

// Evicts the line; returns the required write-back, or write_back = false.
CacheMiss cache_evict(Cache *cache, uint32_t line);

// Notifies the replacement policy of a request's effect on a line.
static inline void cache_notify_replacement(const Cache *cache, uint32_t line,
                                            const MemRequest *request, Cycle now,
                                            void (*notify)(void *state, const LineView *line)) {
  const CacheTags *tags = &cache->tags;
  LineView view = {.now = now,
                   .set = line / tags->ways,
                   .way = line % tags->ways,
                   .address = tags->lines[line].tag << cache->line_log2,
                   .requester = &request->requester,
                   .is_write = request->kind == REQUEST_WRITE,
                   .is_prefetch = request->kind == REQUEST_PREFETCH};
  notify(tags->replacement.state, &view);
}

// A line that the request brings takes the place of one that was evicted.
static inline void cache_place(Cache *cache, uint32_t line, uint64_t tag, const MemRequest *request,
                               Cycle now) {
  cache_tags_place(&cache->tags, line, tag, now);
  cache->tags.lines[line].warp = request->requester.warp;
  if (cache->tags.replacement.type->on_fill)
    cache_notify_replacement(cache, line, request, now, cache->tags.replacement.type->on_fill);
}

static inline void cache_push_miss(Cache *cache, CacheMiss miss) {
  miss_ring_push(&cache->misses, miss);
  if (cache->miss_flag) *cache->miss_flag = true;
}

static inline void cache_push_write_back(Cache *cache, CacheMiss miss) {
  if (miss.write_back) cache_push_miss(cache, miss);
}

#endif
