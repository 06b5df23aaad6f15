// SPDX-License-Identifier: MIT
// For dispatch policies by cluster: round robin over the SMs of each.
#ifndef POLICIES_CTA_DISPATCH_CLUSTER_TURNS_H
#define POLICIES_CTA_DISPATCH_CLUSTER_TURNS_H

#include "policies/cta_dispatch/cta_dispatch.h"

static const uint32_t NO_SM = UINT32_MAX;

typedef struct ClusterTurns {
  uint32_t *next_sm;  // by cluster: within it
} ClusterTurns;

// SM 0 of each cluster is first.
static inline void cluster_turns_init(ClusterTurns *turns, const PolicySetup *setup) {
  turns->next_sm = ARENA_ARRAY(setup->arena, uint32_t, setup->machine->cluster_count);
}

static inline uint32_t cluster_count(const DispatchView *view) {
  return (view->sm_count + view->sms_per_cluster - 1) / view->sms_per_cluster;
}

// The next SM of a cluster that has so many places free, or NO_SM. It may have
// to wait for a cycle in which the cluster takes a CTA. An SM that may hold fewer
// needs that many only.
static inline uint32_t cluster_next_sm(const ClusterTurns *turns, const DispatchView *view,
                                       const DispatchKernel *kernel, uint32_t cluster,
                                       uint32_t places) {
  uint32_t size = view->sms_per_cluster;
  for (uint32_t i = 0; i < size; i++) {
    uint32_t sm = cluster * size + (turns->next_sm[cluster] + i) % size;
    if (sm >= view->sm_count) continue;
    uint32_t most = view->limits[sm] < places ? view->limits[sm] : places;
    if (kernel->free_ctas[sm] >= most) return sm;
  }
  return NO_SM;
}

static inline void cluster_took(ClusterTurns *turns, const DispatchView *view, uint32_t sm) {
  uint32_t size = view->sms_per_cluster;
  turns->next_sm[sm / size] = (sm % size + 1) % size;
}

// The pool of CTAs that a cluster has for itself: the grid is divided evenly,
// in order. The first that waits, or the pool's end if none does.
static inline uint64_t pool_end(const DispatchView *view, const DispatchKernel *kernel,
                                uint32_t cluster) {
  return kernel->view.cta_count * (cluster + 1) / cluster_count(view);
}
static inline uint64_t pool_next(const DispatchView *view, const DispatchKernel *kernel,
                                 uint32_t cluster) {
  uint64_t cta = kernel->view.cta_count * cluster / cluster_count(view);
  uint64_t end = pool_end(view, kernel, cluster);
  if (cta < kernel->next_cta) cta = kernel->next_cta < end ? kernel->next_cta : end;
  while (cta < end && dispatch_is_out(kernel, cta)) cta++;
  return cta;
}

#endif
