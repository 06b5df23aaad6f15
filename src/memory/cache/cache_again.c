// SPDX-License-Identifier: MIT
// Reads that hit where they have hit before: one look at the state of the line instead of a search
// among the tags of its set. Instruction caches hit nearly always, every cycle, in few lines.
#include "memory/cache/cache_state.h"

bool cache_hits_again(Cache *cache, const CacheSpot *spot, Cycle now) {
  CacheTags *tags = &cache->tags;
  if (!tags->used || tags->replacement.type->on_hit) return false;
  const LineState *state = &tags->lines[spot->line];
  uint32_t unit = 1u << (spot->address >> cache->unit_log2 & cache->unit_mask);
  bool is_there = state->tag == spot->address >> cache->line_log2 && (state->valid & unit);
  if (!is_there || (state->unasked & unit)) return false;
  CacheStats *stats = &cache->stats;
  cache_begin_effects(cache);
  stats->hits_after_hits += cache->effects.outcome == OUTCOME_HIT && stats->hits;
  cache->effects.outcome = OUTCOME_HIT;
  stats->accesses++;
  stats->reads++;
  stats->hits++;
  tags->last_used[spot->line] = now;
  return true;
}

CacheSpot cache_spot_of(const Cache *cache, uint64_t address) {
  return (CacheSpot){.address = address, .line = cache->tags.recent};
}
