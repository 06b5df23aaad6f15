// SPDX-License-Identifier: MIT
// Round robin over clusters, and over the SMs of each cluster, with CTAs in order: the
// policy of GPGPU-Sim, called two-level round robin by Wang et al. (TC 2019).
#include "policies/cta_dispatch/cta_dispatch.h"

typedef struct RoundRobin {
  uint32_t last_cluster;
  uint32_t *last_sm;  // by cluster: within it
} RoundRobin;

// The first CTA goes to the first SM of the first cluster.
static Status round_robin_init(void *state, const PolicySetup *setup, Error *err) {
  RoundRobin *turns = state;
  const MachineView *machine = setup->machine;
  (void)err;
  turns->last_cluster = machine->cluster_count - 1;
  turns->last_sm = ARENA_ARRAY(setup->arena, uint32_t, machine->cluster_count);
  for (uint32_t c = 0; c < machine->cluster_count; c++)
    turns->last_sm[c] = machine->sms_per_cluster - 1;
  return OK;
}

static bool pick_in_cluster(RoundRobin *turns, const DispatchView *view,
                            const DispatchKernel *kernel, uint32_t cluster, uint32_t *sm) {
  uint32_t size = view->sms_per_cluster;
  for (uint32_t i = 1; i <= size; i++) {
    uint32_t inner = (turns->last_sm[cluster] + i) % size;
    *sm = cluster * size + inner;
    if (*sm >= view->sm_count || !dispatch_has_room(kernel, *sm)) continue;
    turns->last_sm[cluster] = inner;
    return true;
  }
  return false;
}

static bool pick_of(void *state, const DispatchView *view, const DispatchKernel *kernel,
                    DispatchChoice *choice) {
  RoundRobin *turns = state;
  uint32_t clusters = (view->sm_count + view->sms_per_cluster - 1) / view->sms_per_cluster;
  for (uint32_t i = 1; i <= clusters; i++) {
    uint32_t cluster = (turns->last_cluster + i) % clusters;
    if (!pick_in_cluster(turns, view, kernel, cluster, &choice->sm)) continue;
    turns->last_cluster = cluster;
    choice->cta = kernel->next_cta;
    return true;
  }
  return false;
}

static bool round_robin_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  return dispatch_by_kernel(state, view, choice, pick_of);
}

const CtaDispatchType round_robin_dispatch = {
    .policy = {.name = "round_robin",
               .summary = "in order, round robin over clusters and their SMs",
               .state_size = sizeof(RoundRobin),
               .init = round_robin_init},
    .pick = round_robin_pick,
};

const CtaDispatchType two_level_rr_dispatch = {
    .policy = {.name = "two_level_rr",
               .summary = "alias of round_robin",
               .state_size = sizeof(RoundRobin),
               .init = round_robin_init},
    .pick = round_robin_pick,
};
