// SPDX-License-Identifier: MIT
// Greedy clustering (Wang et al., TC 2019, section 4.1): as many CTAs as fit to the first
// cluster, its SMs in turns, before the next cluster gets any.
#include "policies/cta_dispatch/cluster_turns.h"

static bool pick_of(void *state, const DispatchView *view, const DispatchKernel *kernel,
                    DispatchChoice *choice) {
  ClusterTurns *turns = state;
  for (uint32_t c = 0; c < cluster_count(view); c++) {
    uint32_t sm = cluster_next_sm(turns, view, kernel, c, 1);
    if (sm == NO_SM) continue;
    if (!dispatch_has_room(kernel, sm)) return false;  // its cluster took one in this cycle
    cluster_took(turns, view, sm);
    choice->sm = sm;
    choice->cta = kernel->next_cta;
    return true;
  }
  return false;
}

static bool greedy_cluster_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  return dispatch_by_kernel(state, view, choice, pick_of);
}

static Status greedy_cluster_init(void *state, const PolicySetup *setup, Error *err) {
  (void)err;
  cluster_turns_init(state, setup);
  return OK;
}

const CtaDispatchType greedy_cluster_dispatch = {
    .policy = {.name = "greedy_cluster",
               .summary = "in order, filling one cluster before the next",
               .state_size = sizeof(ClusterTurns),
               .init = greedy_cluster_init},
    .pick = greedy_cluster_pick,
};
