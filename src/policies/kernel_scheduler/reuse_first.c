// SPDX-License-Identifier: MIT
// The limit study's kernel scheduler (Tang et al., SIGMETRICS 2018, algorithm 1): of the
// pending kernels, the one with the highest reuse ratio to one that runs. If none has a high
// ratio, the first.
#include "policies/kernel_scheduler/kernel_scheduler.h"
#include "policies/shared/profiled_reuse.h"

typedef struct ReuseFirst {
  const ProfiledReuse *reuse;
  uint64_t by_reuse, in_order;
} ReuseFirst;

static Status reuse_first_init(void *state, const PolicySetup *setup, Error *err) {
  (void)err;
  ((ReuseFirst *)state)->reuse = setup->shared;
  return OK;
}

static uint32_t best_ratio(const ProfiledReuse *reuse, const KernelQueueView *view,
                           const KernelView *pending) {
  uint32_t best = 0;
  if (profiled_kernel(reuse, pending->id) == PROFILE_NONE) return 0;
  for (uint32_t r = 0; r < view->running_count; r++) {
    uint32_t ratio = profiled_ratio(reuse, pending->id, view->running[r].id);
    if (ratio > best) best = ratio;
  }
  return best;
}

static uint32_t reuse_first_pick(void *state, const KernelQueueView *view) {
  ReuseFirst *first = state;
  uint32_t best = 0, best_so_far = 0;
  for (uint32_t p = 0; p < view->pending_count && view->pending_count > 1; p++) {
    uint32_t ratio = best_ratio(first->reuse, view, &view->pending[p]);
    if (ratio <= best_so_far) continue;
    best = p;
    best_so_far = ratio;
  }
  first->by_reuse += best_so_far > 0;
  first->in_order += !best_so_far;
  return best;
}

static const Stat reuse_first_stats[] = {
    STAT_COUNT(ReuseFirst, by_reuse, "kernels chosen by their reuse ratio"),
    STAT_COUNT(ReuseFirst, in_order, "kernels taken in submission order"),
    {0}};

const KernelSchedulerType reuse_first_kernel_scheduler = {
    .policy = {.name = "reuse_first",
               .summary = "highest known reuse ratio to a running kernel (limit study)",
               .state_size = sizeof(ReuseFirst),
               .stats = reuse_first_stats,
               .shares = "reuse_profile",
               .init = reuse_first_init},
    .pick = reuse_first_pick,
};
