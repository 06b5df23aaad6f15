// SPDX-License-Identifier: MIT
// nvcc: -rdc=true
// Warps that launch 1, 5 and 32 kernels at once: how long those take to arrive
// is told by the results.
#include "../cuda/check.h"

__device__ int arrived[3];

__global__ void child(int group) {
  atomicAdd(&arrived[group], 1);
}

__global__ void launch(int group, int lanes) {
  if (threadIdx.x < lanes) child<<<1, 32, 0, cudaStreamFireAndForget>>>(group);
}

int main() {
  const int lanes[3] = {1, 5, 32};
  int counts[3];
  for (int group = 0; group < 3; group++) launch<<<1, 32>>>(group, lanes[group]);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpyFromSymbol(counts, arrived, sizeof counts));
  for (int group = 0; group < 3; group++) EXPECT(counts[group] == 32 * lanes[group]);
  return finish("together");
}
