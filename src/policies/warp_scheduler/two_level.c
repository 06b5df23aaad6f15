// SPDX-License-Identifier: MIT
// Two levels: a few active warps compete by round robin; one that begins to
// wait for memory leaves its place to a pending one.
//
// Narasiman et al., "Improving GPU Performance via Large Warps and Two-Level
// Warp Scheduling", MICRO 2011, in the form of Gebhart et al., ISCA 2011: the
// active set is refilled in order of age.
#include "policies/warp_scheduler/warp_scheduler.h"

typedef struct TwoLevel {
  uint32_t active_warps;   // parameter
  uint64_t active;         // bit w: warp w competes
  int last;
  uint64_t demotions;
} TwoLevel;

// Fills free places with the oldest warps that do not wait for memory.
static void refill(TwoLevel *two, const IssueView *view) {
  two->active &= view->resident;
  uint64_t pending = view->resident & ~two->active & ~view->waiting_memory;
  while (pending && (uint32_t)__builtin_popcountll(two->active) < two->active_warps) {
    uint64_t oldest = UINT64_C(1) << oldest_warp(view->age, pending);
    two->active |= oldest;
    pending &= ~oldest;
  }
}

static int two_level_pick(void *state, const IssueView *view) {
  TwoLevel *two = state;
  refill(two, view);
  uint64_t competing = view->candidates & two->active;
  // All active warps are stuck: a pending one may use the slot.
  return next_warp(competing ? competing : view->candidates, two->last);
}

static void two_level_on_issue(void *state, const IssueView *view, int warp) {
  (void)view;
  ((TwoLevel *)state)->last = warp;
}

static void two_level_on_long_wait(void *state, int warp, bool begins) {
  TwoLevel *two = state;
  uint64_t bit = UINT64_C(1) << warp;
  if (!begins || !(two->active & bit)) return;
  two->active &= ~bit;
  two->demotions++;
}

static const Param two_level_params[] = {
    PARAM(TwoLevel, active_warps, 8, 1, 64, "warps that compete to issue"), {0}};

static const Stat two_level_stats[] = {
    STAT_COUNT(TwoLevel, demotions, "warps that left the active set on a memory stall"), {0}};

const WarpSchedulerType two_level_scheduler = {
    .policy = {.name = "two_level",
               .summary = "two levels: active and pending warps",
               .state_size = sizeof(TwoLevel),
               .params = two_level_params,
               .stats = two_level_stats},
    .is_timeless = true,
    .pick = two_level_pick,
    .on_issue = two_level_on_issue,
    .on_long_wait = two_level_on_long_wait,
};
