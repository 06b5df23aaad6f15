// SPDX-License-Identifier: MIT
// A cooperative launch: all CTAs of the grid wait for one another.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void prefix(int *data, int *other, int n) {
  cg::grid_group grid = cg::this_grid();
  int i = (int)grid.thread_rank();
  for (int d = 1; d < n; d *= 2) {
    if (i < n) other[i] = i >= d ? data[i] + data[i - d] : data[i];
    grid.sync();
    if (i < n) data[i] = other[i];
    grid.sync();
  }
}

int main() {
  int n = 512, host[512], *data, *other;
  for (int i = 0; i < n; i++) host[i] = i % 5;
  CHECK(cudaMalloc((void **)&data, sizeof host));
  CHECK(cudaMalloc((void **)&other, sizeof host));
  CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
  void *arguments[] = {&data, &other, &n};
  CHECK(cudaLaunchCooperativeKernel((const void *)prefix, dim3(8), dim3(64), arguments));
  int sum = 0, back[512];
  CHECK(cudaMemcpy(back, data, sizeof back, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) {
    sum += host[i];
    EXPECT(back[i] == sum);
  }
  EXPECT(cudaLaunchCooperativeKernel((const void *)prefix, dim3(100000), dim3(64), arguments) ==
         cudaErrorCooperativeLaunchTooLarge);
  CHECK(cudaFree(data));
  CHECK(cudaFree(other));
  return finish("cooperative");
}
