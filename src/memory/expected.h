// SPDX-License-Identifier: MIT
// What the slices know of when a cluster may be answered: the earliest cycle in which a reply to
// one of its requests can leave a slice.
//
// All requests wait at least the same time in the ROP delay lines, and are counted as if they
// waited no longer: those of a cluster become ready in the order in which they came, over all
// slices. Which of them has left matters not: if one overtook another, the first that is counted as
// waiting is ready, too.
#ifndef MEMORY_EXPECTED_H
#define MEMORY_EXPECTED_H

#include <stdint.h>

#include "base/cycle.h"

typedef struct Expected {
  Cycle *ready;  // a ring: requests in delay lines, by the end of the delay
  Cycle next;    // of the first of them, if there is one
  uint32_t first, count, capacity;
  uint32_t loose;  // parts of requests behind the delay lines: their replies may leave at any time
} Expected;

void expected_grow(Expected *expected);  // twice the room

// A request enters a delay line.
static inline void expected_enter(Expected *expected, Cycle ready) {
  if (expected->count == expected->capacity) expected_grow(expected);
  if (!expected->count) expected->next = ready;
  expected->ready[(expected->first + expected->count++) & (expected->capacity - 1)] = ready;
}

// One begins to leave it.
static inline void expected_begin(Expected *expected) {
  expected->first = --expected->count ? (expected->first + 1) & (expected->capacity - 1) : 0;
  if (expected->count) expected->next = expected->ready[expected->first];
}

// A reply can leave in that cycle at the earliest; NEVER: no request is in a slice.
static inline Cycle expected_next(const Expected *expected) {
  if (expected->loose) return 0;
  return expected->count ? expected->next : NEVER;
}

#endif
