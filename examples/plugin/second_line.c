// SPDX-License-Identifier: MIT
// Prefetch: the line after the next one, on every miss.
#include "policies/plugin.h"
#include "policies/prefetch/prefetch.h"

static void second_line_on_access(void *state, const L1dAccess *access, PrefetchList *list) {
  (void)state;
  if (access->outcome == OUTCOME_MISS && !access->is_local)
    prefetch_add(list, access->line + 2 * (uint64_t)access->line_bytes, PREFETCH_NO_WARP);
}

static const PrefetchType second_line = {
    .policy = {.name = "second_line", .summary = "the line after the next one"},
    .on_access = second_line_on_access,
};
POLICY_PLUGIN("prefetch", second_line);
