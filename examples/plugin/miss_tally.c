// SPDX-License-Identifier: MIT
// A shared part: misses by warp, which a prefetcher counts and a warp scheduler
// could go by. With it: a prefetcher in miss_counter.c.
#include "miss_tally.h"

#include "policies/plugin.h"

static Status miss_tally_init(void *state, const PolicySetup *setup, Error *err) {
  MissTally *tally = state;
  (void)err;
  tally->misses = ARENA_ARRAY(setup->arena, uint64_t, setup->machine->max_warps);
  return OK;
}

static const Stat stats[] = {STAT_COUNT(MissTally, total, "misses of all warps"), {0}};

static const SharedType miss_tally = {
    .policy = {.name = "miss_tally",
               .summary = "misses by warp",
               .state_size = sizeof(MissTally),
               .stats = stats,
               .init = miss_tally_init},
    .per_sm = true,
};
POLICY_PLUGIN("shared", miss_tally);
