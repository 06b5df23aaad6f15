// SPDX-License-Identifier: MIT
// Thread block clusters: shared memory of other CTAs, and barriers across the cluster.
#include "exec/cluster.h"

#include "exec/warp.h"

static uint64_t offset_of(uint64_t address) {
  return address & ((UINT64_C(1) << CLUSTER_RANK_SHIFT) - 1);
}

void cluster_join(CtaCluster *cluster, Cta *cta, uint32_t rank) {
  cta->cluster = cluster;
  cta->rank = rank;
  cluster->ctas[rank] = cta;
  cluster->live++;
}

bool cluster_leave(Cta *cta) {
  CtaCluster *cluster = cta->cluster;
  cluster->ctas[cta->rank] = NULL;
  cta->cluster = NULL;
  return --cluster->live == 0;
}

Cta *cluster_owner(Cta *cta, uint64_t address, uint64_t *offset) {
  uint64_t code = address >> CLUSTER_RANK_SHIFT;
  *offset = offset_of(address);
  if (!code) return cta;
  if (!cta->cluster) return code == 1 ? cta : NULL;
  return code <= cta->cluster->size ? cta->cluster->ctas[code - 1] : NULL;
}

uint64_t cluster_map(const Cta *cta, uint64_t address, uint32_t rank) {
  if (!cta->cluster) return address;
  return offset_of(address) | (uint64_t)(rank + 1) << CLUSTER_RANK_SHIFT;
}

uint32_t cluster_rank_of(const Cta *cta, uint64_t address) {
  uint64_t code = address >> CLUSTER_RANK_SHIFT;
  return code ? (uint32_t)(code - 1) : cta->rank;
}

// ---- barrier.cluster

static void release(CtaCluster *cluster) {
  cluster->arrived_warps = 0;
  cluster->phase++;
  cluster->was_released = cluster->has_changed = true;
  for (uint32_t r = 0; r < cluster->size; r++) {
    Cta *cta = cluster->ctas[r];
    if (!cta) continue;
    CtaBarrier *barrier = &cta->barriers[CLUSTER_BARRIER];
    for (uint32_t left = barrier->waiting; left; left &= left - 1) {
      Warp *warp = &cta->warps[__builtin_ctz(left)];
      warp->state = WARP_RUNNING;
      warp->barrier_instruction = NULL;
    }
    barrier->waiting = 0;
  }
}

// Warps that have exited count as arrived.
void cluster_release_if_complete(CtaCluster *cluster) {
  uint32_t expected = 0;
  for (uint32_t r = 0; r < cluster->size; r++)
    if (cluster->ctas[r]) expected += cluster->ctas[r]->live_warps;
  if (cluster->arrived_warps && cluster->arrived_warps >= expected) release(cluster);
}

void cluster_arrive(Warp *warp) {
  CtaCluster *cluster = warp->cta->cluster;
  warp->cluster_phase = cluster->phase;
  cluster->arrived_warps++;
  cluster_release_if_complete(cluster);
}

void cluster_wait(Warp *warp, const Instruction *in, uint32_t mask) {
  Cta *cta = warp->cta;
  if (cta->cluster->phase != warp->cluster_phase) return;
  cta->barriers[CLUSTER_BARRIER].waiting |= 1u << warp->index;
  warp->state = WARP_AT_BARRIER;
  warp->barrier_instruction = in;
  warp->barrier_mask = mask;
}

bool cluster_can_run(const CtaCluster *cluster) {
  for (uint32_t r = 0; r < cluster->size; r++)
    for (uint32_t w = 0; cluster->ctas[r] && w < cluster->ctas[r]->warp_count; w++) {
      WarpState state = cluster->ctas[r]->warps[w].state;
      if (state == WARP_RUNNING || state == WARP_AT_CHILDREN) return true;
    }
  return false;
}

uint64_t launch_cluster_cta(const Launch *launch, uint64_t index, uint32_t rank) {
  const uint32_t *grid = launch->grid, *size = launch->cluster;
  uint64_t columns = grid[0] / size[0], rows = grid[1] / size[1];
  uint64_t x = index % columns * size[0] + rank % size[0];
  uint64_t y = index / columns % rows * size[1] + rank / size[0] % size[1];
  uint64_t z = index / columns / rows * size[2] + rank / size[0] / size[1];
  return x + grid[0] * (y + grid[1] * z);
}
