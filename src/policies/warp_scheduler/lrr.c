// SPDX-License-Identifier: MIT
// Loose round robin: warps take turns; one that cannot issue is passed over.
#include "policies/warp_scheduler/warp_scheduler.h"

typedef struct Lrr {
  int last;
} Lrr;

static int lrr_pick(void *state, const IssueView *view) {
  return next_warp(view->candidates, ((const Lrr *)state)->last);
}

static void lrr_on_issue(void *state, const IssueView *view, int warp) {
  (void)view;
  ((Lrr *)state)->last = warp;
}

const WarpSchedulerType lrr_scheduler = {
    .policy = {.name = "lrr", .summary = "loose round robin", .state_size = sizeof(Lrr)},
    .is_timeless = true,
    .pick = lrr_pick,
    .on_issue = lrr_on_issue,
};
