// SPDX-License-Identifier: MIT
// For warp schedulers: groups of warps, round robin inside a group. Between groups either
// greedy-then-oldest, or the oldest always first. A group is as old as its oldest warp.
//
// With one warp in each group, greedy-then-oldest between groups is gto.
#ifndef POLICIES_WARP_SCHEDULER_WARP_GROUPS_H
#define POLICIES_WARP_SCHEDULER_WARP_GROUPS_H

#include "policies/warp_scheduler/warp_scheduler.h"

enum { GROUPED_WARPS = 64, NO_GROUP = 255 };

typedef struct WarpGroups {
  uint64_t members[GROUPED_WARPS];  // by group: bit w: warp slot w
  int8_t last[GROUPED_WARPS];       // by group: the warp that issued last
  uint8_t group_of[GROUPED_WARPS];  // by slot
  uint8_t current;                  // group that issued last
  uint64_t issues, same_group;
} WarpGroups;

// A warp takes its slot: alone, or in the group of a resident one.
static inline void warp_groups_join(WarpGroups *groups, uint32_t warp, uint32_t group) {
  groups->members[group] |= UINT64_C(1) << warp;
  groups->group_of[warp] = (uint8_t)group;
}
static inline uint32_t warp_groups_make(WarpGroups *groups, uint32_t warp) {
  uint32_t group = 0;
  while (groups->members[group]) group++;  // warps are as many as groups: one is free
  groups->last[group] = (int8_t)warp;      // a group that has not issued begins behind its first
  warp_groups_join(groups, warp, group);
  return group;
}
static inline void warp_groups_leave(WarpGroups *groups, uint32_t warp) {
  groups->members[groups->group_of[warp]] &= ~(UINT64_C(1) << warp);
}

static inline int warp_groups_next(const WarpGroups *groups, uint32_t group, uint64_t candidates) {
  return next_warp(groups->members[group] & candidates, groups->last[group]);
}

// The group of a candidate whose oldest resident warp is the oldest.
static inline uint32_t warp_groups_oldest(const WarpGroups *groups, const IssueView *view) {
  uint32_t best = NO_GROUP;
  uint64_t best_age = 0;
  for (uint64_t left = view->candidates; left;) {
    uint32_t group = groups->group_of[__builtin_ctzll(left)];
    uint64_t age = view->age[oldest_warp(view->age, groups->members[group])];
    if (best == NO_GROUP || age < best_age) {
      best = group;
      best_age = age;
    }
    left &= ~groups->members[group];
  }
  return best;
}

static inline int warp_groups_pick(const WarpGroups *groups, const IssueView *view,
                                   bool is_greedy) {
  uint32_t group = groups->current;
  if (!is_greedy || !(groups->members[group] & view->candidates))
    group = warp_groups_oldest(groups, view);
  return warp_groups_next(groups, group, view->candidates);
}

static inline void warp_groups_issue(WarpGroups *groups, int warp) {
  uint8_t group = groups->group_of[warp];
  groups->issues++;
  groups->same_group += group == groups->current;
  groups->current = group;
  groups->last[group] = (int8_t)warp;
}

#define WARP_GROUPS_STATS(Struct, field)                                                       \
  {.name = "issues", .help = "instructions issued", .offset = STAT_OFFSET_(Struct, field.issues)}, \
      {.name = "group_rate", .help = "issues that stayed with a group", .is_ratio = true,      \
       .offset = STAT_OFFSET_(Struct, field.same_group),                                       \
       .denominator_offset = STAT_OFFSET_(Struct, field.issues)}

#endif
