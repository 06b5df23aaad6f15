// SPDX-License-Identifier: MIT
// LASER's wavefront scheduler (Tang et al., SIGMETRICS 2018, sections 5 and 6): the warps of a
// child kernel that is predicted to reuse its parent's data are in one group with the warp that
// launched it, as long as that is resident; children of the same warp are in one group in any
// case. Round robin inside a group, greedy-then-oldest between groups; other warps are groups
// of their own.
//
// Each scheduler of an SM groups the warps that it has.
#include "policies/shared/laser_status.h"
#include "policies/warp_scheduler/warp_groups.h"

// A warp of the machine, wherever it is.
typedef struct WarpName {
  uint32_t kernel, warp;
  uint64_t cta;
} WarpName;

typedef struct LaserWarps {
  const Laser *laser;
  WarpGroups groups;
  WarpName names[GROUPED_WARPS];  // by slot
  WarpName heads[GROUPED_WARPS];  // by group: the warp that it is about
  uint64_t resident;
  uint64_t grouped;
} LaserWarps;

static Status laser_init(void *state, const PolicySetup *setup, Error *err) {
  (void)err;
  ((LaserWarps *)state)->laser = setup->shared;
  return OK;
}

static bool is_same(const WarpName *a, const WarpName *b) {
  return a->kernel == b->kernel && a->cta == b->cta && a->warp == b->warp;
}

// The group that a child of that warp belongs to, NO_GROUP if there is none yet: that of the
// warp itself, or of other children of it.
static uint32_t find_group(const LaserWarps *warps, const WarpName *parent) {
  for (uint64_t left = warps->resident; left; left &= left - 1) {
    uint32_t slot = (uint32_t)__builtin_ctzll(left), group = warps->groups.group_of[slot];
    if (is_same(&warps->names[slot], parent) || is_same(&warps->heads[group], parent)) return group;
  }
  return NO_GROUP;
}

static void place(LaserWarps *warps, const Requester *who) {
  WarpName head = {.kernel = who->kernel, .cta = who->cta, .warp = who->warp_in_cta};
  LaserKernel kernel = laser_kernel(warps->laser, who->kernel);
  uint32_t group = NO_GROUP;
  warps->names[who->warp] = head;
  if (kernel.is_child && !kernel.is_cold && kernel.prediction == MONITOR_PARENT_CHILD) {
    head = (WarpName){
        .kernel = kernel.parent, .cta = kernel.parent_cta, .warp = kernel.parent_warp};
    group = find_group(warps, &head);
    warps->grouped++;
  }
  if (group == NO_GROUP) {
    group = warp_groups_make(&warps->groups, who->warp);
    warps->heads[group] = head;
  }
  warp_groups_join(&warps->groups, who->warp, group);
}

static void laser_on_warp(void *state, const Requester *who, bool begins) {
  LaserWarps *warps = state;
  uint64_t bit = UINT64_C(1) << who->warp;
  if (warps->resident & bit) warp_groups_leave(&warps->groups, who->warp);
  warps->resident &= ~bit;
  if (!begins) return;
  place(warps, who);
  warps->resident |= bit;
}

static int laser_pick(void *state, const IssueView *view) {
  return warp_groups_pick(&((LaserWarps *)state)->groups, view, true);
}

static void laser_on_issue(void *state, const IssueView *view, int warp) {
  (void)view;
  warp_groups_issue(&((LaserWarps *)state)->groups, warp);
}

// A group's number for every warp, and the one that issued last of every group.
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
               .summary = "LASER: children that reuse their parent's data in one group with it",
               .state_size = sizeof(LaserWarps),
               .stats = laser_stats,
               .storage_bits = laser_storage_bits,
               .shares = "laser_status",
               .init = laser_init},
    .pick = laser_pick,
    .on_issue = laser_on_issue,
    .on_warp = laser_on_warp,
};
