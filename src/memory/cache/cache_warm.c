// SPDX-License-Identifier: MIT
// Accesses without time, for caches that are warmed by functional execution before timing resumes.
// Units with a fetch in flight are left to it.
#include "memory/cache/cache_state.h"

// Nobody in particular.
static const MemRequest warmer = {.kind = REQUEST_READ}, writer = {.kind = REQUEST_WRITE};

// Many accesses have the same time. All other lines of the set become older by one, which keeps
// their order, so that the line is the youngest.
static void make_youngest(CacheTags *tags, uint32_t line, Cycle now) {
  uint32_t first = line - line % tags->ways;
  for (uint32_t i = first; i < first + tags->ways; i++) {
    if (tags->last_used[i]) tags->last_used[i]--;
  }
  tags->last_used[line] = now;
}

static void make_first_filled_older(CacheTags *tags, uint32_t line) {
  uint32_t first = line - line % tags->ways;
  for (uint32_t i = first; i < first + tags->ways; i++)
    if (i != line && tags->filled[i]) tags->filled[i]--;
}

static uint32_t take_line(Cache *cache, uint32_t set, uint64_t tag, const MemRequest *request,
                          Cycle now) {
  uint32_t line = cache_tags_victim(&cache->tags, set);
  if (line == TAGS_NONE) return line;
  cache_begin_effects(cache);
  cache_evict(cache, line);
  cache_place(cache, line, tag, request, now);
  make_first_filled_older(&cache->tags, line);
  if (cache->config.track_cold) seen_lines_add(&cache->seen, tag);
  return line;
}

static bool keeps_writes(const Cache *cache) {
  return cache->config.write_policy == WRITE_BACK;
}

// As limit_dirty in cache_access.c, but what is written back costs nothing.
static void limit_dirty(Cache *cache, uint32_t set) {
  uint32_t oldest = cache_excess_dirty(cache, set);
  if (oldest != TAGS_NONE) cache_tags_set_dirty(&cache->tags, oldest, 0);
}

// As write_hit in cache_access.c: stores to global memory leave no copy in an L1D that is neither
// write-back nor write-through.
static void write_unit(Cache *cache, uint32_t line, uint8_t unit, bool is_full, bool had) {
  const LineState *state = &cache->tags.lines[line];
  if (is_full) cache->tags.lines[line].valid |= unit;
  if (keeps_writes(cache)) {
    cache_tags_set_dirty(&cache->tags, line, state->dirty | unit);
    limit_dirty(cache, line / cache->tags.ways);
  }
  if (!had || keeps_writes(cache) || cache->config.write_policy == WRITE_THROUGH) return;
  cache_tags_remove_units(&cache->tags, line, unit);
}

static bool warm(Cache *cache, uint64_t address, uint64_t index_address, bool is_write,
                 bool is_full, Cycle now) {
  const MemRequest *request = is_write ? &writer : &warmer;
  uint64_t tag = address >> cache->line_log2;
  uint32_t set = cache_index_set(&cache->index, index_address);
  uint32_t line = cache_tags_find(&cache->tags, set, tag);
  uint8_t unit = (uint8_t)(1u << (address >> cache->unit_log2 & cache->unit_mask));
  bool had = line != TAGS_NONE && cache->tags.lines[line].valid & unit;
  if (line != TAGS_NONE && cache->tags.lines[line].pending & unit) return true;
  if (!had && is_write && cache->config.write_allocate == WRITE_NO_ALLOCATE) return false;
  if (line == TAGS_NONE) line = take_line(cache, set, tag, request, now);
  if (line == TAGS_NONE) return false;
  make_youngest(&cache->tags, line, now);
  if (had && cache->tags.replacement.type->on_hit)
    cache_notify_replacement(cache, line, request, now, cache->tags.replacement.type->on_hit);
  if (is_write)
    write_unit(cache, line, unit, is_full, had);
  else
    cache->tags.lines[line].valid |= (uint8_t)(unit | cache_units_around(cache, address));
  return had;
}

bool cache_warm(Cache *cache, uint64_t address, uint64_t index_address, bool is_write, bool is_full,
                Cycle now) {
  CacheStats stats = cache->stats;
  PrefetchStats prefetches = cache->prefetches;
  bool had = warm(cache, address, index_address, is_write, is_full, now);
  cache->stats = stats;
  cache->prefetches = prefetches;
  return had;
}
