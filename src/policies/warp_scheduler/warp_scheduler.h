// SPDX-License-Identifier: MIT
// Warp schedulers: which warp issues next.
//
// To add one, write a file in this folder that defines a WarpSchedulerType (lrr.c is
// the shortest example) and list it in warp_schedulers.def. There is one state per
// scheduler of each SM, or one per SM.
#ifndef POLICIES_WARP_SCHEDULER_WARP_SCHEDULER_H
#define POLICIES_WARP_SCHEDULER_WARP_SCHEDULER_H

#include "base/cycle.h"
#include "policies/l1d_access.h"
#include "policies/policy.h"

// All that a scheduler may know. The SM fills it in; schedulers only read it.
typedef struct IssueView {
  Cycle now;
  uint64_t candidates;     // bit w: warp slot w may be tried; never 0
  uint64_t resident;       // warps of this scheduler that have not ended
  uint64_t waiting_memory; // of those, the ones that wait for a load
  uint64_t at_barrier;     // ... and the ones at a barrier, or waiting for kernels they launch
  // Warps whose next instruction accesses global or local memory; loads of it.
  uint64_t accesses, loads;
  const uint64_t *age;     // age[w]: grows with launch; the smallest is the oldest
  uint32_t scheduler, scheduler_count;
  // Free MSHRs and miss-queue entries of the L1D; only for schedulers that watch it.
  uint32_t l1d_mshrs_free, l1d_queue_free;
} IssueView;

// As an answer: none of the candidates now; the slot passes.
enum { ISSUE_NONE = -1 };

typedef struct WarpSchedulerType {
  PolicyType policy;
  // The schedulers of an SM share one state, which sees all warps; pick is still
  // called per scheduler, with its own candidates.
  bool one_per_sm;
  bool watches_l1d;
  // Its answers follow from its state and the view without `now`, and its state, but for its
  // statistics, has neither times nor counts: it repeats itself where the view does. Cycles in
  // which all warps of an SM only wait for a time are then skipped (sm/waiting/waiting.h).
  bool is_timeless;
  // Returns a warp whose bit is set in view->candidates, or ISSUE_NONE. If the warp cannot
  // issue after all, pick is called again in the same cycle with fewer candidates, so it must
  // not record its result.
  int (*pick)(void *state, const IssueView *view);
  // The rest is optional. The warp issued: once per instruction, so twice where
  // an SM issues two of a warp in one cycle.
  void (*on_issue)(void *state, const IssueView *view, int warp);
  // A warp began or ended a wait for memory.
  void (*on_long_wait)(void *state, int warp, bool begins);
  // A CTA's warp took its slot (requester->warp) or gave it back.
  void (*on_warp)(void *state, const Requester *requester, bool begins);
  // A warp issued a load of global memory (requester->pc).
  void (*on_load)(void *state, const Requester *requester);
  // A load of one of its warps was looked up in the L1D.
  void (*on_access)(void *state, const L1dAccess *access);
  // A line was evicted from the L1D; warp: the warp whose access fetched it.
  void (*on_evict)(void *state, int warp, uint64_t line);
} WarpSchedulerType;

extern const PolicyFamily warp_scheduler_family;

// Asks, and checks the answer.
static inline int warp_scheduler_pick(const WarpSchedulerType *type, void *state,
                                      const IssueView *view) {
  int warp = type->pick(state, view);
  if (warp == ISSUE_NONE) return warp;
  POLICY_REQUIRE(type, warp >= 0 && warp < 64 && (view->candidates >> warp & 1));
  return warp;
}

// For policies: the oldest of a set of warps (not empty).
static inline int oldest_warp(const uint64_t *age, uint64_t warps) {
  int oldest = __builtin_ctzll(warps);
  for (uint64_t left = warps & (warps - 1); left; left &= left - 1) {
    int warp = __builtin_ctzll(left);
    if (age[warp] < age[oldest]) oldest = warp;
  }
  return oldest;
}

// For policies: the first warp of a set after `last`, in circular order.
static inline int next_warp(uint64_t warps, int last) {
  uint64_t behind = last >= 63 ? 0 : warps & (UINT64_MAX << (last + 1));
  return __builtin_ctzll(behind ? behind : warps);
}

#endif
