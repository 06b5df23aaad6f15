// SPDX-License-Identifier: MIT
// LASER's work-group scheduler (Tang et al., SIGMETRICS 2018, section 6): each SM has a queue of
// CTAs. CTAs of a child are enqueued at the SM on which its parent CTA is resident, according to
// the schedule status table; those of the host's kernels at all SMs, round robin. An SM with free
// resources takes the first CTA of its queue, and steals from the longest if its own is empty.
//
// The queues are in global memory in the paper, which does not state the cost of an access:
// `queue_cycles` is the delay until a queued CTA can be fetched, zero by default.
//
// Left open by the paper: the queue of children whose parent CTA has completed, which is the usual
// case after a launch latency of at least 21,931 cycles (`orphans`: the shortest queue, or the SM
// that launched them); whether children with the low flag are also bound to their parent's SM
// (`bind`: the text does not distinguish); and from which end a CTA is stolen (`steal_from`).
// `place=position` is another reading of sibling reuse, which is among CTAs in the same position of
// their grids (CTA i of every child of SPMM reads the same columns): such CTAs of siblings go to
// one SM, wherever their parent runs. With `place=share` each position has an equal share of the
// SMs, whatever the parent CTA, and a CTA goes to the one of them with the shortest queue: CTAs
// that read the same lines meet, and all SMs have work.
#include "policies/cta_dispatch/cta_queues.h"
#include "policies/shared/laser_status.h"

typedef enum OrphanRule { ORPHANS_SPREAD, ORPHANS_STAY } OrphanRule;
static const char *const orphan_rules[] = {"spread", "stay", NULL};
typedef enum BindRule { BIND_ALL, BIND_HIGH } BindRule;
static const char *const bind_rules[] = {"all", "high", NULL};
typedef enum PlaceRule { PLACE_PARENT, PLACE_POSITION, PLACE_SHARE } PlaceRule;
static const char *const place_rules[] = {"parent", "position", "share", NULL};
static const char *const steal_ends[] = {"head", "tail", NULL};

typedef struct LaserDispatch {
  uint32_t queue_cycles, steal, steal_from, orphans, bind, place;  // parameters
  const Laser *laser;
  CtaQueues queues;
  uint32_t last_queued, last_sm;
  uint64_t bound, orphaned, positioned;
  StealCounts counts;
} LaserDispatch;

static Status laser_init(void *state, const PolicySetup *setup, Error *err) {
  LaserDispatch *dispatch = state;
  (void)err;
  uint32_t sms = setup->machine->sm_count;
  dispatch->laser = setup->shared;
  dispatch->last_queued = dispatch->last_sm = sms - 1;
  cta_queues_init(&dispatch->queues, sms, setup->arena);
  return OK;
}

static void laser_clear(void *state) {
  cta_queues_clear(&((LaserDispatch *)state)->queues);
}

// ---- queueing

// Children of one parent CTA begin at the same SM; those of the next where it would have ended.
static void queue_by_position(LaserDispatch *dispatch, const KernelView *view,
                              const LaserKernel *kernel, CtaRun run) {
  uint32_t sms = dispatch->queues.count;
  run.count = 1;
  for (run.first = 0; run.first < view->cta_count; run.first++) {
    uint64_t position = (uint64_t)kernel->parent_cta * view->cta_count + run.first;
    cta_queues_push(&dispatch->queues, (uint32_t)(position % sms), run);
  }
  dispatch->positioned++;
}

// The SM with the shortest queue of those from first up to end; of equal ones the first after the
// last that was chosen.
static uint32_t shortest_of(const LaserDispatch *dispatch, uint32_t first, uint32_t end) {
  const CtaQueue *queues = dispatch->queues.queues;
  uint32_t count = end - first, best = first;
  uint64_t least = UINT64_MAX;
  for (uint32_t i = 1; i <= count; i++) {
    uint32_t sm = first + (dispatch->last_queued + i) % count;
    if (queues[sm].ctas >= least) continue;
    least = queues[sm].ctas;
    best = sm;
  }
  return best;
}

static void queue_by_share(LaserDispatch *dispatch, const KernelView *view, CtaRun run) {
  uint64_t sms = dispatch->queues.count, ctas = view->cta_count;
  run.count = 1;
  for (run.first = 0; run.first < ctas; run.first++) {
    uint32_t first = (uint32_t)(run.first * sms / ctas);
    uint32_t end = (uint32_t)((run.first + 1) * sms / ctas);
    uint32_t sm = shortest_of(dispatch, first, end > first ? end : first + 1);
    cta_queues_push(&dispatch->queues, sm, run);
    dispatch->last_queued = sm;
  }
  dispatch->positioned++;
}

static void queue_kernel(LaserDispatch *dispatch, const KernelView *view) {
  LaserKernel kernel = laser_kernel(dispatch->laser, view->id);
  CtaRun run = {.kernel = view->id,
                .count = view->cta_count,
                .stride = 1,
                .ready = view->now + dispatch->queue_cycles};
  cta_queues_note(&dispatch->queues, view->id);
  if (dispatch_is_cooperative(view)) return;
  if (!kernel.is_child || (dispatch->bind == BIND_HIGH && !kernel.is_high)) {
    dispatch->last_queued =
        cta_queues_spread(&dispatch->queues, view, dispatch->queue_cycles, dispatch->last_queued);
    return;
  }
  if (dispatch->place == PLACE_POSITION) {
    queue_by_position(dispatch, view, &kernel, run);
    return;
  }
  if (dispatch->place == PLACE_SHARE) {
    queue_by_share(dispatch, view, run);
    return;
  }
  uint32_t sm = laser_where(dispatch->laser, kernel.parent, kernel.parent_cta);
  dispatch->bound += sm != LASER_NOWHERE;
  dispatch->orphaned += sm == LASER_NOWHERE;
  if (sm == LASER_NOWHERE && dispatch->orphans == ORPHANS_STAY) sm = view->launch->origin.parent_sm;
  if (sm == LASER_NOWHERE)
    sm = dispatch->last_queued = cta_queues_shortest(&dispatch->queues, dispatch->last_queued);
  cta_queues_push(&dispatch->queues, sm, run);
}

static void laser_on_kernel_start(void *state, const KernelView *kernel) {
  queue_kernel(state, kernel);
}

static void laser_on_kernel_end(void *state, const KernelView *kernel) {
  cta_queues_forget(&((LaserDispatch *)state)->queues, kernel->id);
}

// ---- dispatching

static bool laser_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  LaserDispatch *dispatch = state;
  for (uint32_t k = 0; k < view->kernel_count; k++)
    if (!cta_queues_knows(&dispatch->queues, view->kernels[k].view.id))
      queue_kernel(dispatch, &view->kernels[k].view);
  CooperativePick cooperative = dispatch_cooperative(view, dispatch->last_sm, choice);
  if (cooperative == DISPATCH_CHOSEN) dispatch->last_sm = choice->sm;
  if (cooperative != DISPATCH_NOT_COOPERATIVE) return cooperative == DISPATCH_CHOSEN;
  return cta_queues_pick(&dispatch->queues, view, dispatch->steal, dispatch->steal_from,
                         &dispatch->last_sm, &dispatch->counts, choice);
}

static const Param laser_params[] = {
    PARAM_CHOICE(
        LaserDispatch, steal, STEAL_WHEN_EMPTY, steal_rules,
        "when an SM with room and an empty queue steals; full: only from SMs without room; idle: "
        "only if it holds no CTA"),
    PARAM_CHOICE(LaserDispatch, steal_from, CTA_LAST, steal_ends, "end of the queue stolen from"),
    PARAM_CHOICE(LaserDispatch, orphans, ORPHANS_SPREAD, orphan_rules,
                 "children whose parent CTA has completed: to the shortest queue, or to the SM "
                 "that launched them"),
    PARAM_CHOICE(LaserDispatch, bind, BIND_ALL, bind_rules,
                 "children that go to their parent's SM: all, or those with the high flag"),
    PARAM_CHOICE(LaserDispatch, place, PLACE_PARENT, place_rules,
                 "SM of a child's CTAs: the parent CTA's; by their position in the grid, alike for "
                 "siblings; or the least loaded of its position's share of the SMs"),
    PARAM(LaserDispatch, queue_cycles, 0, 0, 1 << 20,
          "dispatch latency of a queued CTA in cycles: queues are in global memory"),
    {0}};

static const Stat laser_stats[] = {
    STAT_COUNT(LaserDispatch, bound, "child kernels queued at the SM of their parent CTA"),
    STAT_COUNT(LaserDispatch, orphaned, "child kernels whose parent CTA had completed"),
    STAT_COUNT(LaserDispatch, positioned, "child kernels queued by the positions of their CTAs"),
    {.name = "own",
     .help = "CTAs dispatched from the SM's own queue",
     .offset = STAT_OFFSET_(LaserDispatch, counts.own)},
    {.name = "stolen",
     .help = "CTAs stolen from another SM's queue",
     .offset = STAT_OFFSET_(LaserDispatch, counts.stolen)},
    {.name = "most_queued",
     .help = "maximum queued CTAs",
     .offset = STAT_OFFSET_(LaserDispatch, queues.most_queued)},
    {0}};

const CtaDispatchType laser_ctas_dispatch = {
    .policy = {.name = "laser_ctas",
               .summary = "LASER: children to their parent's SM, queues per SM, stealing",
               .state_size = sizeof(LaserDispatch),
               .params = laser_params,
               .stats = laser_stats,
               .shares = "laser_status",
               .init = laser_init,
               .clear = laser_clear,
               .on_kernel_start = laser_on_kernel_start,
               .on_kernel_end = laser_on_kernel_end},
    .pick = laser_pick,
};
