// SPDX-License-Identifier: MIT
// Expected: atomics
// A histogram of few bins in global memory, which all threads update. Repair: one per block in
// shared memory.
#include "../program.h"

__global__ void count(const unsigned *keys, unsigned *bins, int n) {
#ifdef REPAIRED
  __shared__ unsigned own[64];
  if (threadIdx.x < 64) own[threadIdx.x] = 0;
  __syncthreads();
  unsigned *to = own;
#else
  unsigned *to = bins;
#endif
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&to[keys[i] % 61 * keys[i] % 64], 1u);
#ifdef REPAIRED
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
#endif
}

int main() {
  const int n = 1 << 16;
  Buffer<unsigned> keys(n, 4093), bins(64);
  count<<<40, 256>>>(keys.data, bins.data, n);
  print_sum(bins);
}
