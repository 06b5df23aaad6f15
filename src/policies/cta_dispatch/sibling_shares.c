// SPDX-License-Identifier: MIT
// CTAs of sibling kernels by their position, where that is measured to be faster: CTAs in the same
// position of their grids often read the same lines (CTA i of every child of a product of matrices
// reads the same columns; CTA i of every child of a search visits the same part of the sorted
// nodes). Each position has a share of the SMs, whatever the parent CTA, and goes to the first SM
// of its share with room; an SM without any CTA takes those of others.
//
// Not a rule for all programs: shares cost balance, and gain nothing where lines fit the L1D or
// where all positions read the same. Therefore the usual placement (round robin over all SMs) holds
// until a trial (placement_trial.h) has shown a gain, and trials begin only while at least
// `least_lost` of the loads miss lines that their SM had read (l1d_progress.h) and most CTAs are of
// children with several. With `guard=false` shares always hold.
#include "policies/cta_dispatch/cta_queues.h"
#include "policies/cta_dispatch/placement_trial.h"
#include "policies/shared/l1d_progress.h"

typedef struct SiblingShares {
  bool guard;  // parameters
  double margin, least_lost;
  uint32_t least_cycles, rest_epochs, hold_epochs;
  L1dProgress *const *progress;  // by SM
  uint32_t sm_count, last_sm;
  uint64_t resident;
  PlacementTrial trial;
  // of the epoch
  uint64_t ends, positioned_ends, sampled_before, lost_before;
  // counters
  uint64_t placed, taken_idle;
} SiblingShares;

static Status shares_init(void *state, const PolicySetup *setup, Error *err) {
  SiblingShares *shares = state;
  (void)err;
  shares->progress = (L1dProgress *const *)setup->shared_by_sm;
  shares->sm_count = setup->machine->sm_count;
  shares->last_sm = shares->sm_count - 1;
  shares->trial = (PlacementTrial){.margin = shares->margin,
                                   .least_cycles = shares->least_cycles,
                                   .rest_epochs = shares->rest_epochs,
                                   .hold_epochs = shares->hold_epochs};
  return OK;
}

static bool is_positioned(const KernelView *kernel) {
  return kernel->launch->origin.has_parent && kernel->cta_count > 1;
}

// ---- trials

static void shares_on_cta_start(void *state, const CtaView *cta) {
  (void)cta;
  ((SiblingShares *)state)->resident++;
}

static void shares_on_cta_suspend(void *state, const CtaView *cta) {
  SiblingShares *shares = state;
  (void)cta;
  if (shares->resident) shares->resident--;
}

// Whether the last epoch lost lines, and to CTAs that have a position.
static bool may_try(SiblingShares *shares) {
  uint64_t sampled = 0, lost = 0;
  for (uint32_t s = 0; s < shares->sm_count; s++) {
    sampled += shares->progress[s]->sampled;
    lost += shares->progress[s]->lost;
  }
  bool loses = (double)(lost - shares->lost_before) >
               shares->least_lost * (double)(sampled - shares->sampled_before);
  bool is_positioned_mostly = 2 * shares->positioned_ends > shares->ends;
  shares->sampled_before = sampled;
  shares->lost_before = lost;
  shares->ends = shares->positioned_ends = 0;
  return loses && is_positioned_mostly;
}

static void shares_on_cta_end(void *state, const CtaView *cta) {
  SiblingShares *shares = state;
  if (shares->resident) shares->resident--;
  if (!shares->guard) return;
  shares->ends++;
  shares->positioned_ends += is_positioned(cta->kernel);
  uint64_t loads = 0;
  double rate;
  for (uint32_t s = 0; s < shares->sm_count; s++) loads += shares->progress[s]->loads;
  if (placement_trial_on_end(&shares->trial, cta->now, loads, shares->resident, &rate))
    placement_trial_next(&shares->trial, rate, may_try(shares));
}

// ---- dispatching

// The first waiting CTA from cta up to end; end: none waits.
static uint64_t waiting_from(const DispatchKernel *kernel, uint64_t cta, uint64_t end) {
  if (cta < kernel->next_cta) cta = kernel->next_cta;
  while (cta < end && dispatch_is_out(kernel, cta)) cta++;
  return cta < end ? cta : end;
}

// The waiting CTA of the kernel whose share of the SMs includes this one. Positions are as evenly
// distributed as they can be: if there are more CTAs than SMs, an SM has several adjacent ones,
// else a CTA has several adjacent SMs.
static bool cta_of_sm(const DispatchKernel *kernel, uint64_t sms, uint64_t sm, uint64_t *cta) {
  uint64_t ctas = kernel->view.cta_count;
  uint64_t first = ctas < sms ? ((sm + 1) * ctas - 1) / sms : (sm * ctas + sms - 1) / sms;
  uint64_t end = ctas < sms ? first + 1 : ((sm + 1) * ctas + sms - 1) / sms;
  *cta = waiting_from(kernel, first, end);
  return *cta < end;
}

static bool choose(SiblingShares *shares, DispatchChoice *choice, uint32_t sm, uint64_t cta) {
  choice->sm = shares->last_sm = sm;
  choice->cta = cta;
  return true;
}

static bool pick_usual(void *state, const DispatchView *view, const DispatchKernel *kernel,
                       DispatchChoice *choice) {
  SiblingShares *shares = state;
  uint32_t sm = dispatch_next_sm(view, kernel, shares->last_sm);
  return choose(shares, choice, sm, kernel->next_cta);
}

static bool pick_by_share(void *state, const DispatchView *view, const DispatchKernel *kernel,
                          DispatchChoice *choice) {
  SiblingShares *shares = state;
  if (!is_positioned(&kernel->view)) return pick_usual(state, view, kernel, choice);
  for (uint32_t i = 1; i <= view->sm_count; i++) {
    uint32_t sm = (shares->last_sm + i) % view->sm_count;
    uint64_t cta;
    if (!dispatch_has_room(kernel, sm) || !cta_of_sm(kernel, view->sm_count, sm, &cta)) continue;
    shares->placed++;
    return choose(shares, choice, sm, cta);
  }
  return false;
}

// An SM that holds no CTA: as many of the kernel fit as on an empty one.
static bool pick_for_idle(void *state, const DispatchView *view, const DispatchKernel *kernel,
                          DispatchChoice *choice) {
  SiblingShares *shares = state;
  for (uint32_t i = 1; i <= view->sm_count; i++) {
    uint32_t sm = (shares->last_sm + i) % view->sm_count;
    if (!dispatch_has_room(kernel, sm)) continue;
    if (kernel->free_ctas[sm] < kernel->view.max_ctas_per_sm) continue;
    shares->taken_idle++;
    return choose(shares, choice, sm, kernel->next_cta);
  }
  return false;
}

static bool shares_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  SiblingShares *shares = state;
  CooperativePick cooperative = dispatch_cooperative(view, shares->last_sm, choice);
  if (cooperative == DISPATCH_CHOSEN) shares->last_sm = choice->sm;
  if (cooperative != DISPATCH_NOT_COOPERATIVE) return cooperative == DISPATCH_CHOSEN;
  if (shares->guard && !shares->trial.is_other)
    return dispatch_by_kernel(state, view, choice, pick_usual);
  return dispatch_by_kernel(state, view, choice, pick_by_share) ||
         dispatch_by_kernel(state, view, choice, pick_for_idle);
}

static const Param shares_params[] = {
    PARAM(SiblingShares, guard, true, 0, 1,
          "place by position only where a trial has shown a gain; false: always"),
    PARAM(SiblingShares, margin, 0.04, 0, 10, "relative gain that a trial must show"),
    PARAM(SiblingShares, least_lost, 0.1, 0, 1,
          "fraction of loads that miss lines read before, for a trial to begin"),
    PARAM(SiblingShares, least_cycles, 4000, 1, 1 << 30, "measured part of an epoch in cycles"),
    PARAM(SiblingShares, rest_epochs, 8, 1, 1 << 20,
          "epochs from a failed trial to the next; doubled with each failure"),
    PARAM(SiblingShares, hold_epochs, 16, 1, 1 << 20, "epochs between checks of a gain"),
    {0}};

#define TRIAL_STAT(name_, help_) \
  { .name = #name_, .help = (help_), .offset = STAT_OFFSET_(SiblingShares, trial.name_) }

static const Stat shares_stats[] = {
    STAT_COUNT(SiblingShares, placed, "CTAs placed by their position"),
    STAT_COUNT(SiblingShares, taken_idle, "CTAs taken by an SM without any"),
    TRIAL_STAT(epochs, "epochs"),
    TRIAL_STAT(epochs_other, "of these: by position"),
    TRIAL_STAT(trials, "trials of placement by position"),
    TRIAL_STAT(taken, "of these: with a gain"),
    TRIAL_STAT(given_up, "gains that a later check did not confirm"),
    {0}};

const CtaDispatchType sibling_shares_dispatch = {
    .policy = {.name = "sibling_shares",
               .summary = "CTAs of siblings by position, while trials show that it is faster",
               .state_size = sizeof(SiblingShares),
               .params = shares_params,
               .stats = shares_stats,
               .shares = "l1d_progress",
               .init = shares_init,
               .on_cta_start = shares_on_cta_start,
               .on_cta_end = shares_on_cta_end,
               .on_cta_suspend = shares_on_cta_suspend,
               .on_cta_resume = shares_on_cta_start},
    .pick = shares_pick,
};
