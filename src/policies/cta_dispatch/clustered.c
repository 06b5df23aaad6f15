// SPDX-License-Identifier: MIT
// CTA clustering in hardware (Li et al., ASPLOS 2017): CTAs are numbered in an
// order of choice and divided into one cluster per SM; an SM executes its own
// cluster in order and is idle when that is done. What `heddle cluster` does to
// a kernel's source with agents, without its instructions: the difference
// between the two is the cost of doing it in software.
//
// SMs take turns, so that the first wave is as even as round robin's.
#include "base/memory.h"
#include "base/permutation.h"
#include "policies/cta_dispatch/cta_dispatch.h"
#include "policies/cta_dispatch/cta_order.h"

// How far the clusters of one kernel are.
typedef struct KernelTurns {
  uint32_t kernel, next_sm;
  uint64_t *done;  // by SM: CTAs of its cluster that have been dispatched
} KernelTurns;

typedef struct Clustered {
  CtaOrderKind order;  // parameters
  uint32_t tile_width, tile_height;
  char map[PARAM_VALUE_BYTES];

  CtaOrder numbering;
  uint32_t *cta_of;  // of the map
  uint32_t sm_count;
  KernelTurns *kernels;  // that have begun
  uint32_t count, capacity;
} Clustered;

static Status read_map(Clustered *clustered, Error *err) {
  uint32_t *numbers, count;
  if (!clustered->map[0])
    return error_set(err, ERR_CONFIG,
                     "clustered: order=map requires a file: clustered:order=map,map=FILE");
  TRY(permutation_read(clustered->map, &numbers, &count, err));
  clustered->cta_of = memory_alloc(sizeof *numbers * count);
  for (uint32_t cta = 0; cta < count; cta++) clustered->cta_of[numbers[cta]] = cta;
  clustered->numbering.cta_of = clustered->cta_of;
  clustered->numbering.map_count = count;
  memory_free(numbers);
  return OK;
}

static Status clustered_init(void *state, const PolicySetup *setup, Error *err) {
  Clustered *clustered = state;
  clustered->sm_count = setup->machine->sm_count;
  clustered->numbering = (CtaOrder){.kind = clustered->order,
                                    .tile_width = clustered->tile_width,
                                    .tile_height = clustered->tile_height};
  return clustered->order == CTA_ORDER_MAP ? read_map(clustered, err) : OK;
}

static void clustered_clear(void *state) {
  Clustered *clustered = state;
  for (uint32_t i = 0; i < clustered->count; i++) memory_free(clustered->kernels[i].done);
  memory_free(clustered->kernels);
  memory_free(clustered->cta_of);
}

static KernelTurns *turns_of(Clustered *clustered, uint32_t kernel) {
  for (uint32_t i = 0; i < clustered->count; i++)
    if (clustered->kernels[i].kernel == kernel) return &clustered->kernels[i];
  GROW(clustered->kernels, clustered->count, clustered->capacity);
  KernelTurns *turns = &clustered->kernels[clustered->count++];
  *turns = (KernelTurns){.kernel = kernel,
                         .done = memory_alloc(sizeof *turns->done * clustered->sm_count)};
  return turns;
}

static void clustered_kernel_end(void *state, const KernelView *kernel) {
  Clustered *clustered = state;
  for (uint32_t i = 0; i < clustered->count; i++) {
    if (clustered->kernels[i].kernel != kernel->id) continue;
    memory_free(clustered->kernels[i].done);
    clustered->kernels[i] = clustered->kernels[--clustered->count];
    return;
  }
}

static bool pick_of(void *state, const DispatchView *view, const DispatchKernel *kernel,
                    DispatchChoice *choice) {
  Clustered *clustered = state;
  KernelTurns *turns = turns_of(clustered, kernel->view.id);
  uint64_t ctas = kernel->view.cta_count;
  for (uint32_t i = 0; i < view->sm_count; i++) {
    uint32_t sm = (turns->next_sm + i) % view->sm_count;
    bool is_done = turns->done[sm] == partition_size(ctas, view->sm_count, sm);
    if (is_done || !dispatch_has_room(kernel, sm)) continue;
    uint64_t v = partition_first(ctas, view->sm_count, sm) + turns->done[sm]++;
    turns->next_sm = (sm + 1) % view->sm_count;
    choice->sm = sm;
    choice->cta = cta_order_cta(&clustered->numbering, kernel->view.launch->grid, v);
    return true;
  }
  return false;
}

static bool clustered_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  return dispatch_by_kernel(state, view, choice, pick_of);
}

static const char *const orders[] = {
    [CTA_ORDER_ROW] = "row",   [CTA_ORDER_COLUMN] = "column", [CTA_ORDER_LONGER] = "longer",
    [CTA_ORDER_TILE] = "tile", [CTA_ORDER_MAP] = "map",       NULL};

static const Param clustered_params[] = {
    PARAM_CHOICE(Clustered, order, CTA_ORDER_ROW, orders, "order of the CTAs within clusters"),
    PARAM(Clustered, tile_width, 4, 1, 1024, "CTAs per tile along x, with order=tile"),
    PARAM(Clustered, tile_height, 4, 1, 1024, "CTAs per tile along y, with order=tile"),
    PARAM_TEXT(
        Clustered, map, "",
        "file with the number of each CTA, row by row, with order=map; grids of another size "
        "go row by row"),
    {0}};

const CtaDispatchType clustered_dispatch = {
    .policy = {.name = "clustered",
               .summary = "one cluster of CTAs per SM: by row, column, tile or map",
               .state_size = sizeof(Clustered),
               .params = clustered_params,
               .init = clustered_init,
               .clear = clustered_clear,
               .on_kernel_end = clustered_kernel_end},
    .pick = clustered_pick,
};
