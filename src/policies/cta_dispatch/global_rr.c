// SPDX-License-Identifier: MIT
// One-level round robin (Wang et al., TC 2019, section 4.1): a CTA to each SM of the first
// cluster, then of the next; when all SMs have one, they get a second.
#include "policies/cta_dispatch/cta_dispatch.h"

typedef struct GlobalTurn {
  uint32_t next_sm;
} GlobalTurn;

static bool pick_of(void *state, const DispatchView *view, const DispatchKernel *kernel,
                    DispatchChoice *choice) {
  GlobalTurn *turn = state;
  for (uint32_t i = 0; i < view->sm_count; i++) {
    uint32_t sm = (turn->next_sm + i) % view->sm_count;
    if (!kernel->free_ctas[sm]) continue;
    if (!dispatch_has_room(kernel, sm)) return false;  // its cluster took one in this cycle
    turn->next_sm = (sm + 1) % view->sm_count;
    choice->sm = sm;
    choice->cta = kernel->next_cta;
    return true;
  }
  return false;
}

static bool global_rr_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  return dispatch_by_kernel(state, view, choice, pick_of);
}

const CtaDispatchType global_rr_dispatch = {
    .policy = {.name = "global_rr",
               .summary = "in order, round robin over all SMs",
               .state_size = sizeof(GlobalTurn)},
    .pick = global_rr_pick,
};
