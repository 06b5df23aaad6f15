// SPDX-License-Identifier: MIT
// Greedy then oldest; while MSHRs are scarce, only the `limit` oldest warps may load.
#include "policies/plugin.h"
#include "policies/warp_scheduler/warp_scheduler.h"

typedef struct OldestLoads {
  uint32_t limit;   // parameter
  uint32_t scarce;  // parameter
  uint64_t greedy;  // bit of the warp that issued last
  uint64_t held;    // counter
} OldestLoads;

static uint64_t oldest_warps(const IssueView *view, uint32_t count) {
  uint64_t running = view->resident & ~view->at_barrier;
  uint64_t left = running;
  for (uint32_t i = 0; i < count && left; i++) left &= ~(UINT64_C(1) << oldest_warp(view->age, left));
  return running & ~left;
}

static int oldest_loads_pick(void *state, const IssueView *view) {
  OldestLoads *self = state;
  uint64_t allowed = view->candidates;
  if (view->l1d_mshrs_free < self->scarce) allowed &= ~view->loads | oldest_warps(view, self->limit);
  if (!allowed) {
    self->held++;
    return ISSUE_NONE;  // the issue slot is lost
  }
  if (allowed & self->greedy) return __builtin_ctzll(self->greedy);
  return oldest_warp(view->age, allowed);
}

static void oldest_loads_on_issue(void *state, const IssueView *view, int warp) {
  (void)view;
  ((OldestLoads *)state)->greedy = UINT64_C(1) << warp;
}

static const Param params[] = {
    PARAM(OldestLoads, limit, 2, 1, 64, "oldest warps per scheduler that may always load"),
    PARAM(OldestLoads, scarce, 24, 0, 4096, "free MSHRs below which only these may"),
    {0}};

static const Stat stats[] = {STAT_COUNT(OldestLoads, held, "slots lost to the limit"), {0}};

static const WarpSchedulerType oldest_loads = {
    .policy = {.name = "oldest_loads",
               .summary = "greedy then oldest; the oldest warps load first when MSHRs are scarce",
               .state_size = sizeof(OldestLoads),
               .params = params,
               .stats = stats},
    .watches_l1d = true,  // fills in l1d_mshrs_free
    .pick = oldest_loads_pick,
    .on_issue = oldest_loads_on_issue,
};
POLICY_PLUGIN("warp_scheduler", oldest_loads);
