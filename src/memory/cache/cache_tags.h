// SPDX-License-Identifier: MIT
// The tags of a cache and the state of its lines.
//
// A line is named by its number in the arrays, set * ways + way. A lookup compares 16 bits of each
// tag of the set, its print, and then the one tag whose print is equal: sets of 64 ways are two
// lines of the host's cache. The state of a line is a bit for each of its units. What a victim is
// chosen by is kept per set, a bit for each way: a miss must not read the state of every line.
#ifndef MEMORY_CACHE_CACHE_TAGS_H
#define MEMORY_CACHE_CACHE_TAGS_H

#include <stdbool.h>
#include <string.h>

#include "policies/replacement/replacement.h"

#define TAGS_NONE UINT32_MAX  // no line
#define TAG_FREE UINT64_MAX   // of a way without a line

// All that an access or an eviction wants of a line is in one line of the host's cache.
typedef struct LineState {
  uint64_t tag;     // the line's address / line_bytes, or TAG_FREE
  uint8_t valid;    // units that can be read
  uint8_t dirty;    // units that memory does not know yet; not always valid
  uint8_t pending;  // units with a fetch in flight
  uint8_t unasked;  // units that were prefetched and not yet used
  uint8_t warp;     // whose access fetched the line
} LineState;

// Bit w: of way w. They follow from tags and lines, whose setters below keep them.
typedef struct WayMasks {
  uint64_t taken;    // has a line
  uint64_t pending;  // a line with units in flight
  uint64_t dirty;    // a line with dirty units
} WayMasks;

enum { PRINT_BLOCK = 16, PRINT_FREE = 0 };
// A block in one go: GNU C, which compilers turn into what the host has.
typedef uint16_t PrintBlock __attribute__((vector_size(PRINT_BLOCK * sizeof(uint16_t))));

// A line of the host's cache, and the policy.
typedef struct CacheTags {
  uint32_t sets, ways;
  uint32_t limit;   // ways that new lines may take
  uint32_t used;    // lines with a tag
  uint32_t recent;  // the line that was found or placed last, if there are any
  uint32_t print_blocks;
  PrintBlock *prints;  // by set: print_blocks of them
  LineState *lines;    // NULL: there has never been one
  WayMasks *masks;     // by set
  Cycle *last_used, *filled;
  Replacement replacement;
} CacheTags;

void cache_tags_init(CacheTags *tags, uint32_t sets, uint32_t ways, Replacement replacement);
void cache_tags_clear(CacheTags *tags);

// Whether a new line finds a way: one that is free, or whose line waits for no data.
static inline bool cache_tags_has_victim(const CacheTags *tags, uint32_t set) {
  if (!tags->lines) return true;
  uint64_t all = UINT64_MAX >> (64 - tags->limit);
  return (tags->masks[set].pending & all) != all;
}
// The line that a new one may replace: a free one, of several that in the
// highest way, else the policy's choice; TAGS_NONE if all wait for data.
uint32_t cache_tags_victim(CacheTags *tags, uint32_t set);
// Puts a new line, without any unit, where a victim was.
void cache_tags_place(CacheTags *tags, uint32_t line, uint64_t tag, Cycle now);
void cache_tags_drop(CacheTags *tags, uint32_t line);
// Takes units out of a line; one without valid, dirty or pending units is free again.
void cache_tags_remove_units(CacheTags *tags, uint32_t line, uint8_t units);
// Drops all that is not pending; returns how many lines had dirty units.
uint32_t cache_tags_drop_all(CacheTags *tags);

// ---- units of a line

static inline void mask_set(uint64_t *mask, uint32_t way, bool on) {
  *mask = (*mask & ~(UINT64_C(1) << way)) | (uint64_t)on << way;
}

// The masks change with the first unit and the last one of a line.
static inline void cache_tags_set_pending(CacheTags *tags, uint32_t line, uint8_t pending) {
  bool had = tags->lines[line].pending, has = pending;
  tags->lines[line].pending = pending;
  if (has != had) mask_set(&tags->masks[line / tags->ways].pending, line % tags->ways, has);
}

static inline void cache_tags_set_dirty(CacheTags *tags, uint32_t line, uint8_t dirty) {
  bool had = tags->lines[line].dirty, has = dirty;
  tags->lines[line].dirty = dirty;
  if (has != had) mask_set(&tags->masks[line / tags->ways].dirty, line % tags->ways, has);
}

// Sectors of a line are looked up one after the other: mostly in the line that was found last,
// whose state is in the host's cache.
static inline bool cache_tags_is_recent(const CacheTags *tags, uint64_t tag) {
  return tags->used && tags->lines[tags->recent].tag == tag;
}

// Never PRINT_FREE.
static inline uint16_t cache_tags_print(uint64_t tag) {
  return (uint16_t)(tag * 0x9e3779b97f4a7c15u >> 48 | 1);
}

// The line, although several ways have its print.
uint32_t cache_tags_search(const CacheTags *tags, uint32_t set, uint64_t tag);

// All lanes, or'ed together.
static inline uint32_t print_block_fold(const PrintBlock *block) {
  uint64_t words[sizeof *block / sizeof(uint64_t)];
  memcpy(words, block, sizeof words);
  uint64_t all = words[0] | words[1] | words[2] | words[3];
  all |= all >> 32;
  return (uint32_t)(all | all >> 16) & UINT16_MAX;
}

// Compares all ways without early exit: a branch on the hit way would be unpredictable. The numbers
// of ways with the print are or'ed together: mostly there is one of them, or none.
static inline uint32_t cache_tags_find(const CacheTags *tags, uint32_t set, uint64_t tag) {
  if (!tags->used) return TAGS_NONE;
  const PrintBlock *row = &tags->prints[(size_t)set * tags->print_blocks];
  PrintBlock numbers = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, found = {0};
  for (uint32_t i = 0; i < tags->print_blocks; i++, numbers += PRINT_BLOCK)
    found |= (PrintBlock)(row[i] == cache_tags_print(tag)) & numbers;
  uint32_t number = print_block_fold(&found);
  if (!number) return TAGS_NONE;
  uint32_t line = set * tags->ways + number - 1;
  return number <= tags->ways && tags->lines[line].tag == tag ? line
                                                              : cache_tags_search(tags, set, tag);
}

#endif
