// SPDX-License-Identifier: MIT
// The family table of prefetchers, and the call that collects their addresses.
#include "policies/prefetch/prefetch.h"

#define PREFETCH(name) extern const PrefetchType name##_prefetch;
#include "policies/prefetch/prefetches.def"
#undef PREFETCH

static const PolicyType *const types[] = {
#define PREFETCH(name) &name##_prefetch.policy,
#include "policies/prefetch/prefetches.def"
#undef PREFETCH
    NULL};

const PolicyFamily prefetch_family = {
    .name = "prefetch", .question = "which lines are prefetched?", .types = types};

void prefetch_ask(const PrefetchType *type, void *state, const L1dAccess *access,
                  PrefetchList *list) {
  list->count = 0;
  type->on_access(state, access, list);
  POLICY_REQUIRE(type, list->count <= PREFETCH_MOST);
  for (uint32_t i = 0; i < list->count; i++)
    POLICY_REQUIRE(type,
                   list->candidates[i].warp >= PREFETCH_NO_WARP && list->candidates[i].warp < PREFETCH_WARPS);
}
