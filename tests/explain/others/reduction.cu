// SPDX-License-Identifier: MIT
// Expected: bank_conflicts
// A reduction in shared memory with interleaved addresses: in each round, active threads access
// words a power of two apart. Repair: sequential addresses.
#include "../program.h"

__global__ void reduce(const float *in, float *out, int rounds) {
  __shared__ float values[1024];
  float total = 0;
  for (int round = 0; round < rounds; round++) {
    int first = (blockIdx.x * rounds + round) * 1024;
    for (int i = threadIdx.x; i < 1024; i += 512) values[i] = in[first + i];
    __syncthreads();
#ifdef REPAIRED
    for (int half = 512; half > 0; half /= 2) {
      if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
      __syncthreads();
    }
#else
    for (int step = 1; step < 1024; step *= 2) {
      int at = 2 * step * threadIdx.x;
      if (at < 1024) values[at] += values[at + step];
      __syncthreads();
    }
#endif
    total += values[0];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}

int main() {
  const int blocks = 80, rounds = 4;
  Buffer<float> in(blocks * rounds * 1024, 13), out(blocks);
  reduce<<<blocks, 512>>>(in.data, out.data, rounds);
  print_sum(out);
}
