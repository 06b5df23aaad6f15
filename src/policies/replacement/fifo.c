// SPDX-License-Identifier: MIT
// First in, first out: the line that was allocated first, however often it has
// been used since.
#include "policies/replacement/replacement.h"

static uint32_t fifo_victim(void *state, const SetView *view) {
  (void)state;
  return replacement_earliest(view->candidates, view->filled);
}

const ReplacementType fifo_replacement = {
    .policy = {.name = "fifo", .summary = "first in, first out"},
    .victim = fifo_victim,
};
