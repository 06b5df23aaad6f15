// SPDX-License-Identifier: MIT
// For dispatch policies: queues of CTAs, one or several per SM. A queue holds runs of consecutive
// CTAs of a kernel, so that a grid of any size takes few entries.
//
// A policy enqueues a kernel's CTAs once (cta_queues_knows), and dequeues the CTAs that it
// dispatches. CTAs of kernels that ended before all were dispatched are dropped
// (cta_queues_forget, from on_kernel_end).
#ifndef POLICIES_CTA_DISPATCH_CTA_QUEUES_H
#define POLICIES_CTA_DISPATCH_CTA_QUEUES_H

#include "policies/cta_dispatch/cta_dispatch.h"

// CTAs first, first + stride, ...
typedef struct CtaRun {
  uint32_t kernel;  // id
  uint64_t first, count, stride;
  Cycle ready;  // when its CTAs may leave the queue
} CtaRun;

typedef struct CtaQueue {
  CtaRun *runs;
  uint32_t head, count, capacity;  // head: index of the first; the others follow
  uint64_t ctas;
} CtaQueue;

typedef struct CtaQueues {
  CtaQueue *queues;
  uint32_t count;
  uint32_t *known, known_count, known_capacity;  // kernels whose CTAs have been enqueued
  uint64_t queued, most_queued;                  // CTAs in all queues, now and at most
  uint64_t runs, most_runs;
  uint32_t last_thief;  // SM that stole last
} CtaQueues;

typedef enum CtaEnd { CTA_FIRST, CTA_LAST } CtaEnd;

void cta_queues_init(CtaQueues *queues, uint32_t count, Arena *arena);
void cta_queues_clear(CtaQueues *queues);

void cta_queues_push(CtaQueues *queues, uint32_t queue, CtaRun run);
// Distributes all CTAs of a kernel round robin, from the queue after `last`; returns the queue of
// the last CTA.
uint32_t cta_queues_spread(CtaQueues *queues, const KernelView *kernel, Cycle delay, uint32_t last);
// The run at one end of a queue, or NULL; and its CTA there.
const CtaRun *cta_queue_run(const CtaQueue *queue, CtaEnd end);
uint64_t cta_run_cta(const CtaRun *run, CtaEnd end);
void cta_queues_take(CtaQueues *queues, uint32_t queue, CtaEnd end);
// The shortest and the longest queue; of equal ones the first after `last`.
uint32_t cta_queues_shortest(const CtaQueues *queues, uint32_t last);
uint32_t cta_queues_longest(const CtaQueues *queues, uint32_t last);

bool cta_queues_knows(const CtaQueues *queues, uint32_t kernel);
void cta_queues_note(CtaQueues *queues, uint32_t kernel);
void cta_queues_forget(CtaQueues *queues, uint32_t kernel);

// A kernel of the view by its id; NULL: none of its CTAs can be dispatched now.
const DispatchKernel *dispatch_kernel_of(const DispatchView *view, uint32_t id, uint32_t *index);

// A cooperative launch needs all its CTAs resident simultaneously. A pending one is dispatched
// first and alone, SM by SM after `last`: other CTAs that took its resources could wait for it,
// a deadlock. DISPATCH_NOT_COOPERATIVE: none is pending.
typedef enum CooperativePick {
  DISPATCH_NOT_COOPERATIVE,
  DISPATCH_CHOSEN,
  DISPATCH_LATER
} CooperativePick;
CooperativePick dispatch_cooperative(const DispatchView *view, uint32_t last,
                                     DispatchChoice *choice);
static inline bool dispatch_is_cooperative(const KernelView *kernel) {
  return kernel->launch->workspace != 0;
}

// One CTA from the queues of the SMs, one queue each (Tang et al., SIGMETRICS 2018, algorithm 2):
// an SM with free resources takes the first CTA of its own queue or, if that is empty and no SM
// takes one of its own, steals from the longest. Round robin after `*last`; stealing SMs have a
// round robin of their own.
typedef enum StealRule {
  STEAL_NEVER,
  STEAL_WHEN_EMPTY,  // as soon as its own queue is empty
  STEAL_WHEN_FULL,   // only CTAs that the owner of the queue has no resources for
  STEAL_WHEN_IDLE,   // only if it holds no CTA, so that it has no lines to lose
} StealRule;
extern const char *const steal_rules[];
typedef struct StealCounts {
  uint64_t own, stolen;
} StealCounts;
bool cta_queues_pick(CtaQueues *queues, const DispatchView *view, StealRule rule, CtaEnd from,
                     uint32_t *last, StealCounts *counts, DispatchChoice *choice);

#endif
