// SPDX-License-Identifier: MIT
// Distributed scheduling (Wang et al., TC 2019, section 4.1; MCM-GPU): every cluster has a
// pool of consecutive CTAs, of equal size, from which its SMs take CTAs round robin.
// A cluster whose pool is empty stays idle.
#include "policies/cta_dispatch/cluster_turns.h"

static bool pick_of(void *state, const DispatchView *view, const DispatchKernel *kernel,
                    DispatchChoice *choice) {
  ClusterTurns *turns = state;
  for (uint32_t c = 0; c < cluster_count(view); c++) {
    uint32_t sm = cluster_next_sm(turns, view, kernel, c, 1);
    if (sm == NO_SM || !dispatch_has_room(kernel, sm)) continue;
    uint64_t cta = pool_next(view, kernel, c);
    if (cta == pool_end(view, kernel, c)) continue;
    cluster_took(turns, view, sm);
    choice->sm = sm;
    choice->cta = cta;
    return true;
  }
  return false;
}

static bool distributed_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  return dispatch_by_kernel(state, view, choice, pick_of);
}

static Status distributed_init(void *state, const PolicySetup *setup, Error *err) {
  (void)err;
  cluster_turns_init(state, setup);
  return OK;
}

const CtaDispatchType distributed_dispatch = {
    .policy = {.name = "distributed",
               .summary = "each cluster from its own share of adjacent CTAs",
               .state_size = sizeof(ClusterTurns),
               .init = distributed_init},
    .pick = distributed_pick,
};
