// SPDX-License-Identifier: MIT
// Functions for host and device that name blockIdx for the device only.
#include "check.h"

__host__ __device__ inline int number(int otherwise) {
#ifdef __CUDA_ARCH__
  return (int)(blockIdx.y * gridDim.x + blockIdx.x) + 0 * otherwise;
#else
  return otherwise;
#endif
}

__host__ __device__ inline int twice(int value) { return 2 * value; }

__device__ int flat(const uint3 &cta, dim3 grid) { return (int)(cta.y * grid.x + cta.x); }

__global__ void fill(int *out) {
  const uint3 cta = blockIdx;
  const dim3 grid = gridDim;
  if (threadIdx.x == 0) out[number(0)] = twice(flat(cta, grid)) + flat(blockIdx, gridDim);
}

int main() {
  Array<int> d(35);
  fill<<<dim3(7, 5), 32>>>(d);
  std::vector<int> values = d.get();
  for (int i = 0; i < 35; i++) CHECK(values[(size_t)i] == twice(i) + i);
  return verdict();
}
