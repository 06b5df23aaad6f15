// SPDX-License-Identifier: MIT
// LaPerm (Wang, Rubin, Sidelnik and Yalamanchili, "LaPerm: Locality Aware Scheduler for Dynamic
// Parallelism on GPUs", ISCA 2016): CTAs of child kernels have priority over those of their
// parents (binding=none), are bound to the SM of the CTA that launched them (binding=sm), and may
// be stolen by idle SMs (binding=adaptive, the paper's LaPerm).
//
// Each SM has one queue per priority level: kernels of the host have level 0, a child one more
// than its parent. An SM with free resources takes, in this order:
//   1. from its own queues, the highest level first;
//   2. the next CTA of the host's kernels, round robin over the SMs;
//   3. adaptive: from the queues of one other SM, its backup, until those are empty; then the
//      next SM with work becomes the backup. Stages 1 and 2 of all SMs precede stage 3 of any,
//      so that a child leaves its parent's SM only if that cannot start it immediately.
//
// From the paper's description as recalled, not yet checked against its text: the order of the
// stages and the backup. Simplified: queues are unbounded (the paper's overflow from an on-chip
// table to memory). Left open by the paper: a CTA at the head of the highest level that does not
// fit yet blocks the SM's other queues, so that it is not starved.
#include "policies/cta_dispatch/cta_queues.h"

typedef enum BindingRule { BINDING_NONE, BINDING_SM, BINDING_ADAPTIVE } BindingRule;
static const char *const binding_rules[] = {"none", "sm", "adaptive", NULL};

typedef struct LapermCtas {
  uint32_t binding, levels;  // parameters
  CtaQueues queues;          // by SM and level; without binding, SM 0's are everybody's
  uint32_t *backup;          // by SM
  uint32_t sm_count, last_sm, last_backup;
  uint64_t own, parents, backups;
} LapermCtas;

static Status laperm_init(void *state, const PolicySetup *setup, Error *err) {
  LapermCtas *laperm = state;
  (void)err;
  laperm->sm_count = setup->machine->sm_count;
  laperm->last_sm = laperm->sm_count - 1;
  laperm->backup = ARENA_ARRAY(setup->arena, uint32_t, laperm->sm_count);
  for (uint32_t s = 0; s < laperm->sm_count; s++) laperm->backup[s] = s;
  cta_queues_init(&laperm->queues, laperm->sm_count * laperm->levels, setup->arena);
  return OK;
}

static void laperm_clear(void *state) {
  cta_queues_clear(&((LapermCtas *)state)->queues);
}

// ---- queueing

static bool is_queued(const KernelView *kernel) {
  return kernel->launch->origin.has_parent && !dispatch_is_cooperative(kernel);
}

static void queue_kernel(LapermCtas *laperm, const KernelView *kernel) {
  const LaunchOrigin *origin = &kernel->launch->origin;
  uint32_t highest = laperm->levels - 1;
  uint32_t level = origin->depth < highest ? origin->depth : highest;
  uint32_t sm = laperm->binding == BINDING_NONE ? 0 : origin->parent_sm % laperm->sm_count;
  cta_queues_note(&laperm->queues, kernel->id);
  if (is_queued(kernel))
    cta_queues_push(&laperm->queues, sm * laperm->levels + level,
                    (CtaRun){.kernel = kernel->id, .count = kernel->cta_count, .stride = 1});
}

static void laperm_on_kernel_start(void *state, const KernelView *kernel) {
  queue_kernel(state, kernel);
}

static void laperm_on_kernel_end(void *state, const KernelView *kernel) {
  cta_queues_forget(&((LapermCtas *)state)->queues, kernel->id);
}

// ---- dispatching

typedef enum QueueAnswer { QUEUES_EMPTY, QUEUES_HELD, QUEUES_GAVE } QueueAnswer;

// The first CTA of the highest level of one SM's queues, for an SM.
static QueueAnswer take_from(LapermCtas *laperm, const DispatchView *view, uint32_t owner,
                             uint32_t sm, DispatchChoice *choice) {
  for (uint32_t level = laperm->levels; level-- > 0;) {
    uint32_t queue = owner * laperm->levels + level;
    const CtaRun *run = cta_queue_run(&laperm->queues.queues[queue], CTA_FIRST);
    if (!run) continue;
    const DispatchKernel *kernel = dispatch_kernel_of(view, run->kernel, &choice->kernel);
    if (!kernel || !dispatch_has_room(kernel, sm)) return QUEUES_HELD;
    choice->cta = cta_run_cta(run, CTA_FIRST);
    choice->sm = sm;
    cta_queues_take(&laperm->queues, queue, CTA_FIRST);
    return QUEUES_GAVE;
  }
  return QUEUES_EMPTY;
}

// The next CTA of the host's kernels.
static QueueAnswer take_parent(const DispatchView *view, uint32_t sm, DispatchChoice *choice) {
  QueueAnswer answer = QUEUES_EMPTY;
  for (uint32_t k = 0; k < view->kernel_count; k++) {
    const DispatchKernel *kernel = &view->kernels[k];
    if (is_queued(&kernel->view)) continue;
    answer = QUEUES_HELD;
    if (!dispatch_has_room(kernel, sm)) continue;
    *choice = (DispatchChoice){.kernel = k, .sm = sm, .cta = kernel->next_cta};
    return QUEUES_GAVE;
  }
  return answer;
}

static bool has_own(const LapermCtas *laperm, uint32_t sm) {
  for (uint32_t level = 0; level < laperm->levels; level++)
    if (laperm->queues.queues[sm * laperm->levels + level].count) return true;
  return false;
}

static QueueAnswer take_backup(LapermCtas *laperm, const DispatchView *view, uint32_t sm,
                               DispatchChoice *choice) {
  for (uint32_t i = 0; i < laperm->sm_count; i++) {
    uint32_t owner = (laperm->backup[sm] + i) % laperm->sm_count;
    QueueAnswer answer = owner == sm ? QUEUES_EMPTY : take_from(laperm, view, owner, sm, choice);
    if (answer == QUEUES_EMPTY) continue;
    laperm->backup[sm] = owner;
    return answer;
  }
  return QUEUES_EMPTY;
}

// Stages 1 and 2.
static QueueAnswer take(LapermCtas *laperm, const DispatchView *view, uint32_t sm,
                        DispatchChoice *choice) {
  bool is_bound = laperm->binding != BINDING_NONE;
  QueueAnswer answer = take_from(laperm, view, is_bound ? sm : 0, sm, choice);
  laperm->own += answer == QUEUES_GAVE;
  if (answer != QUEUES_EMPTY) return answer;
  answer = take_parent(view, sm, choice);
  laperm->parents += answer == QUEUES_GAVE;
  return answer;
}

// Stage 3, if the others have nothing for the SM, not even something that does not fit yet.
static bool takes_backup(LapermCtas *laperm, const DispatchView *view, uint32_t sm,
                         DispatchChoice *choice) {
  DispatchChoice unused;
  if (laperm->binding != BINDING_ADAPTIVE) return false;
  if (has_own(laperm, sm) || take_parent(view, sm, &unused) != QUEUES_EMPTY) return false;
  bool gave = take_backup(laperm, view, sm, choice) == QUEUES_GAVE;
  laperm->backups += gave;
  return gave;
}

static bool picks_bound(LapermCtas *laperm, const DispatchView *view, DispatchChoice *choice) {
  for (uint32_t i = 1; i <= view->sm_count; i++) {
    uint32_t sm = (laperm->last_sm + i) % view->sm_count;
    if (take(laperm, view, sm, choice) != QUEUES_GAVE) continue;
    laperm->last_sm = sm;
    return true;
  }
  return false;
}

// A separate round robin, as in cta_queues.c: otherwise the SMs after an owner would get most.
static bool picks_backup(LapermCtas *laperm, const DispatchView *view, DispatchChoice *choice) {
  for (uint32_t i = 1; i <= view->sm_count; i++) {
    uint32_t sm = (laperm->last_backup + i) % view->sm_count;
    if (!takes_backup(laperm, view, sm, choice)) continue;
    laperm->last_backup = sm;
    return true;
  }
  return false;
}

static bool laperm_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  LapermCtas *laperm = state;
  for (uint32_t k = 0; k < view->kernel_count; k++)
    if (!cta_queues_knows(&laperm->queues, view->kernels[k].view.id))
      queue_kernel(laperm, &view->kernels[k].view);
  CooperativePick cooperative = dispatch_cooperative(view, laperm->last_sm, choice);
  if (cooperative == DISPATCH_CHOSEN) laperm->last_sm = choice->sm;
  if (cooperative != DISPATCH_NOT_COOPERATIVE) return cooperative == DISPATCH_CHOSEN;
  if (picks_bound(laperm, view, choice) || picks_backup(laperm, view, choice)) return true;
  choice->ask_again = NEVER;
  return false;
}

static const Param laperm_params[] = {
    PARAM_CHOICE(
        LapermCtas, binding, BINDING_ADAPTIVE, binding_rules,
        "where children run: anywhere, on their parent's SM, or there unless another SM is idle"),
    PARAM(LapermCtas, levels, 4, 1, 32, "priority levels, including that of host kernels"),
    {0}};

static const Stat laperm_stats[] = {
    STAT_COUNT(LapermCtas, own, "child CTAs on the SM they are bound to"),
    STAT_COUNT(LapermCtas, parents, "CTAs of the host's kernels"),
    STAT_COUNT(LapermCtas, backups, "child CTAs stolen by another SM"),
    {.name = "most_queued",
     .help = "maximum child CTAs queued",
     .offset = STAT_OFFSET_(LapermCtas, queues.most_queued)},
    {0}};

const CtaDispatchType laperm_ctas_dispatch = {
    .policy = {.name = "laperm_ctas",
               .summary = "LaPerm: children first, on their parent's SM; idle SMs steal",
               .state_size = sizeof(LapermCtas),
               .params = laperm_params,
               .stats = laperm_stats,
               .init = laperm_init,
               .clear = laperm_clear,
               .on_kernel_start = laperm_on_kernel_start,
               .on_kernel_end = laperm_on_kernel_end},
    .pick = laperm_pick,
};
