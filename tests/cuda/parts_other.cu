// SPDX-License-Identifier: MIT
// The other half of parts_main.cu.
#include "check.h"

extern __device__ int count_call(int value);

__device__ int shared_table[8] = {0, 1, 4, 9, 16, 25, 36, 49};
__constant__ int shared_scale = 1;

__device__ int twice(int value) {
  return 2 * value;
}

__global__ void other_kernel(int *out) {
  out[threadIdx.x] += count_call(1);
}

void set_scale(int scale) {
  CHECK(cudaMemcpyToSymbol(shared_scale, &scale, sizeof scale));
}
