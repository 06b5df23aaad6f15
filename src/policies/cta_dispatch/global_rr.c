// SPDX-License-Identifier: MIT
// One-level round robin (paper 003, section 4.1): a CTA to each SM of the first
// cluster, then of the next; when all SMs have one, they get a second.
#include "policies/cta_dispatch/cta_dispatch.h"

typedef struct GlobalTurn {
  uint32_t next_sm;
} GlobalTurn;

static bool global_rr_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  GlobalTurn *turn = state;
  for (uint32_t i = 0; i < view->sm_count; i++) {
    uint32_t sm = (turn->next_sm + i) % view->sm_count;
    if (!view->free_ctas[sm]) continue;
    if (!dispatch_has_room(view, sm)) return false;  // its cluster took one in this cycle
    turn->next_sm = (sm + 1) % view->sm_count;
    *choice = (DispatchChoice){.sm = sm, .cta = view->next_cta};
    return true;
  }
  return false;
}

const CtaDispatchType global_rr_dispatch = {
    .policy = {.name = "global_rr",
               .summary = "in order, all SMs take turns",
               .state_size = sizeof(GlobalTurn)},
    .pick = global_rr_pick,
};
