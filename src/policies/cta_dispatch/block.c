// SPDX-License-Identifier: MIT
// Block scheduling (BCS) and distributed-block scheduling (paper 003, section
// 5): neighbouring CTAs go to one SM together, two unless told otherwise, and
// only when it has room for all of them, even if fewer are left. `block` takes
// them in order, clusters and their SMs in turns; `distributed_block` gives
// each cluster its own share of the grid.
//
// A cluster takes a CTA a cycle, so a block is given out over several cycles;
// other kernels wait for it.
#include "policies/cta_dispatch/cluster_turns.h"

typedef struct OpenBlock {
  uint32_t sm, kernel;
  uint64_t next_cta, end_cta;  // next_cta == end_cta: none is open
} OpenBlock;

typedef struct Blocks {
  uint32_t block_size;
  uint32_t next_cluster;  // in turns
  ClusterTurns turns;
  OpenBlock open[MAX_CLUSTERS];
} Blocks;

static bool is_open(const OpenBlock *block) {
  return block->next_cta < block->end_cta;
}

// A kernel of which fewer fit has smaller blocks.
static uint32_t size_for(const Blocks *blocks, const DispatchView *view) {
  return blocks->block_size < view->max_ctas_per_sm ? blocks->block_size : view->max_ctas_per_sm;
}

static bool take(OpenBlock *block, const DispatchView *view, DispatchChoice *choice) {
  if (block->kernel != view->kernel || !dispatch_has_room(view, block->sm)) return false;
  *choice = (DispatchChoice){.sm = block->sm, .cta = block->next_cta++};
  return true;
}

// Opens a block for a cluster, of CTAs from `cta` on.
static bool open_block(Blocks *blocks, const DispatchView *view, uint32_t cluster, uint64_t cta,
                       uint64_t end) {
  uint32_t size = size_for(blocks, view);
  uint32_t sm = cluster_next_sm(&blocks->turns, view, cluster, size);
  if (sm == NO_SM || cta == end || !dispatch_has_room(view, sm)) return false;
  uint64_t last = cta + size;
  blocks->open[cluster] = (OpenBlock){.sm = sm,
                                      .kernel = view->kernel,
                                      .next_cta = cta,
                                      .end_cta = last < end ? last : end};
  cluster_took(&blocks->turns, view, sm);
  return true;
}

// ---- block

static bool is_spoken_for(const Blocks *blocks, const DispatchView *view, uint64_t cta) {
  for (uint32_t c = 0; c < cluster_count(view); c++) {
    const OpenBlock *block = &blocks->open[c];
    if (block->kernel == view->kernel && block->next_cta <= cta && cta < block->end_cta) return true;
  }
  return false;
}

// Blocks are opened in order, so all behind it are unclaimed as well.
static uint64_t first_unclaimed(const Blocks *blocks, const DispatchView *view) {
  uint64_t cta = view->next_cta;
  while (cta < view->cta_count &&
         (dispatch_is_out(view, cta) || is_spoken_for(blocks, view, cta)))
    cta++;
  return cta;
}

static bool block_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  Blocks *blocks = state;
  uint32_t clusters = cluster_count(view);
  for (uint32_t i = 0; i < clusters; i++) {
    uint32_t cluster = (blocks->next_cluster + i) % clusters;
    OpenBlock *block = &blocks->open[cluster];
    if (!is_open(block)) {
      if (!open_block(blocks, view, cluster, first_unclaimed(blocks, view), view->cta_count))
        continue;
      blocks->next_cluster = (cluster + 1) % clusters;
    }
    if (take(block, view, choice)) return true;
  }
  return false;
}

// ---- distributed_block

static bool distributed_block_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  Blocks *blocks = state;
  for (uint32_t c = 0; c < cluster_count(view); c++) {
    if (!is_open(&blocks->open[c]) &&
        !open_block(blocks, view, c, pool_next(view, c), pool_end(view, c)))
      continue;
    if (take(&blocks->open[c], view, choice)) return true;
  }
  return false;
}

static const Param params[] = {
    PARAM(Blocks, block_size, 2, 1, 64, "neighbouring CTAs that an SM gets together"), {0}};

const CtaDispatchType block_dispatch = {
    .policy = {.name = "block",
               .summary = "in order, pairs of neighbouring CTAs to one SM",
               .state_size = sizeof(Blocks),
               .params = params},
    .pick = block_pick,
};

const CtaDispatchType distributed_block_dispatch = {
    .policy = {.name = "distributed_block",
               .summary = "each cluster from its own share, pairs of neighbours to one SM",
               .state_size = sizeof(Blocks),
               .params = params},
    .pick = distributed_block_pick,
};
