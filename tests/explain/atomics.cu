// SPDX-License-Identifier: MIT
// Fault: every thread adds to one word of global memory.
// Repair: warps add up their values first, then one thread per CTA updates the word.
#include "program.h"

__global__ void total(const int *values, int *sum, int each) {
  int at = blockIdx.x * blockDim.x + threadIdx.x, mine = 0;
#ifdef REPAIRED
  __shared__ int part;
  if (threadIdx.x == 0) part = 0;
  __syncthreads();
  for (int i = 0; i < each; i++) mine += values[at + i * gridDim.x * blockDim.x];
  for (int step = 16; step; step /= 2) mine += __shfl_down_sync(~0u, mine, step);
  if (threadIdx.x % 32 == 0) atomicAdd(&part, mine);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, part);
#else
  for (int i = 0; i < each; i++) {
    mine = values[at + i * gridDim.x * blockDim.x];
    atomicAdd(&sum[mine >> 20], mine);  // the compiler cannot know that it is one word
  }
#endif
}

int main() {
  const int ctas = scaled(40), each = 2;
  Buffer<int> values(ctas * 256 * each, 100), sum(1);
  total<<<ctas, 256>>>(values.data, sum.data, each);
  print_sum(sum);
}
