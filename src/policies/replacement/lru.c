// SPDX-License-Identifier: MIT
// Least recently used. Of lines last used in the same cycle, the lowest way is evicted.
#include "policies/replacement/replacement.h"

static uint32_t lru_victim(void *state, const SetView *view) {
  (void)state;
  return replacement_earliest(view->candidates, view->last_used);
}

const ReplacementType lru_replacement = {
    .policy = {.name = "lru", .summary = "least recently used"},
    .victim = lru_victim,
};
