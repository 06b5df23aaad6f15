// SPDX-License-Identifier: MIT
// Grids of all shapes: none, one CTA, long, flat, deep. Every CTA runs once.
#include "check.h"

__global__ void visit(int *visits, int *bad) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x >= gridDim.x || blockIdx.y >= gridDim.y || blockIdx.z >= gridDim.z)
    atomicAdd(bad, 1);
  atomicAdd(&visits[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x], 1);
}

int main() {
  const dim3 grids[] = {dim3(1),       dim3(2),        dim3(14),      dim3(15),      dim3(16),
                        dim3(17),      dim3(1, 31),    dim3(1, 1, 5), dim3(3, 5, 7), dim3(257),
                        dim3(61, 13),  dim3(13, 61),   dim3(2, 2, 64), dim3(1000)};
  for (const dim3 &grid : grids)
    for (int threads : {1, 31, 33, 96}) {
      size_t count = (size_t)grid.x * grid.y * grid.z;
      Array<int> visits(count), bad(1);
      visit<<<grid, threads>>>(visits, bad);
      for (int times : visits.get()) CHECK(times == 1);
      CHECK(bad.get()[0] == 0);
    }
  Array<int> visits(1), bad(1);
  visit<<<0, 32>>>(visits, bad);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  visit<<<dim3(3, 0), 32>>>(visits, bad);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  visit<<<1, 4096>>>(visits, bad);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  visit<<<1, 32>>>(visits, bad);
  CHECK(visits.get()[0] == 1);
  return verdict();
}
