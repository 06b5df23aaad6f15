// SPDX-License-Identifier: MIT
// The tags of a cache and the state of its lines.
//
// A line is named by its number in the arrays, set * ways + way. The tags of a
// set are neighbours, so that eight of them are one line of the host's cache.
// The state of a line is a bit for each of its units.
#ifndef MEMORY_CACHE_CACHE_TAGS_H
#define MEMORY_CACHE_CACHE_TAGS_H

#include <stdbool.h>

#include "policies/replacement/replacement.h"

#define TAGS_NONE UINT32_MAX  // no line
#define TAG_FREE UINT64_MAX   // of a way without a line

typedef struct LineState {
  uint8_t valid;    // units that can be read
  uint8_t dirty;    // units that memory does not know yet; not always valid
  uint8_t pending;  // units with a fetch in flight
  uint8_t unasked;  // units that were prefetched and not yet used
} LineState;

typedef struct CacheTags {
  uint32_t sets, ways;
  uint32_t limit;  // ways that new lines may take
  Replacement replacement;
  uint64_t *tags;  // the line's address / line_bytes; NULL: there has never been a line
  LineState *lines;
  Cycle *last_used, *filled;
  uint8_t *warps;  // whose access fetched the line
  uint32_t used;  // lines with a tag
} CacheTags;

void cache_tags_init(CacheTags *tags, uint32_t sets, uint32_t ways, Replacement replacement);
void cache_tags_clear(CacheTags *tags);

// The line that a new one may replace: a free one, of several that in the
// highest way, else the policy's choice; TAGS_NONE if all wait for data.
uint32_t cache_tags_victim(CacheTags *tags, uint32_t set);
// Puts a new line, without any unit, where a victim was.
void cache_tags_place(CacheTags *tags, uint32_t line, uint64_t tag, Cycle now);
void cache_tags_drop(CacheTags *tags, uint32_t line);
// Drops all that is not pending; returns how many lines had dirty units.
uint32_t cache_tags_drop_all(CacheTags *tags);

// Compares all ways without early exit: a branch on the hit way would be unpredictable.
static inline uint32_t cache_tags_find(const CacheTags *tags, uint32_t set, uint64_t tag) {
  uint32_t first = set * tags->ways;
  uint32_t found = TAGS_NONE;
  if (!tags->used) return TAGS_NONE;
  const uint64_t *row = &tags->tags[first];
  for (uint32_t way = 0; way < tags->ways; way++) found = row[way] == tag ? first + way : found;
  return found;
}

#endif
