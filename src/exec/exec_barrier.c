// SPDX-License-Identifier: MIT
// Barriers and fences. A fence has no effect on values here: each warp's
// accesses happen in its own order, and all SMs see a store when its cycle
// ends. The machine models the cost of a fence.
#include "exec/barrier.h"
#include "exec/cluster.h"

// Barrier number and thread count are the same for all lanes of a correct
// program; the lowest lane's are taken.
static void exec_bar(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  int lane = __builtin_ctz(mask);
  uint32_t id = ((const uint32_t *)place_at(warp, in->src[0]))[lane];
  uint32_t threads = 0;
  if (in->src[1] != NO_PLACE) threads = ((const uint32_t *)place_at(warp, in->src[1]))[lane];
  if (id >= CTA_BARRIERS || threads > MAX_CTA_THREADS || threads % WARP_LANES) {
    fault_raise(context, warp, FAULT_BAD_BARRIER, lane);
    return;
  }
  uint32_t votes = 0;
  if (in->src[2] != NO_PLACE) {
    votes = *predicate_at(warp, in->src[2]);
    if (in->negated & 1 << 2) votes = ~votes;
    votes &= mask;
  }
  barrier_arrive(warp, in, mask, id, threads, in->form.mode != MODE_ARRIVE, votes);
}

// In a cluster of one CTA all its warps arrive.
static void exec_cluster_arrive(ExecContext *context, Warp *warp, const Instruction *in,
                                uint32_t mask) {
  (void)context;
  if (warp->cta->cluster) {
    cluster_arrive(warp);
    return;
  }
  warp->cluster_phase = warp->cta->cluster_phase;
  barrier_arrive(warp, in, mask, CLUSTER_BARRIER, 0, false, 0);
}

static void exec_cluster_wait(ExecContext *context, Warp *warp, const Instruction *in,
                              uint32_t mask) {
  (void)context;
  if (warp->cta->cluster)
    cluster_wait(warp, in, mask);
  else
    barrier_wait_cluster(warp, in, mask);
}

static void exec_nothing(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  (void)context;
  (void)warp;
  (void)in;
  (void)mask;
}

ExecFn exec_find_barrier(const Form *form) {
  bool is_barrier = form->op == OP_BAR || form->op == OP_BARRIER;
  if (form->op == OP_MBARRIER) return exec_find_mbarrier(form);
  if (!is_barrier) return exec_nothing;
  if (form->option & OPTION_CLUSTER) {
    if (form->mode == MODE_ARRIVE) return exec_cluster_arrive;
    return form->mode == MODE_GRID_WAIT ? exec_cluster_wait : NULL;
  }
  switch (form->mode) {
    case MODE_WARP: return exec_nothing;  // lanes of a warp step together
    case MODE_SYNC:
    case MODE_ARRIVE: return exec_bar;
    case MODE_RED:
      return form->operation == OPERATION_AND || form->operation == OPERATION_OR ||
                     form->operation == OPERATION_POPC
                 ? exec_bar
                 : NULL;
    default: return NULL;
  }
}
