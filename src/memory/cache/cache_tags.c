// SPDX-License-Identifier: MIT
// Tag array: lookup order, victims, placing and dropping lines.
#include "memory/cache/cache_tags.h"

#include <string.h>

#include "base/memory.h"

enum { HOST_LINE_BYTES = 64 };

void cache_tags_init(CacheTags *tags, uint32_t sets, uint32_t ways, Replacement replacement) {
  *tags = (CacheTags){.sets = sets, .ways = ways, .limit = ways, .replacement = replacement};
}

// When the first line comes: many caches of a large machine never get one.
static __attribute__((noinline, cold)) void make_lines(CacheTags *tags) {
  size_t count = (size_t)tags->sets * tags->ways;
  tags->print_blocks = (tags->ways + PRINT_BLOCK - 1) / PRINT_BLOCK;
  tags->prints =
      memory_alloc_aligned(sizeof *tags->prints * tags->sets * tags->print_blocks, HOST_LINE_BYTES);
  tags->lines = memory_alloc_raw(count * sizeof *tags->lines, HOST_LINE_BYTES);
  tags->masks = memory_alloc(tags->sets * sizeof *tags->masks);
  tags->last_used = memory_alloc(count * sizeof *tags->last_used);
  tags->filled = memory_alloc(count * sizeof *tags->filled);
  for (size_t i = 0; i < count; i++) tags->lines[i] = (LineState){.tag = TAG_FREE};
}

void cache_tags_clear(CacheTags *tags) {
  replacement_clear(&tags->replacement);
  memory_free(tags->prints);
  memory_free(tags->lines);
  memory_free(tags->masks);
  memory_free(tags->last_used);
  memory_free(tags->filled);
  *tags = (CacheTags){0};
}

// Invalid ways first, from the highest number down; lines with units in flight are not candidates.
uint32_t cache_tags_victim(CacheTags *tags, uint32_t set) {
  if (!tags->lines) make_lines(tags);
  uint32_t first = set * tags->ways;
  const WayMasks *masks = &tags->masks[set];
  uint64_t all = UINT64_MAX >> (64 - tags->limit), free = all & ~masks->taken;
  if (free) return first + 63 - (uint32_t)__builtin_clzll(free);
  uint64_t candidates = all & ~masks->pending;
  if (candidates == 0) return TAGS_NONE;
  SetView view = {.candidates = candidates,
                  .last_used = &tags->last_used[first],
                  .filled = &tags->filled[first],
                  .set = set,
                  .ways = tags->limit};
  return first + replacement_victim(&tags->replacement, &view);
}

static void set_tag(CacheTags *tags, uint32_t line, uint64_t tag) {
  uint32_t set = line / tags->ways, way = line % tags->ways;
  tags->lines[line].tag = tag;
  tags->prints[(size_t)set * tags->print_blocks + way / PRINT_BLOCK][way % PRINT_BLOCK] =
      tag == TAG_FREE ? PRINT_FREE : cache_tags_print(tag);
}

uint32_t cache_tags_search(const CacheTags *tags, uint32_t set, uint64_t tag) {
  for (uint32_t line = set * tags->ways; line < (set + 1) * tags->ways; line++)
    if (tags->lines[line].tag == tag) return line;
  return TAGS_NONE;
}

// A new line has no unit yet, and none is in flight.
static void clear_state(CacheTags *tags, uint32_t line, bool is_taken) {
  WayMasks *masks = &tags->masks[line / tags->ways];
  uint32_t way = line % tags->ways;
  tags->lines[line] = (LineState){.tag = tags->lines[line].tag};
  mask_set(&masks->taken, way, is_taken);
  mask_set(&masks->pending, way, false);
  mask_set(&masks->dirty, way, false);
}

void cache_tags_place(CacheTags *tags, uint32_t line, uint64_t tag, Cycle now) {
  tags->used += tags->lines[line].tag == TAG_FREE;
  set_tag(tags, line, tag);
  clear_state(tags, line, true);
  tags->last_used[line] = tags->filled[line] = now;
  tags->recent = line;
}

void cache_tags_drop(CacheTags *tags, uint32_t line) {
  tags->used -= tags->lines[line].tag != TAG_FREE;
  set_tag(tags, line, TAG_FREE);
  clear_state(tags, line, false);
}

void cache_tags_remove_units(CacheTags *tags, uint32_t line, uint8_t units) {
  LineState *state = &tags->lines[line];
  state->valid &= (uint8_t)~units;
  cache_tags_set_dirty(tags, line, state->dirty & (uint8_t)~units);
  if (!(state->valid | state->dirty | state->pending)) cache_tags_drop(tags, line);
}

// A line in flight keeps its way: its fill will look for it there.
uint32_t cache_tags_drop_all(CacheTags *tags) {
  uint32_t dirty = 0;
  if (tags->used == 0) return 0;
  for (uint32_t line = 0; line < tags->sets * tags->ways; line++) {
    LineState *state = &tags->lines[line];
    dirty += state->dirty != 0;
    if (state->pending) {
      state->valid = state->unasked = 0;
      cache_tags_set_dirty(tags, line, 0);
    } else {
      cache_tags_drop(tags, line);
    }
  }
  return dirty;
}
