// SPDX-License-Identifier: MIT
// Growth, which is rare and must not be inlined where flits pass.
#include "memory/flit_window.h"

// The stamps of as many flits as there were slots keep their numbers.
__attribute__((noinline, cold)) void flit_window_grow(FlitWindow *window) {
  uint32_t slots = window->mask + 1, mask = 2 * slots - 1;
  Cycle *larger = memory_alloc((mask + 1) * sizeof *larger);
  for (uint64_t i = window->entered < slots ? 0 : window->entered - slots; i < window->entered; i++)
    larger[i & mask] = window->stamps[i & window->mask];
  memory_free(window->stamps);
  window->stamps = larger;
  window->mask = mask;
}
