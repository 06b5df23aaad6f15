// SPDX-License-Identifier: MIT
// A buffer and the wire before it, as time stamps.
//
// A window numbers the flits that pass. While a flit is on the wire or in the buffer,
// its slot holds the tick from which the next stage may take it; afterwards the tick in
// which it left, when its credit starts to return. One ring of time stamps thus represents
// wire, buffer and returning credits. It has as many slots as are needed for that, not as many as
// the buffer has places: a slot is used again only when the credit of its flit has returned.
#ifndef MEMORY_FLIT_WINDOW_H
#define MEMORY_FLIT_WINDOW_H

#include <stdbool.h>

#include "base/cycle.h"
#include "base/memory.h"

typedef struct FlitWindow {
  Cycle *stamps;
  uint32_t mask, limit;
  uint64_t entered, left;  // flits, ever
} FlitWindow;

enum { FLIT_WINDOW_FIRST_SLOTS = 8 };

static inline void flit_window_init(FlitWindow *window, uint32_t limit) {
  *window = (FlitWindow){.mask = FLIT_WINDOW_FIRST_SLOTS - 1, .limit = limit};
  window->stamps = memory_alloc(FLIT_WINDOW_FIRST_SLOTS * sizeof *window->stamps);
}

static inline uint32_t flit_window_flits(const FlitWindow *window) {
  return (uint32_t)(window->entered - window->left);
}

// Whether a flit may enter: the previous flit of the slot has left, and its credit has
// returned, which takes wire_ticks.
static inline bool flit_window_has_room(const FlitWindow *window, Cycle now, uint32_t wire_ticks) {
  if (flit_window_flits(window) >= window->limit) return false;
  if (window->limit > window->mask + 1) return true;  // its slot has been used again
  if (window->entered < window->limit) return true;
  return window->stamps[(window->entered - window->limit) & window->mask] + wire_ticks <= now;
}

void flit_window_grow(FlitWindow *window);  // twice the slots

// There is room. ready: the tick in which it can be taken at the other end.
static inline void flit_window_enter(FlitWindow *window, Cycle ready, Cycle now,
                                     uint32_t wire_ticks) {
  uint64_t slots = window->mask + 1;
  if (slots < window->limit && window->entered >= slots &&
      (flit_window_flits(window) >= slots ||
       window->stamps[window->entered & window->mask] + wire_ticks > now))
    flit_window_grow(window);
  window->stamps[window->entered++ & window->mask] = ready;
}

static inline bool flit_window_is_ready(const FlitWindow *window, Cycle now) {
  return window->entered != window->left && window->stamps[window->left & window->mask] <= now;
}

static inline void flit_window_leave(FlitWindow *window, Cycle now) {
  window->stamps[window->left++ & window->mask] = now;
}

static inline void flit_window_clear(FlitWindow *window) {
  memory_free(window->stamps);
}

#endif
