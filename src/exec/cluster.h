// SPDX-License-Identifier: MIT
// Thread block clusters: CTAs that run at the same time and reach one another's shared memory.
//
// An address of shared memory is an offset in the CTA's own; above CLUSTER_RANK_SHIFT it has the
// rank of another CTA of the cluster, plus one (mapa makes such addresses). A cluster belongs to
// who runs its CTAs, until the last has left.
#ifndef EXEC_CLUSTER_H
#define EXEC_CLUSTER_H

#include "exec/cta.h"

enum { CLUSTER_RANK_SHIFT = 19 };

struct CtaCluster {
  uint32_t size;
  uint32_t live;                // CTAs that have not left
  Cta *ctas[MAX_CLUSTER_CTAS];  // by rank; NULL: it has left
  uint32_t arrived_warps;       // at barrier.cluster, since the last release
  uint32_t phase;               // releases
  bool was_released;            // since its owner looked
  bool has_changed;             // since its owner looked: a release, or an mbarrier of another CTA
};

void cluster_join(CtaCluster *cluster, Cta *cta, uint32_t rank);
// All its warps have ended, and nothing of it is in flight. True: it was the last.
bool cluster_leave(Cta *cta);

// The CTA that an address of shared memory belongs to, and the offset in its memory; NULL if there
// is none: the rank does not exist, or the CTA has left.
Cta *cluster_owner(Cta *cta, uint64_t address, uint64_t *offset);
// The address by which others of the cluster reach the same place of the CTA of that rank.
uint64_t cluster_map(const Cta *cta, uint64_t address, uint32_t rank);
uint32_t cluster_rank_of(const Cta *cta, uint64_t address);

// barrier.cluster
void cluster_arrive(Warp *warp);
void cluster_wait(Warp *warp, const Instruction *in, uint32_t mask);
void cluster_release_if_complete(CtaCluster *cluster);
// Some warp of its CTAs can run.
bool cluster_can_run(const CtaCluster *cluster);

// CTA `rank` of cluster `index` of a launch, by its linear index.
uint64_t launch_cluster_cta(const Launch *launch, uint64_t index, uint32_t rank);

#endif
