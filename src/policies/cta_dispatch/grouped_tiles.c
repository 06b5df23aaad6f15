// SPDX-License-Identifier: MIT
// CTAs of a grid of tiles in groups: `rows` of them down a column of the grid, then the next
// column, and so on to the end of the rows; then the next rows. What runs at the same time is a
// block of tiles closer to a square than rows of the grid are, and shares more of its operands in
// the L2. Kernels of Triton and cuBLAS number their tiles in this way themselves; here the hardware
// does it. SMs are served in turn, as on_demand does.
#include "policies/cta_dispatch/cta_dispatch.h"

typedef struct GroupedTiles {
  uint32_t rows;  // parameter
  uint32_t last_sm;
} GroupedTiles;

// The first CTA goes to SM 0.
static Status grouped_tiles_init(void *state, const PolicySetup *setup, Error *err) {
  (void)err;
  ((GroupedTiles *)state)->last_sm = setup->machine->sm_count - 1;
  return OK;
}

// Position `at` in the order of groups as a CTA, by its linear index. Planes of z follow one
// another.
static uint64_t cta_at(const Launch *launch, uint32_t group_rows, uint64_t at) {
  uint64_t columns = launch->grid[0], rows = launch->grid[1], plane = columns * rows;
  uint64_t within = at % plane, group = group_rows * columns;
  uint64_t first = within / group * group_rows;
  uint64_t height = rows - first < group_rows ? rows - first : group_rows;
  uint64_t row = first + within % group % height, column = within % group / height;
  return at / plane * plane + row * columns + column;
}

// The first position whose CTA waits. The CTAs of a group are consecutive, too: all groups before
// that of next_cta are out.
static uint64_t next_position(const DispatchKernel *kernel, uint32_t rows) {
  const Launch *launch = kernel->view.launch;
  uint64_t group = (uint64_t)rows * launch->grid[0],
           plane = (uint64_t)launch->grid[0] * launch->grid[1];
  uint64_t at = kernel->next_cta / plane * plane + kernel->next_cta % plane / group * group;
  while (dispatch_is_out(kernel, cta_at(launch, rows, at))) at++;
  return at;
}

static bool pick_of(void *state, const DispatchView *view, const DispatchKernel *kernel,
                    DispatchChoice *choice) {
  GroupedTiles *tiles = state;
  choice->sm = tiles->last_sm = dispatch_next_sm(view, kernel, tiles->last_sm);
  choice->cta = cta_at(kernel->view.launch, tiles->rows, next_position(kernel, tiles->rows));
  return true;
}

static bool grouped_tiles_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  return dispatch_by_kernel(state, view, choice, pick_of);
}

static const Param grouped_tiles_params[] = {
    PARAM(GroupedTiles, rows, 8, 1, 65535, "rows of the grid per group"), {0}};

const CtaDispatchType grouped_tiles_dispatch = {
    .policy = {.name = "grouped_tiles",
               .summary = "groups of rows of the grid, column by column, to SMs in turn",
               .state_size = sizeof(GroupedTiles),
               .params = grouped_tiles_params,
               .init = grouped_tiles_init},
    .pick = grouped_tiles_pick,
};
