// SPDX-License-Identifier: MIT
// A set of lines: all that a cache ever fetched, to tell cold misses from
// others, or those that it lost before they were used.
//
// Used on misses only. 64 neighbouring lines share a word, so dense
// footprints cost two bits a line; the table doubles when it is half full.
#ifndef MEMORY_CACHE_SEEN_LINES_H
#define MEMORY_CACHE_SEEN_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct SeenGroup {
  uint64_t key;   // line / 64 + 1; 0: no group
  uint64_t bits;  // bit i: line 64 * (key - 1) + i was seen
} SeenGroup;

typedef struct SeenLines {
  SeenGroup *groups;
  size_t capacity, count;  // a power of two; groups in use
} SeenLines;

// Whether the line is new; it is not the next time.
bool seen_lines_add(SeenLines *seen, uint64_t line);
// Whether the line is there; it is not the next time.
bool seen_lines_remove(SeenLines *seen, uint64_t line);
void seen_lines_clear(SeenLines *seen);

#endif
