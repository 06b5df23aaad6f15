// SPDX-License-Identifier: MIT
// Tiles of C, and which one a CTA computes.
#ifndef WORKLOADS_GEMM_TILE_H
#define WORKLOADS_GEMM_TILE_H

enum { TILE = 128, THREADS = 256, CHUNK = 8 };

// The tile of C that a CTA computes. With a group, CTAs go down `group` rows of tiles before the
// next column: what runs at the same time needs fewer tiles of B, which stay in the L2.
__device__ inline void tile_of(int group, int *tile_row, int *tile_column) {
  int rows = gridDim.y, columns = gridDim.x, linear = blockIdx.y * columns + blockIdx.x;
  if (!group) {
    *tile_row = blockIdx.y;
    *tile_column = blockIdx.x;
    return;
  }
  int per_group = group * columns, first = linear / per_group * group;
  int height = min(rows - first, group), within = linear % per_group;
  *tile_row = first + within % height;
  *tile_column = within / height;
}

#endif
