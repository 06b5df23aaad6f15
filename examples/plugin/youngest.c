// SPDX-License-Identifier: MIT
// Youngest first: of the warps that can issue, the one that was launched last.
#include "policies/plugin.h"
#include "policies/warp_scheduler/warp_scheduler.h"

typedef struct Youngest {
  bool stays;  // parameter
  int last;    // warp that issued last
} Youngest;

static int youngest_pick(void *state, const IssueView *view) {
  const Youngest *self = state;
  if (self->stays && view->candidates >> self->last & 1) return self->last;
  int best = __builtin_ctzll(view->candidates);
  for (uint64_t left = view->candidates; left; left &= left - 1)
    if (view->age[__builtin_ctzll(left)] > view->age[best]) best = __builtin_ctzll(left);
  return best;
}

static void youngest_on_issue(void *state, const IssueView *view, int warp) {
  (void)view;
  ((Youngest *)state)->last = warp;
}

static const Param youngest_params[] = {
    PARAM(Youngest, stays, false, 0, 1, "go on with a warp until it cannot"), {0}};

static const WarpSchedulerType youngest = {
    .policy = {"youngest", "the warp that was launched last", sizeof(Youngest), youngest_params,
               NULL},
    .pick = youngest_pick,
    .on_issue = youngest_on_issue,
};

POLICY_PLUGIN("warp_scheduler", youngest);
