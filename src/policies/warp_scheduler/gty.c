// SPDX-License-Identifier: MIT
// Greedy then youngest: stay with one warp until it stalls, then take the youngest.
//
// Huerta, Abaie Shoushtary, Cruz and Gonzalez, "Dissecting and Modeling the Architecture of
// Modern GPU Cores", MICRO 2025, measured it on Turing, Ampere and Blackwell. There the
// compiler's stall counts tell when a warp stalls; here its operands and units do.
#include "policies/warp_scheduler/warp_scheduler.h"

typedef struct Gty {
  uint64_t greedy;  // bit of the warp that issued last
  uint64_t issues, greedy_issues;
} Gty;

static int youngest_warp(const uint64_t *age, uint64_t warps) {
  int youngest = __builtin_ctzll(warps);
  for (uint64_t left = warps & (warps - 1); left; left &= left - 1) {
    int warp = __builtin_ctzll(left);
    if (age[warp] > age[youngest]) youngest = warp;
  }
  return youngest;
}

static int gty_pick(void *state, const IssueView *view) {
  const Gty *gty = state;
  if (view->candidates & gty->greedy) return __builtin_ctzll(gty->greedy);
  return youngest_warp(view->age, view->candidates);
}

static void gty_on_issue(void *state, const IssueView *view, int warp) {
  (void)view;
  Gty *gty = state;
  gty->issues++;
  gty->greedy_issues += gty->greedy >> warp & 1;
  gty->greedy = UINT64_C(1) << warp;
}

static const Stat gty_stats[] = {
    STAT_COUNT(Gty, issues, "instructions issued"),
    STAT_RATIO(Gty, greedy_rate, greedy_issues, issues, "issues that stayed with the same warp"),
    {0}};

const WarpSchedulerType gty_scheduler = {
    .policy = {.name = "gty",
               .summary = "greedy then youngest",
               .state_size = sizeof(Gty),
               .stats = gty_stats},
    .pick = gty_pick,
    .on_issue = gty_on_issue,
};
