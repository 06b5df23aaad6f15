// SPDX-License-Identifier: MIT
// Distributed scheduling (paper 003, section 4.1; MCM-GPU): every cluster has a
// pool of neighbouring CTAs, the same number each, and its SMs take turns at it.
// A cluster whose pool is empty stays idle.
#include "policies/cta_dispatch/cluster_turns.h"

static bool distributed_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  ClusterTurns *turns = state;
  for (uint32_t c = 0; c < cluster_count(view); c++) {
    uint32_t sm = cluster_next_sm(turns, view, c, 1);
    if (sm == NO_SM || !dispatch_has_room(view, sm)) continue;
    uint64_t cta = pool_next(view, c);
    if (cta == pool_end(view, c)) continue;
    cluster_took(turns, view, sm);
    *choice = (DispatchChoice){.sm = sm, .cta = cta};
    return true;
  }
  return false;
}

const CtaDispatchType distributed_dispatch = {
    .policy = {.name = "distributed",
               .summary = "each cluster from its own share of neighbouring CTAs",
               .state_size = sizeof(ClusterTurns)},
    .pick = distributed_pick,
};
