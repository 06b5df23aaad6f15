// SPDX-License-Identifier: MIT
// Executes a CTA to its end at its start and records the steps that the machine replays.
#include "exec/recorded_steps.h"

#include <string.h>

#include "base/memory.h"

// Warps take turns, so that one that spins for another of its CTA gets an answer; turns without
// end are a wait for another CTA.
enum { TURN_STEPS = 4096, MOST_TURNS = 1 << 16 };

bool recorded_cta_is_possible(const Launch *launch) {
  if (launch->replay || launch->workspace || launch_cluster_size(launch) > 1) return false;
  for (uint32_t f = 0; f < launch->program->function_count; f++) {
    const Function *function = &launch->program->functions[f];
    if (function->native && strncmp(function->name, "cuda", 4) == 0) return false;
  }
  return true;
}

// ---- recording

static void record_step(WarpSteps *warp, ExecContext *context, Warp *executed) {
  uint32_t active, live = ~executed->exited;
  const Instruction *in = warp_step(context, executed, &active);
  Step step = {.pc = (uint32_t)(in - executed->code), .mask = active, .live = live};
  if (active && step_is_barrier(in)) step.barrier = barrier_operands(executed, in, active);
  if (context->access.mask) step.access = recorded_add_access(warp, &context->access);
  recorded_add(warp, step);
}

static bool run_turn(RecordedCta *recorded, ExecContext *context, Cta *cta, const Warp **faulty) {
  for (uint32_t w = 0; w < cta->warp_count; w++) {
    Warp *warp = &cta->warps[w];
    for (int i = 0; i < TURN_STEPS && warp->state == WARP_RUNNING; i++) {
      record_step(&recorded->warps[w], context, warp);
      *faulty = warp;
      if (context->fault.kind) return false;
    }
  }
  if (!cta_is_hung(cta)) return true;
  fault_raise(context, *faulty, FAULT_HUNG_BARRIER, 0);
  return false;
}

// Stores take effect at once: no other SM runs while a CTA starts.
static bool run_all(RecordedCta *recorded, ExecContext *context, Cta *cta, const Warp **faulty) {
  bool is_well = true;
  for (int turn = 0; is_well && cta->live_warps; turn++) {
    is_well = run_turn(recorded, context, cta, faulty);
    if (is_well && turn == MOST_TURNS) {
      fault_raise(context, *faulty, FAULT_WAITS, 0);
      is_well = false;
    }
  }
  return is_well;
}

// ---- replay

static void *open_steps(void *self, uint64_t cta, uint32_t warp) {
  RecordedCta *recorded = self;
  (void)cta;
  recorded->warps[warp].next = 0;
  return &recorded->warps[warp];
}

static bool next_step(void *steps, ReplayStep *out) {
  WarpSteps *warp = steps;
  if (warp->next == warp->count) return false;
  const Step *step = &warp->steps[warp->next++];
  *out = (ReplayStep){.pc = step->pc,
                      .mask = step->mask,
                      .barrier = step->barrier.id,
                      .barrier_threads = step->barrier.threads,
                      .is_after_gap = step->is_after_gap};
  if (step->access) recorded_read_access(&warp->accesses[step->access - 1], &out->access);
  return true;
}

static void close_steps(void *steps) {
  (void)steps;
}

RecordedCta *recorded_cta_create(ExecContext *context, Cta *cta, RecordOptions options,
                                 const Warp **faulty) {
  RecordedCta *recorded = memory_alloc(sizeof *recorded);
  StoreQueue *stores = context->stores;
  recorded->warp_count = cta->warp_count;
  recorded->warps = memory_alloc(sizeof *recorded->warps * cta->warp_count);
  recorded->replay = (Replay){.self = recorded,
                              .open = open_steps,
                              .next = next_step,
                              .close = close_steps,
                              .passes_barriers = options.no_barriers};
  context->stores = NULL;
  bool is_well = run_all(recorded, context, cta, faulty);
  context->stores = stores;
  if (!is_well) {
    recorded_cta_destroy(recorded);
    return NULL;
  }
  if (options.no_divergence) recorded_cta_regroup(recorded, cta);
  if (options.is_balanced) recorded_cta_balance(recorded, cta->launch->program);
  cta_start(cta, cta->launch, cta->linear, cta->shared, cta->warps, 0);
  for (uint32_t w = 0; w < cta->warp_count; w++) replay_start(&cta->warps[w], &recorded->replay);
  return recorded;
}

void recorded_cta_destroy(RecordedCta *recorded) {
  if (!recorded) return;
  for (uint32_t w = 0; w < recorded->warp_count; w++) recorded_clear(&recorded->warps[w]);
  memory_free(recorded->warps);
  memory_free(recorded);
}
