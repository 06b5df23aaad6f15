// SPDX-License-Identifier: MIT
// refused: 8: cooperative groups over the grid
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void smooth(float *a, float *b) {
  cg::grid_group grid = cg::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i] / 2;
  grid.sync();
  a[i] = b[gridDim.x * blockDim.x - 1 - i];
}

void run(float *a, float *b) {
  void *arguments[] = {&a, &b};
  cudaLaunchCooperativeKernel((void *)smooth, 4, 64, arguments, 0, 0);
}
