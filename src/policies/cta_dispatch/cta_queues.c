// SPDX-License-Identifier: MIT
// Queues of runs of CTAs instead of single CTAs: a kernel of a million CTAs is spread over the
// queues in one step per SM, and takes a few bytes in each.
#include "policies/cta_dispatch/cta_queues.h"

#include <assert.h>

#include "base/memory.h"

// In the order of StealRule.
const char *const steal_rules[] = {"never", "empty", "full", "idle", NULL};

void cta_queues_init(CtaQueues *queues, uint32_t count, Arena *arena) {
  *queues = (CtaQueues){.count = count};
  queues->queues = ARENA_ARRAY(arena, CtaQueue, count);
}

void cta_queues_clear(CtaQueues *queues) {
  for (uint32_t q = 0; q < queues->count; q++) memory_free(queues->queues[q].runs);
  memory_free(queues->known);
}

// ---- one queue

// A ring would do; moving the runs down when the end is reached keeps them contiguous, and both
// ends can be taken from.
void cta_queues_push(CtaQueues *queues, uint32_t q, CtaRun run) {
  CtaQueue *queue = &queues->queues[q];
  if (!run.count) return;
  if (queue->head && queue->head + queue->count == queue->capacity) {
    for (uint32_t i = 0; i < queue->count; i++) queue->runs[i] = queue->runs[queue->head + i];
    queue->head = 0;
  }
  GROW(queue->runs, queue->head + queue->count, queue->capacity);
  queue->runs[queue->head + queue->count++] = run;
  queue->ctas += run.count;
  queues->queued += run.count;
  queues->runs++;
  if (queues->queued > queues->most_queued) queues->most_queued = queues->queued;
  if (queues->runs > queues->most_runs) queues->most_runs = queues->runs;
}

uint32_t cta_queues_spread(CtaQueues *queues, const KernelView *kernel, Cycle delay,
                           uint32_t last) {
  uint64_t count = kernel->cta_count;
  for (uint32_t i = 0; i < queues->count && i < count; i++)
    cta_queues_push(queues, (last + 1 + i) % queues->count,
                    (CtaRun){.kernel = kernel->id,
                             .first = i,
                             .count = (count - i + queues->count - 1) / queues->count,
                             .stride = queues->count,
                             .ready = kernel->now + delay});
  return (uint32_t)((last + count) % queues->count);
}

const CtaRun *cta_queue_run(const CtaQueue *queue, CtaEnd end) {
  if (!queue->count) return NULL;
  return &queue->runs[queue->head + (end == CTA_FIRST ? 0 : queue->count - 1)];
}

uint64_t cta_run_cta(const CtaRun *run, CtaEnd end) {
  return run->first + (end == CTA_FIRST ? 0 : (run->count - 1) * run->stride);
}

static void drop_end(CtaQueues *queues, CtaQueue *queue, CtaEnd end) {
  queue->head += end == CTA_FIRST;
  if (!--queue->count) queue->head = 0;
  queues->runs--;
}

void cta_queues_take(CtaQueues *queues, uint32_t q, CtaEnd end) {
  CtaQueue *queue = &queues->queues[q];
  assert(queue->count);
  CtaRun *run = &queue->runs[queue->head + (end == CTA_FIRST ? 0 : queue->count - 1)];
  if (end == CTA_FIRST) run->first += run->stride;
  run->count--;
  queue->ctas--;
  queues->queued--;
  if (!run->count) drop_end(queues, queue, end);
}

// ---- all of them

// Ties are resolved round robin, so that equal queues are filled in turn.
uint32_t cta_queues_shortest(const CtaQueues *queues, uint32_t last) {
  uint32_t best = (last + 1) % queues->count;
  for (uint32_t i = 2; i <= queues->count; i++) {
    uint32_t q = (last + i) % queues->count;
    if (queues->queues[q].ctas < queues->queues[best].ctas) best = q;
  }
  return best;
}

uint32_t cta_queues_longest(const CtaQueues *queues, uint32_t last) {
  uint32_t best = (last + 1) % queues->count;
  for (uint32_t i = 2; i <= queues->count; i++) {
    uint32_t q = (last + i) % queues->count;
    if (queues->queues[q].ctas > queues->queues[best].ctas) best = q;
  }
  return best;
}

// From the end: the kernel asked about is mostly the newest.
bool cta_queues_knows(const CtaQueues *queues, uint32_t kernel) {
  for (uint32_t i = queues->known_count; i-- > 0;)
    if (queues->known[i] == kernel) return true;
  return false;
}

void cta_queues_note(CtaQueues *queues, uint32_t kernel) {
  GROW(queues->known, queues->known_count, queues->known_capacity);
  queues->known[queues->known_count++] = kernel;
}

static void drop_kernel(CtaQueues *queues, CtaQueue *queue, uint32_t kernel) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < queue->count; i++) {
    const CtaRun run = queue->runs[queue->head + i];
    if (run.kernel == kernel) {
      queue->ctas -= run.count;
      queues->queued -= run.count;
      queues->runs--;
    } else {
      queue->runs[queue->head + kept++] = run;
    }
  }
  queue->count = kept;
}

void cta_queues_forget(CtaQueues *queues, uint32_t kernel) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < queues->known_count; i++)
    if (queues->known[i] != kernel) queues->known[kept++] = queues->known[i];
  if (kept == queues->known_count) return;
  queues->known_count = kept;
  for (uint32_t q = 0; q < queues->count && queues->queued; q++)
    drop_kernel(queues, &queues->queues[q], kernel);
}

// ---- dispatching

const DispatchKernel *dispatch_kernel_of(const DispatchView *view, uint32_t id, uint32_t *index) {
  for (uint32_t k = 0; k < view->kernel_count; k++)
    if (view->kernels[k].view.id == id) {
      *index = k;
      return &view->kernels[k];
    }
  return NULL;
}

// Cooperative grids bypass the queues: their barrier needs all CTAs resident, and a CTA that
// waits in the queue of a full SM would never start.
CooperativePick dispatch_cooperative(const DispatchView *view, uint32_t last,
                                     DispatchChoice *choice) {
  for (uint32_t k = 0; k < view->kernel_count; k++) {
    const DispatchKernel *kernel = &view->kernels[k];
    if (!dispatch_is_cooperative(&kernel->view)) continue;
    choice->ask_again = NEVER;
    if (!kernel->has_room) return DISPATCH_LATER;
    choice->kernel = k;
    choice->cta = kernel->next_cta;
    choice->sm = dispatch_next_sm(view, kernel, last);
    return DISPATCH_CHOSEN;
  }
  return DISPATCH_NOT_COOPERATIVE;
}

// Whether the CTA at the end of a queue can go to the SM now; if so, it is the choice.
static bool fits(const CtaQueue *queue, CtaEnd end, const DispatchView *view, uint32_t sm,
                 DispatchChoice *choice, Cycle *next_ready) {
  const CtaRun *run = cta_queue_run(queue, end);
  if (!run) return false;
  if (run->ready > view->now) {
    *next_ready = cycle_earlier(*next_ready, run->ready);
    return false;
  }
  const DispatchKernel *kernel = dispatch_kernel_of(view, run->kernel, &choice->kernel);
  if (!kernel || !dispatch_has_room(kernel, sm)) return false;
  choice->cta = cta_run_cta(run, end);
  choice->sm = sm;
  return true;
}

// An SM may have room and still not take a CTA in this cycle, because its cluster took one.
static bool owner_has_room(const CtaQueue *queue, const DispatchView *view, uint32_t owner) {
  const CtaRun *run = cta_queue_run(queue, CTA_FIRST);
  uint32_t index;
  const DispatchKernel *kernel = run ? dispatch_kernel_of(view, run->kernel, &index) : NULL;
  return kernel && kernel->free_ctas[owner];
}

// As many CTAs of the kernel fit as would on an SM without any.
static bool is_idle(const DispatchKernel *kernel, uint32_t sm) {
  return kernel->free_ctas[sm] >= kernel->view.max_ctas_per_sm;
}

static bool steal(CtaQueues *queues, const DispatchView *view, StealRule rule, CtaEnd from,
                  uint32_t sm, DispatchChoice *choice, Cycle *next_ready) {
  if (rule == STEAL_NEVER) return false;
  uint32_t victim = cta_queues_longest(queues, sm);
  const CtaQueue *queue = &queues->queues[victim];
  if (rule == STEAL_WHEN_FULL && owner_has_room(queue, view, victim)) return false;
  if (!fits(queue, from, view, sm, choice, next_ready)) return false;
  if (rule == STEAL_WHEN_IDLE && !is_idle(&view->kernels[choice->kernel], sm)) return false;
  cta_queues_take(queues, victim, from);
  return true;
}

static bool take_own(CtaQueues *queues, const DispatchView *view, uint32_t sm,
                     DispatchChoice *choice, Cycle *next_ready) {
  if (!fits(&queues->queues[sm], CTA_FIRST, view, sm, choice, next_ready)) return false;
  cta_queues_take(queues, sm, CTA_FIRST);
  return true;
}

static bool picks_own(CtaQueues *queues, const DispatchView *view, uint32_t *last,
                      DispatchChoice *choice, Cycle *next_ready) {
  for (uint32_t i = 1; i <= view->sm_count; i++) {
    uint32_t sm = (*last + i) % view->sm_count;
    if (!take_own(queues, view, sm, choice, next_ready)) continue;
    *last = sm;
    return true;
  }
  return false;
}

// Stealing SMs have a round robin of their own. If the search started at the owner, its neighbours
// would get all CTAs that it cannot start immediately, CTAs of their children would go to the next
// SMs, and a launch tree would stay near the SM of its root.
static bool picks_another(CtaQueues *queues, const DispatchView *view, StealRule rule, CtaEnd from,
                          DispatchChoice *choice, Cycle *next_ready) {
  for (uint32_t i = 1; i <= view->sm_count; i++) {
    uint32_t sm = (queues->last_thief + i) % view->sm_count;
    if (queues->queues[sm].count) continue;
    if (!steal(queues, view, rule, from, sm, choice, next_ready)) continue;
    queues->last_thief = sm;
    return true;
  }
  return false;
}

// All SMs check their own queues first: hardware does so in parallel, and a stealing SM must not
// precede the owner only because of its position in the round robin.
bool cta_queues_pick(CtaQueues *queues, const DispatchView *view, StealRule rule, CtaEnd from,
                     uint32_t *last, StealCounts *counts, DispatchChoice *choice) {
  Cycle next_ready = NEVER;
  bool is_own = picks_own(queues, view, last, choice, &next_ready);
  bool is_stolen = !is_own && picks_another(queues, view, rule, from, choice, &next_ready);
  counts->own += is_own;
  counts->stolen += is_stolen;
  if (!is_own && !is_stolen) choice->ask_again = next_ready;
  return is_own || is_stolen;
}
