// SPDX-License-Identifier: MIT
// Round robin over clusters, and over the SMs of a cluster: CTAs in order, the
// next one to the cluster behind the one that got the last. What GPGPU-Sim does,
// and what paper 003 calls two-level round robin.
#include "policies/cta_dispatch/cta_dispatch.h"

enum { MAX_CLUSTERS = 1024 };

typedef struct RoundRobin {
  bool has_begun;
  uint32_t last_cluster;
  uint8_t last_sm[MAX_CLUSTERS];  // within its cluster
} RoundRobin;

static bool pick_in_cluster(RoundRobin *turns, const DispatchView *view, uint32_t cluster,
                            uint32_t *sm) {
  uint32_t size = view->sms_per_cluster;
  for (uint32_t i = 1; i <= size; i++) {
    uint32_t inner = (turns->last_sm[cluster] + i) % size;
    *sm = cluster * size + inner;
    if (*sm >= view->sm_count || !dispatch_has_room(view, *sm)) continue;
    turns->last_sm[cluster] = (uint8_t)inner;
    return true;
  }
  return false;
}

static bool round_robin_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  RoundRobin *turns = state;
  uint32_t clusters = (view->sm_count + view->sms_per_cluster - 1) / view->sms_per_cluster;
  if (!turns->has_begun) {
    turns->has_begun = true;
    turns->last_cluster = clusters - 1;
    for (uint32_t c = 0; c < clusters; c++) turns->last_sm[c] = (uint8_t)(view->sms_per_cluster - 1);
  }
  for (uint32_t i = 1; i <= clusters; i++) {
    uint32_t cluster = (turns->last_cluster + i) % clusters;
    if (!pick_in_cluster(turns, view, cluster, &choice->sm)) continue;
    turns->last_cluster = cluster;
    choice->cta = view->next_cta;
    return true;
  }
  return false;
}

const CtaDispatchType round_robin_dispatch = {
    .policy = {.name = "round_robin",
               .summary = "in order, clusters and their SMs take turns",
               .state_size = sizeof(RoundRobin)},
    .pick = round_robin_pick,
};

const CtaDispatchType two_level_rr_dispatch = {
    .policy = {.name = "two_level_rr",
               .summary = "another name of round_robin",
               .state_size = sizeof(RoundRobin)},
    .pick = round_robin_pick,
};
