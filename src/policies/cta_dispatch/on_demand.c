// SPDX-License-Identifier: MIT
// First wave in order, then on demand: the pattern that the CTA-Clustering
// paper (ASPLOS 2017, section 3.1) observed on Fermi to Maxwell cards. CTA i of
// the first wave goes to SM i modulo their number; after that each SM takes the
// next CTA as soon as it has room, lowest number first.
#include "policies/cta_dispatch/cta_dispatch.h"

typedef struct OnDemand {
  uint64_t placed;  // of the kernel that is being dispatched
  uint32_t kernel;
} OnDemand;

static bool pick_of(void *state, const DispatchView *view, const DispatchKernel *kernel,
                    DispatchChoice *choice) {
  OnDemand *demand = state;
  if (demand->kernel != kernel->view.id) *demand = (OnDemand){.kernel = kernel->view.id};
  uint64_t first_wave = (uint64_t)view->sm_count * kernel->view.max_ctas_per_sm;
  uint32_t before = demand->placed < first_wave
                        ? (uint32_t)((demand->placed + view->sm_count - 1) % view->sm_count)
                        : view->sm_count - 1;
  choice->sm = dispatch_next_sm(view, kernel, before);
  choice->cta = kernel->next_cta;
  demand->placed++;
  return true;
}

static bool on_demand_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  return dispatch_by_kernel(state, view, choice, pick_of);
}

const CtaDispatchType on_demand_dispatch = {
    .policy = {.name = "on_demand",
               .summary = "first wave in order over SMs, then any SM with room",
               .state_size = sizeof(OnDemand)},
    .pick = on_demand_pick,
};
