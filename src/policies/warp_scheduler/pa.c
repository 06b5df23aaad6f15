// SPDX-License-Identifier: MIT
// Prefetch-aware two-level scheduling: groups consist of non-consecutive warps; a group
// has priority until all of its warps wait for memory.
//
// Jog et al., "Orchestrated Scheduling and Prefetching for GPGPUs", ISCA 2013. While one
// group runs, a simple prefetcher fetches for the warps next to its own, which belong to
// the following groups, so that prefetches have time to complete.
//
// Simplified: if no warp of the first group can issue, the following groups are tried in
// the same cycle; a group never waits for its prefetches.
#include "policies/warp_scheduler/warp_scheduler.h"

typedef struct PrefetchAware {
  uint32_t group_warps;  // parameter
  uint32_t first;        // group
  int last;              // warp that issued
  uint64_t switches;
} PrefetchAware;

// Groups that the slots in use come to; a scheduler has every nth slot.
static uint32_t group_count(const PrefetchAware *pa, const IssueView *view) {
  if (!view->resident) return 1;
  uint32_t slots = (63 - (uint32_t)__builtin_clzll(view->resident)) / view->scheduler_count + 1;
  return (slots + pa->group_warps - 1) / pa->group_warps;
}

static uint64_t group_warps(const IssueView *view, uint32_t group, uint32_t groups) {
  uint64_t warps = 0;
  uint32_t step = groups * view->scheduler_count;
  for (uint32_t w = group * view->scheduler_count + view->scheduler; w < 64; w += step)
    warps |= UINT64_C(1) << w;
  return warps;
}

static int pa_pick(void *state, const IssueView *view) {
  const PrefetchAware *pa = state;
  uint32_t groups = group_count(pa, view);
  for (uint32_t i = 0; i < groups; i++) {
    uint64_t mine = view->candidates & group_warps(view, (pa->first + i) % groups, groups);
    if (mine) return next_warp(mine, pa->last);
  }
  return next_warp(view->candidates, pa->last);
}

static void pa_on_issue(void *state, const IssueView *view, int warp) {
  PrefetchAware *pa = state;
  uint32_t groups = group_count(pa, view);
  uint64_t first = group_warps(view, pa->first % groups, groups) & view->resident;
  pa->last = warp;
  if (first & ~view->waiting_memory) return;
  pa->first = (pa->first + 1) % groups;
  pa->switches++;
}

static const Param pa_params[] = {PARAM(PrefetchAware, group_warps, 8, 1, 64, "warps per group"),
                                  {0}};

static const Stat pa_stats[] = {STAT_COUNT(PrefetchAware, switches, "group switches"), {0}};

const WarpSchedulerType pa_scheduler = {
    .policy = {.name = "pa",
               .summary = "prefetch-aware two-level: groups of non-adjacent warps",
               .state_size = sizeof(PrefetchAware),
               .params = pa_params,
               .stats = pa_stats},
    .pick = pa_pick,
    .on_issue = pa_on_issue,
};
