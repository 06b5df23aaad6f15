// SPDX-License-Identifier: MIT
// CTA dispatch: of the SMs with room the one with the highest number, CTAs in
// order, kernels in the order in which they began.
#include "policies/cta_dispatch/cta_dispatch.h"
#include "policies/plugin.h"

static bool pick_of(void *state, const DispatchView *view, const DispatchKernel *kernel,
                    DispatchChoice *choice) {
  (void)state;
  for (uint32_t sm = view->sm_count; sm-- > 0;) {
    if (!dispatch_has_room(kernel, sm)) continue;
    choice->sm = sm;
    choice->cta = kernel->next_cta;
    return true;
  }
  return false;
}

static bool last_sm_first_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  return dispatch_by_kernel(state, view, choice, pick_of);
}

static const CtaDispatchType last_sm_first = {
    .policy = {.name = "last_sm_first", .summary = "in order, the SM with the highest number"},
    .pick = last_sm_first_pick,
};
POLICY_PLUGIN("cta_dispatch", last_sm_first);
