// SPDX-License-Identifier: MIT
// For warp schedulers: groups of warps, round robin inside a group. Between groups either
// greedy-then-oldest, or the oldest always first. A group is as old as its oldest warp.
//
// With one warp in each group, greedy-then-oldest between groups is gto.
#ifndef POLICIES_WARP_SCHEDULER_WARP_GROUPS_H
#define POLICIES_WARP_SCHEDULER_WARP_GROUPS_H

#include "policies/warp_scheduler/warp_scheduler.h"

enum { GROUPED_WARPS = 64, NO_GROUP = 255 };

// Identity of a group; the scheduler defines the words.
typedef struct GroupKey {
  uint64_t a, b, c;
} GroupKey;

typedef struct WarpGroups {
  uint64_t members[GROUPED_WARPS];  // by group: bit w: warp slot w
  GroupKey keys[GROUPED_WARPS];     // by group
  int8_t last[GROUPED_WARPS];       // by group: the warp that issued last
  uint8_t group_of[GROUPED_WARPS];  // by slot
  uint64_t resident;                // bit w: warp slot w is in a group
  uint8_t current;                  // group that issued last
  uint64_t issues, same_group;
} WarpGroups;

// The group with that key, or NO_GROUP.
static inline uint32_t warp_groups_find(const WarpGroups *groups, const GroupKey *key) {
  for (uint64_t left = groups->resident; left;) {
    uint32_t group = groups->group_of[__builtin_ctzll(left)];
    const GroupKey *of = &groups->keys[group];
    if (of->a == key->a && of->b == key->b && of->c == key->c) return group;
    left &= ~groups->members[group];
  }
  return NO_GROUP;
}

static inline void warp_groups_leave(WarpGroups *groups, uint32_t warp) {
  uint64_t bit = UINT64_C(1) << warp;
  if (groups->resident & bit) groups->members[groups->group_of[warp]] &= ~bit;
  groups->resident &= ~bit;
}

// A warp takes its slot, in a group that is there or, with NO_GROUP, in a new one with that key.
// Returns the group.
static inline uint32_t warp_groups_join(WarpGroups *groups, uint32_t warp, uint32_t group,
                                        const GroupKey *key) {
  warp_groups_leave(groups, warp);
  if (group == NO_GROUP) {
    for (group = 0; groups->members[group];) group++;  // as many as warps: one is free
    groups->keys[group] = *key;
    groups->last[group] = GROUPED_WARPS - 1;  // it begins with its first
  }
  groups->members[group] |= UINT64_C(1) << warp;
  groups->group_of[warp] = (uint8_t)group;
  groups->resident |= UINT64_C(1) << warp;
  return group;
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

#define WARP_GROUPS_STATS(Struct, field)                                                           \
  {.name = "issues", .help = "instructions issued", .offset = STAT_OFFSET_(Struct, field.issues)}, \
  {                                                                                                \
    .name = "group_rate", .help = "issues that stayed with a group", .is_ratio = true,             \
    .offset = STAT_OFFSET_(Struct, field.same_group),                                              \
    .denominator_offset = STAT_OFFSET_(Struct, field.issues)                                       \
  }

#endif
