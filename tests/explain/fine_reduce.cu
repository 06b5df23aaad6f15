// SPDX-License-Identifier: MIT
// Well written: a sum by wide loads, shuffles and one atomic per CTA, limited by DRAM.
#include "program.h"

__global__ void reduce(const int4 *in, int *sum, int count) {
  __shared__ int part[8];
  int mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    int4 v = in[i];
    mine += v.x + v.y + v.z + v.w;
  }
  for (int step = 16; step; step /= 2) mine += __shfl_down_sync(~0u, mine, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  mine = threadIdx.x < 8 ? part[threadIdx.x] : 0;
  for (int step = 4; step; step /= 2) mine += __shfl_down_sync(~0u, mine, step);
  if (threadIdx.x == 0) atomicAdd(sum, mine);
}

int main() {
  const int count = scaled(1 << 18);
  Buffer<int> in(count, 19), sum(1);
  reduce<<<scaled(64), 256>>>((const int4 *)in.data, sum.data, count / 4);
  print_sum(sum);
}
