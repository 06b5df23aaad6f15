// SPDX-License-Identifier: MIT
// Greedy clustering (paper 003, section 4.1): as many CTAs as fit to the first
// cluster, its SMs in turns, before the next cluster gets any.
#include "policies/cta_dispatch/cluster_turns.h"

static bool greedy_cluster_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  ClusterTurns *turns = state;
  for (uint32_t c = 0; c < cluster_count(view); c++) {
    uint32_t sm = cluster_next_sm(turns, view, c, 1);
    if (sm == NO_SM) continue;
    if (!dispatch_has_room(view, sm)) return false;  // its cluster took one in this cycle
    cluster_took(turns, view, sm);
    *choice = (DispatchChoice){.sm = sm, .cta = view->next_cta};
    return true;
  }
  return false;
}

const CtaDispatchType greedy_cluster_dispatch = {
    .policy = {.name = "greedy_cluster",
               .summary = "in order, a cluster is filled before the next one",
               .state_size = sizeof(ClusterTurns)},
    .pick = greedy_cluster_pick,
};
