// SPDX-License-Identifier: MIT
// A warp scheduler in C++20: loose round robin.
#include "policies/plugin.h"
#include "policies/warp_scheduler/warp_scheduler.h"

struct RoundAndRound {
  uint32_t step;  // parameter
  int last;
  uint64_t issues;
};

static int pick(void *state, const IssueView *view) {
  auto *self = static_cast<RoundAndRound *>(state);
  return next_warp(view->candidates, (self->last + static_cast<int>(self->step) - 1) & 63);
}

static void on_issue(void *state, const IssueView *, int warp) {
  auto *self = static_cast<RoundAndRound *>(state);
  self->last = warp;
  self->issues++;
}

static const Param params[] = {
    PARAM(RoundAndRound, step, 1, 1, 64, "warps from one to the next"), {}};
static const Stat stats[] = {STAT_COUNT(RoundAndRound, issues, "instructions issued"), {}};

static const WarpSchedulerType round_and_round = {
    .policy = {.name = "round_and_round",
               .summary = "loose round robin, in C++",
               .state_size = sizeof(RoundAndRound),
               .params = params,
               .stats = stats},
    .pick = pick,
    .on_issue = on_issue,
};
POLICY_PLUGIN("warp_scheduler", round_and_round);
