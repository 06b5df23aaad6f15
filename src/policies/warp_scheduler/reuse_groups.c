// SPDX-License-Identifier: MIT
// The limit study's wavefront scheduler (Tang et al., SIGMETRICS 2018, section 5): the warps of
// CTAs that a known chain of high reuse links are one group; so are those of a CTA that reuses
// its own data. Round robin inside a group, greedy-then-oldest between groups. Each other warp is
// a separate group, which is gto.
//
// Each scheduler of an SM groups its own warps.
#include "policies/shared/profiled_reuse.h"
#include "policies/warp_scheduler/warp_groups.h"

typedef struct ReuseGroups {
  const ProfiledReuse *reuse;
  WarpGroups groups;
  uint64_t in_chains, in_ctas, alone;
} ReuseGroups;

static Status reuse_groups_init(void *state, const PolicySetup *setup, Error *err) {
  (void)err;
  ((ReuseGroups *)state)->reuse = setup->shared;
  return OK;
}

static void reuse_groups_on_warp(void *state, const Requester *requester, bool begins) {
  ReuseGroups *groups = state;
  if (!begins) {
    warp_groups_leave(&groups->groups, requester->warp);
    return;
  }
  ProfiledCta cta = profiled_cta(groups->reuse, requester->kernel, requester->cta);
  GroupKey key = {requester->kernel, requester->cta, requester->warp_in_cta};
  bool is_chained = cta.chain != PROFILE_NONE, is_grouped = is_chained || cta.is_self_high;
  if (is_chained)
    key = (GroupKey){UINT64_MAX, cta.chain, 0};
  else if (is_grouped)
    key.c = UINT64_MAX;
  groups->in_chains += is_chained;
  groups->in_ctas += is_grouped && !is_chained;
  groups->alone += !is_grouped;
  uint32_t group = is_grouped ? warp_groups_find(&groups->groups, &key) : (uint32_t)NO_GROUP;
  warp_groups_join(&groups->groups, requester->warp, group, &key);
}

static int reuse_groups_pick(void *state, const IssueView *view) {
  return warp_groups_pick(&((ReuseGroups *)state)->groups, view, true);
}

static void reuse_groups_on_issue(void *state, const IssueView *view, int warp) {
  (void)view;
  warp_groups_issue(&((ReuseGroups *)state)->groups, warp);
}

static const Stat reuse_groups_stats[] = {
    WARP_GROUPS_STATS(ReuseGroups, groups),
    STAT_COUNT(ReuseGroups, in_chains, "warps grouped by a chain of CTAs"),
    STAT_COUNT(ReuseGroups, in_ctas, "warps grouped by their CTA"),
    STAT_COUNT(ReuseGroups, alone, "warps without a group"),
    {0}};

const WarpSchedulerType reuse_groups_scheduler = {
    .policy = {.name = "reuse_groups",
               .summary = "warps of CTAs with known high reuse in groups (limit study)",
               .state_size = sizeof(ReuseGroups),
               .stats = reuse_groups_stats,
               .shares = "reuse_profile",
               .init = reuse_groups_init},
    .pick = reuse_groups_pick,
    .on_issue = reuse_groups_on_issue,
    .on_warp = reuse_groups_on_warp,
};
