// SPDX-License-Identifier: MIT
// A prefetcher that fetches nothing and counts misses in the shared part
// miss_tally.
#include "miss_tally.h"
#include "policies/plugin.h"
#include "policies/prefetch/prefetch.h"

typedef struct MissCounter {
  MissTally *tally;
} MissCounter;

static Status miss_counter_init(void *state, const PolicySetup *setup, Error *err) {
  (void)err;
  ((MissCounter *)state)->tally = setup->shared;
  return OK;
}

static void miss_counter_on_access(void *state, const L1dAccess *access, PrefetchList *list) {
  MissTally *tally = ((MissCounter *)state)->tally;
  (void)list;
  if (access->outcome != OUTCOME_MISS) return;
  tally->misses[access->requester.warp]++;
  tally->total++;
}

static const PrefetchType miss_counter = {
    .policy = {.name = "miss_counter",
               .summary = "counts misses, fetches nothing",
               .state_size = sizeof(MissCounter),
               .shares = "miss_tally",
               .init = miss_counter_init},
    .on_access = miss_counter_on_access,
};
POLICY_PLUGIN("prefetch", miss_counter);
