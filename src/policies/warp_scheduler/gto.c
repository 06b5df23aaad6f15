// SPDX-License-Identifier: MIT
// Greedy then oldest: stay with one warp until it stalls, then take the oldest.
//
// Rogers, O'Connor and Aamodt, "Cache-Conscious Wavefront Scheduling", MICRO
// 2012. Staying put keeps a warp's lines in the L1 while it still wants them.
#include "policies/warp_scheduler/warp_scheduler.h"

typedef struct Gto {
  uint64_t greedy;  // bit of the warp that issued last
  uint64_t issues, greedy_issues;
} Gto;

static int gto_pick(void *state, const IssueView *view) {
  const Gto *gto = state;
  if (view->candidates & gto->greedy) return __builtin_ctzll(gto->greedy);
  return oldest_warp(view->age, view->candidates);
}

static void gto_on_issue(void *state, const IssueView *view, int warp) {
  (void)view;
  Gto *gto = state;
  gto->issues++;
  gto->greedy_issues += gto->greedy >> warp & 1;
  gto->greedy = UINT64_C(1) << warp;
}

static const Stat gto_stats[] = {
    STAT_COUNT(Gto, issues, "instructions issued"),
    STAT_RATIO(Gto, greedy_rate, greedy_issues, issues, "issues that stayed with the same warp"),
    {0}};

const WarpSchedulerType gto_scheduler = {
    .policy = {.name = "gto",
               .summary = "greedy then oldest",
               .state_size = sizeof(Gto),
               .stats = gto_stats},
    .is_timeless = true,
    .pick = gto_pick,
    .on_issue = gto_on_issue,
};
