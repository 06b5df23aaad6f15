// SPDX-License-Identifier: MIT
// cudaLaunchKernel, and other calls that take a kernel.
#include "check.h"

template <int STEP>
__global__ void count_up(int *out, int first) {
  out[blockIdx.x * blockDim.x + threadIdx.x] += first + STEP * (int)blockIdx.x;
}

__global__ void clear(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 0; }

int main() {
  Array<int> values(128, -1);
  int *out = values, first = 3, blocks = 0;
  void *arguments[] = {&out, &first};
  CUDA(cudaFuncSetCacheConfig(clear, cudaFuncCachePreferL1));
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, count_up<2>, 32, 0));
  CHECK(blocks > 0);
  clear<<<4, 32>>>(values);
  CUDA(cudaLaunchKernel((const void *)count_up<2>, dim3(4), dim3(32), arguments, 0, 0));
  CUDA(cudaLaunchKernel((void *)&count_up<5>, 4, 32, arguments, 0, nullptr));
  CUDA(cudaLaunchKernel(reinterpret_cast<const void *>(&count_up<5>), dim3(4), dim3(32), arguments, 0, 0));
  std::vector<int> result = values.get();
  for (int i = 0; i < 128; i++) CHECK(result[i] == 9 + 12 * (i / 32));
  return verdict();
}
