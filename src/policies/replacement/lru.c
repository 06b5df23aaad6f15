// SPDX-License-Identifier: MIT
// Least recently used: the line whose last access is longest ago. Of lines
// used in the same cycle the one in the lowest way goes.
#include "policies/replacement/replacement.h"

static uint32_t lru_victim(void *state, const SetView *view) {
  (void)state;
  return replacement_earliest(view->candidates, view->last_used);
}

const ReplacementType lru_replacement = {
    .policy = {.name = "lru", .summary = "least recently used"},
    .victim = lru_victim,
};
