// SPDX-License-Identifier: MIT
// The limit study's work-group scheduler (Tang et al., SIGMETRICS 2018, algorithm 2): a chain, CTAs
// linked by high reuse ratios, is enqueued at one SM, that with the shortest queue when the
// chain's first CTA can run. An SM with free resources takes the first CTA of its queue, and steals
// if that is empty. CTAs do not migrate.
//
// A chain may span kernels that start at different times: later ones follow the chain to its SM.
// A CTA without high ratios is a chain by itself. CTAs of unknown kernels are distributed over all
// queues, round robin.
#include "base/memory.h"
#include "policies/cta_dispatch/cta_queues.h"
#include "policies/shared/profiled_reuse.h"

static const char *const steal_ends[] = {"head", "tail", NULL};

typedef struct ReuseChains {
  uint32_t steal, steal_from;  // parameters
  const ProfiledReuse *reuse;
  CtaQueues queues;
  uint32_t *sm_of_chain;  // PROFILE_NONE: none yet
  uint32_t last_queued, last_sm;
  uint64_t chained;
  StealCounts counts;
} ReuseChains;

static Status reuse_chains_init(void *state, const PolicySetup *setup, Error *err) {
  ReuseChains *chains = state;
  (void)err;
  chains->reuse = setup->shared;
  chains->last_queued = chains->last_sm = setup->machine->sm_count - 1;
  cta_queues_init(&chains->queues, setup->machine->sm_count, setup->arena);
  uint64_t count = chains->reuse->profile.chain_count;
  chains->sm_of_chain = ARENA_ARRAY(setup->arena, uint32_t, count);
  for (uint64_t c = 0; c < count; c++) chains->sm_of_chain[c] = PROFILE_NONE;
  return OK;
}

static void reuse_chains_clear(void *state) {
  cta_queues_clear(&((ReuseChains *)state)->queues);
}

// ---- queueing

static uint32_t shortest(ReuseChains *chains) {
  return chains->last_queued = cta_queues_shortest(&chains->queues, chains->last_queued);
}

static void queue_cta(ReuseChains *chains, uint32_t kernel, uint64_t cta) {
  uint32_t chain = profiled_cta(chains->reuse, kernel, cta).chain;
  CtaRun run = {.kernel = kernel, .first = cta, .count = 1, .stride = 1};
  if (chain == PROFILE_NONE) {
    cta_queues_push(&chains->queues, shortest(chains), run);
    return;
  }
  uint32_t *sm = &chains->sm_of_chain[chain];
  if (*sm == PROFILE_NONE) *sm = shortest(chains);
  chains->chained++;
  cta_queues_push(&chains->queues, *sm, run);
}

static void queue_kernel(ReuseChains *chains, const KernelView *view) {
  cta_queues_note(&chains->queues, view->id);
  if (dispatch_is_cooperative(view)) return;
  if (profiled_kernel(chains->reuse, view->id) == PROFILE_NONE) {
    chains->last_queued = cta_queues_spread(&chains->queues, view, 0, chains->last_queued);
    return;
  }
  for (uint64_t cta = 0; cta < view->cta_count; cta++) queue_cta(chains, view->id, cta);
}

static void reuse_chains_on_kernel_start(void *state, const KernelView *kernel) {
  queue_kernel(state, kernel);
}

static void reuse_chains_on_kernel_end(void *state, const KernelView *kernel) {
  cta_queues_forget(&((ReuseChains *)state)->queues, kernel->id);
}

// ---- dispatching

static bool reuse_chains_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  ReuseChains *chains = state;
  for (uint32_t k = 0; k < view->kernel_count; k++)
    if (!cta_queues_knows(&chains->queues, view->kernels[k].view.id))
      queue_kernel(chains, &view->kernels[k].view);
  CooperativePick cooperative = dispatch_cooperative(view, chains->last_sm, choice);
  if (cooperative == DISPATCH_CHOSEN) chains->last_sm = choice->sm;
  if (cooperative != DISPATCH_NOT_COOPERATIVE) return cooperative == DISPATCH_CHOSEN;
  return cta_queues_pick(&chains->queues, view, chains->steal, chains->steal_from, &chains->last_sm,
                         &chains->counts, choice);
}

static const Param reuse_chains_params[] = {
    PARAM_CHOICE(
        ReuseChains, steal, STEAL_WHEN_EMPTY, steal_rules,
        "when an SM with room and an empty queue steals; full: only from SMs without room"),
    PARAM_CHOICE(ReuseChains, steal_from, CTA_LAST, steal_ends, "end of the queue stolen from"),
    {0}};

static const Stat reuse_chains_stats[] = {
    STAT_COUNT(ReuseChains, chained, "CTAs that followed a chain"),
    {.name = "own",
     .help = "CTAs dispatched from the SM's own queue",
     .offset = STAT_OFFSET_(ReuseChains, counts.own)},
    {.name = "stolen",
     .help = "CTAs stolen from another SM's queue",
     .offset = STAT_OFFSET_(ReuseChains, counts.stolen)},
    {0}};

const CtaDispatchType reuse_chains_dispatch = {
    .policy = {.name = "reuse_chains",
               .summary =
                   "known chains of high reuse to one SM, queues per SM, stealing (limit study)",
               .state_size = sizeof(ReuseChains),
               .params = reuse_chains_params,
               .stats = reuse_chains_stats,
               .shares = "reuse_profile",
               .init = reuse_chains_init,
               .clear = reuse_chains_clear,
               .on_kernel_start = reuse_chains_on_kernel_start,
               .on_kernel_end = reuse_chains_on_kernel_end},
    .pick = reuse_chains_pick,
};
