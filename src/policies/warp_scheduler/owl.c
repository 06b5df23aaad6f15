// SPDX-License-Identifier: MIT
// OWL's locality-aware scheduler: Jog et al., "OWL: Cooperative Thread Array Aware Scheduling
// Techniques for Improving GPGPU Performance", ASPLOS 2013, the first two of its four
// techniques, which Tang et al. (SIGMETRICS 2018) compare LASER with as OWL-locality.
//
// CTA-aware two-level scheduling: the CTAs of an SM form groups of as few CTAs as have
// `group_warps` warps; round robin over the warps of a group. Locality: the same, oldest group
// is preferred whenever one of its warps can issue, so that fewer CTAs use the L1D at a time;
// the next group has its turn only while all warps of those before it wait.
//
// From the paper's description as recalled, not yet checked against its text: the size of a
// group, and that a new CTA fills the youngest group before it begins another. Its techniques
// for DRAM banks and prefetching by memory controllers are not here.
#include "policies/warp_scheduler/warp_groups.h"

typedef struct Owl {
  uint32_t group_warps;  // parameter
  WarpGroups groups;
  struct {
    uint32_t kernel;
    uint64_t cta;
  } ctas[GROUPED_WARPS];  // by slot
  uint32_t youngest;
} Owl;

static Status owl_init(void *state, const PolicySetup *setup, Error *err) {
  (void)setup, (void)err;
  ((Owl *)state)->youngest = NO_GROUP;
  return OK;
}

// That of the CTA's other warps; else the youngest, if it is too small.
static uint32_t find_group(const Owl *owl, const Requester *requester) {
  const WarpGroups *groups = &owl->groups;
  for (uint64_t left = groups->resident; left; left &= left - 1) {
    uint32_t slot = (uint32_t)__builtin_ctzll(left);
    if (owl->ctas[slot].kernel == requester->kernel && owl->ctas[slot].cta == requester->cta)
      return groups->group_of[slot];
  }
  if (owl->youngest == NO_GROUP) return NO_GROUP;
  uint32_t warps = (uint32_t)__builtin_popcountll(groups->members[owl->youngest]);
  return warps && warps < owl->group_warps ? owl->youngest : NO_GROUP;
}

static void owl_on_warp(void *state, const Requester *requester, bool begins) {
  Owl *owl = state;
  warp_groups_leave(&owl->groups, requester->warp);
  if (!begins) return;
  uint32_t group = find_group(owl, requester);
  owl->ctas[requester->warp].kernel = requester->kernel;
  owl->ctas[requester->warp].cta = requester->cta;
  bool is_new = group == NO_GROUP;
  group = warp_groups_join(&owl->groups, requester->warp, group, &(GroupKey){0});
  if (is_new) owl->youngest = group;
}

static int owl_pick(void *state, const IssueView *view) {
  return warp_groups_pick(&((Owl *)state)->groups, view, false);
}

static void owl_on_issue(void *state, const IssueView *view, int warp) {
  (void)view;
  warp_groups_issue(&((Owl *)state)->groups, warp);
}

// A group's number for every warp.
static uint64_t owl_storage_bits(const void *state, uint32_t warps) {
  (void)state;
  uint64_t name_bits = 1;
  while (UINT64_C(1) << name_bits < warps) name_bits++;
  return warps * name_bits;
}

static const Param owl_params[] = {
    PARAM(Owl, group_warps, 8, 1, 64, "warps at which a group takes no further CTA"), {0}};

static const Stat owl_stats[] = {WARP_GROUPS_STATS(Owl, groups), {0}};

const WarpSchedulerType owl_scheduler = {
    .policy = {.name = "owl",
               .summary = "OWL: groups of CTAs, the oldest group first",
               .state_size = sizeof(Owl),
               .params = owl_params,
               .stats = owl_stats,
               .storage_bits = owl_storage_bits,
               .init = owl_init},
    .one_per_sm = true,
    .pick = owl_pick,
    .on_issue = owl_on_issue,
    .on_warp = owl_on_warp,
};
