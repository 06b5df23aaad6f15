// SPDX-License-Identifier: MIT
// Building caches, what leaves them and what comes back; lookups are in
// cache_access.c.
#include "memory/cache/cache.h"

#include <assert.h>

#include "memory/cache/cache_state.h"

Status cache_create(Cache **cache, const CacheConfig *config, Error *err) {
  uint32_t sets, ways;
  Replacement replacement;
  CacheIndex index;
  *cache = NULL;
  TRY(cache_geometry(config, &sets, &ways, err));
  TRY(cache_config_check(config, err));
  TRY(cache_index_init(&index, config->index_hash, sets, config->line_bytes, err));
  CacheShape shape = {.sets = sets, .ways = ways, .line_bytes = config->line_bytes};
  TRY(replacement_init(&replacement, config->policies, config->replacement, &shape, err));

  Cache *made = memory_alloc_aligned(sizeof *made, _Alignof(Cache));
  made->config = *config;
  made->index = index;
  made->line_log2 = index.line_log2;
  made->unit_log2 = config->sectored ? (uint32_t)__builtin_ctz(SECTOR_BYTES) : made->line_log2;
  made->unit_mask = (1u << (made->line_log2 - made->unit_log2)) - 1;
  // `streaming` differs from `on_fill` in its configuration only: many MSHRs and a small tag store.
  made->on_fill = config->allocate != ALLOCATE_ON_MISS;
  cache_tags_init(&made->tags, sets, ways, replacement);
  mshr_init(&made->mshrs, config->mshrs, config->mshr_merges);
  // Entries beyond the configured queue for write-backs: one per fetch in flight if lines
  // are allocated on fill, else one.
  miss_ring_init(&made->misses, config->miss_queue + config->mshrs + 2);
  *cache = made;
  return OK;
}

void cache_destroy(Cache *cache) {
  if (!cache) return;
  cache_tags_clear(&cache->tags);
  mshr_clear(&cache->mshrs);
  miss_ring_clear(&cache->misses);
  seen_lines_clear(&cache->seen);
  seen_lines_clear(&cache->lost);
  memory_free(cache);
}

// Returns the write-back instead of queueing it: on a miss the fetch must leave first (miss()
// in cache_access.c).
CacheMiss cache_evict(Cache *cache, uint32_t line) {
  const LineState *state = &cache->tags.lines[line];
  uint64_t tag = state->tag;
  uint8_t dirty = state->dirty, unasked = state->unasked;
  if (tag == TAG_FREE) return (CacheMiss){0};
  cache->stats.evictions++;
  uint32_t written_bytes = (uint32_t)__builtin_popcount(dirty) << cache->unit_log2;
  assert(cache->effects.eviction_count < CACHE_MAX_EVICTIONS);
  cache->effects.evictions[cache->effects.eviction_count++] =
      (EvictedLine){.address = tag << cache->line_log2,
                    .warp = state->warp,
                    .written_bytes = written_bytes,
                    .was_unused = unasked != 0};
  if (unasked) {
    cache->prefetches.unused += (uint64_t)__builtin_popcount(unasked);
    // A later miss on this line was prefetched correctly and evicted too early.
    seen_lines_add(&cache->lost, tag);
  }
  if (!dirty) return (CacheMiss){0};
  cache->stats.write_backs++;
  return (CacheMiss){.address = tag << cache->line_log2,
                     .bytes = written_bytes,
                     .write = true,
                     .write_back = true,
                     .sectors = cache_sectors_of(cache, dirty)};
}

const CacheEffects *cache_effects(const Cache *cache) {
  return &cache->effects;
}

// `tries` covers cycles that were skipped: a blocked access would have failed in each of them.
void cache_count_fails(Cache *cache, FailReason reason, uint64_t tries) {
  switch (reason) {
#define X(name, text) \
  case FAIL_##name: cache->stats.fail_##name += tries; break;
    FAIL_LIST(X)
#undef X
  }
}

void cache_watch_misses(Cache *cache, bool *flag) {
  cache->miss_flag = flag;
}

const CacheMiss *cache_miss_front(const Cache *cache) {
  return cache->misses.count ? miss_ring_front(&cache->misses) : NULL;
}

void cache_miss_pop(Cache *cache) {
  miss_ring_pop(&cache->misses);
}

// The line of an arriving unit in a cache that allocates on fill.
static uint32_t line_for_fill(Cache *cache, uint32_t entry, uint64_t address,
                              uint64_t index_address, Cycle now) {
  uint64_t tag = address >> cache->line_log2;
  uint32_t set = cache_index_set(&cache->index, index_address);
  uint32_t line = cache_tags_find(&cache->tags, set, tag);
  if (line != TAGS_NONE) return line;
  line = cache_tags_victim(&cache->tags, set);
  cache_push_write_back(cache, cache_evict(cache, line));
  // The line belongs to the warp that missed first.
  cache_place(cache, line, tag, mshr_first(&cache->mshrs, entry), now);
  return line;
}

static void fill_unit(Cache *cache, uint32_t entry, uint32_t line, uint32_t number) {
  const Mshr *mshr = &cache->mshrs.entries[entry];
  uint8_t unit = (uint8_t)(1u << number);
  LineState *state = &cache->tags.lines[line];
  if (state->pending) cache_tags_set_pending(&cache->tags, line, state->pending & (uint8_t)~unit);
  state->valid |= unit;
  if (mshr->dirty) cache_tags_set_dirty(&cache->tags, line, state->dirty | unit);
  if (mshr->unasked) state->unasked |= unit;
  mshr_fill(&cache->mshrs, entry);
}

// Data becomes valid here, but requests leave one at a time through cache_next_ready(): the
// response port of the MSHRs is narrower than a line.
void cache_fill(Cache *cache, uint32_t entry, uint64_t address, uint64_t index_address, Cycle now) {
  uint64_t block = address >> cache->unit_log2;
  // Every fetch keeps its MSHR until the fill: a fill of another block was never requested.
  assert(cache->mshrs.entries[entry].block == block);
  uint32_t line = cache->mshrs.entries[entry].line;
  uint32_t others = cache->mshrs.entries[entry].others;
  __builtin_prefetch(mshr_first(&cache->mshrs, entry));  // it is handed out in another cycle
  cache_begin_effects(cache);
  if (cache->on_fill)
    line = line_for_fill(cache, entry, block << cache->unit_log2, index_address, now);
  fill_unit(cache, entry, line, (uint32_t)(block & cache->unit_mask));
  for (; others; others &= others - 1) {
    uint32_t number = (uint32_t)__builtin_ctz(others);
    entry = mshr_find(&cache->mshrs, (block & ~(uint64_t)cache->unit_mask) + number);
    fill_unit(cache, entry, line, number);
  }
}

void cache_expect_fill(const Cache *cache, uint32_t entry, uint64_t address) {
  __builtin_prefetch(&cache->mshrs.entries[entry]);
  __builtin_prefetch(mshr_chain(&cache->mshrs, address >> cache->unit_log2));
}

MemRequest *cache_next_ready(Cache *cache, uint32_t *sector) {
  return mshr_next_ready(&cache->mshrs, sector);
}

bool cache_has_ready(const Cache *cache) {
  return cache->mshrs.ready.count != 0;
}

bool cache_lacks_mshrs(const Cache *cache) {
  const CacheConfig *config = &cache->config;
  return mshr_is_full(&cache->mshrs) &&
         cache->misses.count + config->miss_queue_reserve < config->miss_queue;
}

// Dirty lines are dropped without traffic. Values live in the device's memory, so no data is
// lost.
void cache_invalidate(Cache *cache) {
  cache_tags_drop_all(&cache->tags);
}

uint32_t cache_ways(const Cache *cache) {
  return cache->tags.ways;
}

uint32_t cache_lines(const Cache *cache) {
  return cache->tags.sets * cache->tags.limit;
}

void cache_limit_ways(Cache *cache, uint32_t ways) {
  assert(ways >= 1 && ways <= cache->tags.ways);
  cache->tags.limit = ways;
}

// Write-backs are counted; their traffic is not simulated.
void cache_flush(Cache *cache) {
  cache->stats.write_backs += cache_tags_drop_all(&cache->tags);
}

bool cache_is_quiet(const Cache *cache) {
  return cache->misses.count == 0 && cache->mshrs.used == 0;
}

const CacheStats *cache_stats_of(const Cache *cache) {
  return &cache->stats;
}
