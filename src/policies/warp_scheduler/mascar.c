// SPDX-License-Identifier: MIT
// Mascar: while memory is saturated, one warp at a time may access it, and
// the others compute.
//
// Sethia, Jamshidi and Mahlke, "Mascar: Speeding up GPU Warps by Reducing Memory
// Pitstops", HPCA 2015. Unsaturated, warps about to access memory have priority, round
// robin. Saturated (the L1D has few free MSHRs or miss-queue entries), warps that
// compute have priority and only the owner may access memory. It remains owner until it
// stalls on its loads; then the oldest warp about to access memory becomes the owner.
// The loads of one warp thus return together, and it can compute.
//
// The second part of the paper, a queue for reads that the L1D rejects, is part of the
// machine: sm.l1_replay_entries = 32, set with --set or in a study.
//
// Simplified: one owner per scheduler, not per SM. The saturation threshold is our
// choice.
#include "policies/warp_scheduler/warp_scheduler.h"

enum { NOBODY = -1 };

typedef struct Mascar {
  uint32_t mshrs, queue;  // parameters
  int last;
  int owner_plus_1;  // 0: none
  uint64_t issues, saturated_issues, owners;
} Mascar;

static bool is_saturated(const Mascar *mascar, const IssueView *view) {
  return view->l1d_mshrs_free <= mascar->mshrs || view->l1d_queue_free <= mascar->queue;
}

// Whether the owner keeps its right though it may not be able to issue.
static bool owner_stays(const Mascar *mascar, const IssueView *view) {
  if (!mascar->owner_plus_1) return false;
  uint64_t owner = UINT64_C(1) << (mascar->owner_plus_1 - 1);
  // At a barrier it may wait for warps that its ownership keeps from memory.
  if (!(view->resident & ~view->at_barrier & owner)) return false;
  return (view->candidates & owner) || !(view->waiting_memory & owner);
}

static int next_owner(const Mascar *mascar, const IssueView *view) {
  if (owner_stays(mascar, view)) return mascar->owner_plus_1 - 1;
  uint64_t wanting = view->candidates & view->accesses;
  return wanting ? oldest_warp(view->age, wanting) : NOBODY;
}

static int mascar_pick(void *state, const IssueView *view) {
  const Mascar *mascar = state;
  uint64_t computing = view->candidates & ~view->accesses;
  uint64_t accessing = view->candidates & view->accesses;
  if (!is_saturated(mascar, view)) return next_warp(accessing ? accessing : computing, mascar->last);
  if (computing) return next_warp(computing, mascar->last);
  int owner = next_owner(mascar, view);
  return owner != NOBODY && (accessing >> owner & 1) ? owner : ISSUE_NONE;
}

static void mascar_on_issue(void *state, const IssueView *view, int warp) {
  Mascar *mascar = state;
  bool saturated = is_saturated(mascar, view);
  mascar->last = warp;
  mascar->issues++;
  mascar->saturated_issues += saturated;
  if (!saturated || !(view->accesses >> warp & 1)) return;
  mascar->owners += warp + 1 != mascar->owner_plus_1;
  mascar->owner_plus_1 = warp + 1;
}

static const Param mascar_params[] = {
    PARAM(Mascar, mshrs, 4, 0, 1024, "free MSHRs at which memory counts as saturated"),
    PARAM(Mascar, queue, 2, 0, 1024, "free miss queue entries at which memory counts as saturated"),
    {0}};

static const Stat mascar_stats[] = {
    STAT_COUNT(Mascar, issues, "instructions issued"),
    STAT_RATIO(Mascar, saturated_rate, saturated_issues, issues,
               "of which while memory was saturated"),
    STAT_COUNT(Mascar, owners, "changes of the warp that owns memory"),
    {0}};

const WarpSchedulerType mascar_scheduler = {
    .policy = {.name = "mascar",
               .summary = "one warp at a time accesses memory while saturated",
               .state_size = sizeof(Mascar),
               .params = mascar_params,
               .stats = mascar_stats},
    .watches_l1d = true,
    .pick = mascar_pick,
    .on_issue = mascar_on_issue,
};
