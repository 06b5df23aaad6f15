// SPDX-License-Identifier: MIT
// LASER's wavefront scheduler (Tang et al., SIGMETRICS 2018, sections 5 and 6): the warps of a
// child kernel that is predicted to reuse its parent's data are in one group with the warp that
// launched it, as long as that is resident; children of the same warp are in one group in any
// case. Round robin inside a group, greedy-then-oldest between groups; each other warp is a
// separate group.
//
// Each scheduler of an SM groups its own warps.
#include "policies/shared/laser_status.h"
#include "policies/warp_scheduler/warp_groups.h"

typedef struct LaserWarps {
  const Laser *laser;
  WarpGroups groups;              // a key is a warp: kernel, CTA and place in the CTA
  GroupKey names[GROUPED_WARPS];  // by slot
  uint64_t grouped;
} LaserWarps;

static Status laser_init(void *state, const PolicySetup *setup, Error *err) {
  (void)err;
  ((LaserWarps *)state)->laser = setup->shared;
  return OK;
}

// The group that a child of that warp belongs to: that of the warp itself, which may be a
// child in turn, or of other children of it; NO_GROUP: neither is there.
static uint32_t group_of_child(const LaserWarps *warps, const GroupKey *parent) {
  for (uint64_t left = warps->groups.resident; left; left &= left - 1) {
    uint32_t slot = (uint32_t)__builtin_ctzll(left);
    const GroupKey *name = &warps->names[slot];
    if (name->a == parent->a && name->b == parent->b && name->c == parent->c)
      return warps->groups.group_of[slot];
  }
  return warp_groups_find(&warps->groups, parent);
}

static void laser_on_warp(void *state, const Requester *requester, bool begins) {
  LaserWarps *warps = state;
  LaserKernel kernel = laser_kernel(warps->laser, requester->kernel);
  GroupKey key = {requester->kernel, requester->cta, requester->warp_in_cta};
  uint32_t group = NO_GROUP;
  warp_groups_leave(&warps->groups, requester->warp);
  if (!begins) return;
  warps->names[requester->warp] = key;
  if (kernel.is_child && !kernel.is_cold && kernel.prediction == MONITOR_PARENT_CHILD) {
    key = (GroupKey){kernel.parent, kernel.parent_cta, kernel.parent_warp};
    group = group_of_child(warps, &key);
    warps->grouped++;
  }
  warp_groups_join(&warps->groups, requester->warp, group, &key);
}

static int laser_pick(void *state, const IssueView *view) {
  return warp_groups_pick(&((LaserWarps *)state)->groups, view, true);
}

static void laser_on_issue(void *state, const IssueView *view, int warp) {
  (void)view;
  warp_groups_issue(&((LaserWarps *)state)->groups, warp);
}

// The group number of every warp, and the last issued warp of every group.
static uint64_t laser_storage_bits(const void *state, uint32_t warps) {
  (void)state;
  uint64_t name_bits = 1;
  while (UINT64_C(1) << name_bits < warps) name_bits++;
  return 2 * warps * name_bits;
}

static const Stat laser_stats[] = {
    WARP_GROUPS_STATS(LaserWarps, groups),
    STAT_COUNT(LaserWarps, grouped, "warps of children that were grouped with their parent's"),
    {0}};

const WarpSchedulerType laser_warps_scheduler = {
    .policy = {.name = "laser_warps",
               .summary = "LASER: groups children with the parent whose data they reuse",
               .state_size = sizeof(LaserWarps),
               .stats = laser_stats,
               .storage_bits = laser_storage_bits,
               .shares = "laser_status",
               .init = laser_init},
    .pick = laser_pick,
    .on_issue = laser_on_issue,
    .on_warp = laser_on_warp,
};
