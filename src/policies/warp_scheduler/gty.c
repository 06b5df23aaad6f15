// SPDX-License-Identifier: MIT
// Greedy then youngest: stay with one warp until it stalls, then take the youngest.
//
// What Ampere and Turing do: Huerta, Abaie Shoushtary, Cruz and González, "Dissecting and
// Modeling the Architecture of Modern GPU Cores", MICRO 2025.
#include "policies/warp_scheduler/warp_scheduler.h"

typedef struct Gty {
  uint64_t greedy;  // bit of the warp that issued last
} Gty;

static int gty_pick(void *state, const IssueView *view) {
  const Gty *gty = state;
  if (view->candidates & gty->greedy) return __builtin_ctzll(gty->greedy);
  int youngest = __builtin_ctzll(view->candidates);
  for (uint64_t left = view->candidates; left; left &= left - 1) {
    int warp = __builtin_ctzll(left);
    if (view->age[warp] > view->age[youngest]) youngest = warp;
  }
  return youngest;
}

static void gty_on_issue(void *state, const IssueView *view, int warp) {
  (void)view;
  ((Gty *)state)->greedy = UINT64_C(1) << warp;
}

const WarpSchedulerType gty_scheduler = {
    .policy = {.name = "gty", .summary = "greedy then youngest", .state_size = sizeof(Gty)},
    .is_timeless = true,
    .pick = gty_pick,
    .on_issue = gty_on_issue,
};
