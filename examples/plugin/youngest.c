// SPDX-License-Identifier: MIT
// Youngest first: of the warps that can issue, the one that was launched last.
#include "policies/plugin.h"
#include "policies/warp_scheduler/warp_scheduler.h"

typedef struct Youngest {
  bool reverse;  // parameter
} Youngest;

static int youngest_pick(void *state, const IssueView *view) {
  if (((const Youngest *)state)->reverse) return oldest_warp(view->age, view->candidates);
  int best = __builtin_ctzll(view->candidates);
  for (uint64_t left = view->candidates; left; left &= left - 1)
    if (view->age[__builtin_ctzll(left)] > view->age[best]) best = __builtin_ctzll(left);
  return best;
}

static const Param params[] = {PARAM(Youngest, reverse, false, 0, 1, "oldest first"), {0}};

static const WarpSchedulerType youngest = {
    .policy = {"youngest", "the warp that was launched last", sizeof(Youngest), params, NULL},
    .pick = youngest_pick,
};
POLICY_PLUGIN("warp_scheduler", youngest);
