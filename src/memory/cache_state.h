// SPDX-License-Identifier: MIT
// Inside the cache: its parts, and what accesses and fills have in common.
#ifndef MEMORY_CACHE_STATE_H
#define MEMORY_CACHE_STATE_H

#include "base/ring.h"
#include "memory/cache.h"
#include "memory/cache_index.h"
#include "memory/cache_tags.h"
#include "memory/mshr.h"
#include "memory/seen_lines.h"

RING_DEFINE(MissRing, miss_ring, CacheMiss);

struct Cache {
  // config
  CacheConfig config;
  CacheIndex index;
  uint32_t line_log2, unit_log2, unit_mask;
  bool on_fill;
  // state
  CacheTags tags;
  MshrFile mshrs;
  MissRing misses;
  SeenLines seen;
  SeenLines lost;  // lines that were prefetched and evicted unused
  uint32_t evicted_bytes;
  CacheOutcome outcome;  // of the last access
  uint64_t unused_line;  // the last prefetched one that was evicted unused
  EvictedLine evicted;   // the last
  // stats
  CacheStats stats;
  PrefetchStats prefetches;
};

// All of a configuration but sets, ways and line, which cache_geometry checks,
// and the hash.
Status cache_config_check(const CacheConfig *config, Error *err);

// Of cache_has_ready and cache_miss_front, for those who ask every cycle.
static inline bool cache_has_work(const Cache *cache) {
  return cache->mshrs.ready.count || cache->misses.count;
}

// Bits of units as bits of 32-byte sectors.
static inline uint8_t cache_sectors_of(const Cache *cache, uint32_t units) {
  if (cache->config.sectored) return (uint8_t)units;
  return (uint8_t)((1u << cache->config.line_bytes / SECTOR_BYTES) - 1);
}

// Takes what is in the line out of it; the answer is what has to be written
// back, or has write_back = false.
CacheMiss cache_evict(Cache *cache, uint32_t line);

// A line that the request brings takes the place of one that was evicted.
static inline void cache_place(Cache *cache, uint32_t line, uint64_t tag, const MemRequest *request,
                               Cycle now) {
  cache_tags_place(&cache->tags, line, tag, now);
  cache->tags.warps[line] = (uint8_t)request->warp;
}

static inline void cache_push_write_back(Cache *cache, CacheMiss miss) {
  if (miss.write_back) miss_ring_push(&cache->misses, miss);
}

#endif
