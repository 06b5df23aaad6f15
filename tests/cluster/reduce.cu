// SPDX-License-Identifier: MIT
// A tree in dynamic shared memory, launched again and again on fewer elements.
#include "check.h"

template <unsigned int blockSize, bool isEven>
__global__ void reduce(const int *g_idata, int *g_odata, unsigned int n) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * blockSize * 2 + threadIdx.x;
  unsigned int gridSize = blockSize * 2 * gridDim.x;
  int sum = 0;
  while (i < n) {
    sum += g_idata[i];
    if (isEven || i + blockSize < n) sum += g_idata[i + blockSize];
    i += gridSize;
  }
  sdata[tid] = sum;
  __syncthreads();
  for (unsigned int s = blockSize / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

int main() {
  unsigned int n = 20000;
  Array<int> input(numbers(n)), partial(64), total(1);
  reduce<64, false><<<50, 64, 64 * sizeof(int)>>>(input, partial, n);
  reduce<32, true><<<1, 32, 32 * sizeof(int)>>>(partial, total, 64);
  CHECK(total.get()[0] == 199990000);
  return verdict();
}
