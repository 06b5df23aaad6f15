// SPDX-License-Identifier: MIT
// Block scheduling (BCS) and distributed-block scheduling (Wang et al., TC
// 2019, section 5): neighbouring CTAs go to one SM together, two unless told otherwise, and
// only when it has room for all of them, even if fewer are left. `block` takes
// them in order, clusters and their SMs in turns; `distributed_block` gives
// each cluster its own share of the grid.
//
// A cluster takes one CTA per cycle, so a block is given out over several cycles;
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
  OpenBlock *open;        // by cluster
} Blocks;

static Status blocks_init(void *state, const PolicySetup *setup, Error *err) {
  Blocks *blocks = state;
  (void)err;
  cluster_turns_init(&blocks->turns, setup);
  blocks->open = ARENA_ARRAY(setup->arena, OpenBlock, setup->machine->cluster_count);
  return OK;
}

static bool is_open(const OpenBlock *block) {
  return block->next_cta < block->end_cta;
}

static uint32_t smaller(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

static bool take(OpenBlock *block, const DispatchKernel *kernel, DispatchChoice *choice) {
  if (block->kernel != kernel->view.id || !dispatch_has_room(kernel, block->sm)) return false;
  choice->sm = block->sm;
  choice->cta = block->next_cta++;
  return true;
}

// Opens a block for a cluster, of CTAs from `cta` on. A kernel of which fewer
// fit, or an SM that may hold fewer, has smaller blocks.
static bool open_block(Blocks *blocks, const DispatchView *view, const DispatchKernel *kernel,
                       uint32_t cluster, uint64_t cta, uint64_t end) {
  uint32_t size = smaller(blocks->block_size, kernel->view.max_ctas_per_sm);
  uint32_t sm = cluster_next_sm(&blocks->turns, view, kernel, cluster, size);
  if (sm == NO_SM || cta == end || !dispatch_has_room(kernel, sm)) return false;
  uint64_t last = cta + smaller(size, view->limits[sm]);
  blocks->open[cluster] = (OpenBlock){.sm = sm,
                                      .kernel = kernel->view.id,
                                      .next_cta = cta,
                                      .end_cta = last < end ? last : end};
  cluster_took(&blocks->turns, view, sm);
  return true;
}

// ---- block

static bool is_spoken_for(const Blocks *blocks, const DispatchView *view,
                          const DispatchKernel *kernel, uint64_t cta) {
  for (uint32_t c = 0; c < cluster_count(view); c++) {
    const OpenBlock *block = &blocks->open[c];
    if (block->kernel == kernel->view.id && block->next_cta <= cta && cta < block->end_cta) return true;
  }
  return false;
}

// Blocks are claimed in order, so all later ones are unclaimed as well.
static uint64_t first_unclaimed(const Blocks *blocks, const DispatchView *view,
                                const DispatchKernel *kernel) {
  uint64_t cta = kernel->next_cta;
  while (cta < kernel->view.cta_count &&
         (dispatch_is_out(kernel, cta) || is_spoken_for(blocks, view, kernel, cta)))
    cta++;
  return cta;
}

static bool block_of(void *state, const DispatchView *view, const DispatchKernel *kernel,
                     DispatchChoice *choice) {
  Blocks *blocks = state;
  uint32_t clusters = cluster_count(view);
  for (uint32_t i = 0; i < clusters; i++) {
    uint32_t cluster = (blocks->next_cluster + i) % clusters;
    OpenBlock *block = &blocks->open[cluster];
    if (!is_open(block)) {
      if (!open_block(blocks, view, kernel, cluster, first_unclaimed(blocks, view, kernel),
                      kernel->view.cta_count))
        continue;
      blocks->next_cluster = (cluster + 1) % clusters;
    }
    if (take(block, kernel, choice)) return true;
  }
  return false;
}

static bool block_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  return dispatch_by_kernel(state, view, choice, block_of);
}

// ---- distributed_block

static bool distributed_block_of(void *state, const DispatchView *view,
                                 const DispatchKernel *kernel, DispatchChoice *choice) {
  Blocks *blocks = state;
  for (uint32_t c = 0; c < cluster_count(view); c++) {
    if (!is_open(&blocks->open[c]) &&
        !open_block(blocks, view, kernel, c, pool_next(view, kernel, c), pool_end(view, kernel, c)))
      continue;
    if (take(&blocks->open[c], kernel, choice)) return true;
  }
  return false;
}

static bool distributed_block_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  return dispatch_by_kernel(state, view, choice, distributed_block_of);
}

static const Param params[] = {
    PARAM(Blocks, block_size, 2, 1, 64, "adjacent CTAs dispatched together"), {0}};

const CtaDispatchType block_dispatch = {
    .policy = {.name = "block",
               .summary = "in order, pairs of adjacent CTAs to one SM",
               .state_size = sizeof(Blocks),
               .params = params,
               .init = blocks_init},
    .pick = block_pick,
};

const CtaDispatchType distributed_block_dispatch = {
    .policy = {.name = "distributed_block",
               .summary = "each cluster from its own share, pairs of adjacent CTAs to one SM",
               .state_size = sizeof(Blocks),
               .params = params,
               .init = blocks_init},
    .pick = distributed_block_pick,
};
