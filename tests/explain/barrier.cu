// SPDX-License-Identifier: MIT
// Fault: in each phase one warp, another each time, does all the work, and the others wait at the
// barrier. Repair: the work of a phase is divided among the warps.
#include "program.h"

__global__ void phases(float *out, int work) {
  __shared__ float part[8];
  int warp = threadIdx.x / 32;
  float x = threadIdx.x % 32, sum = 0;
  if (threadIdx.x < 8) part[threadIdx.x] = 0;
  __syncthreads();
  for (int phase = 0; phase < 8; phase++) {
#ifdef REPAIRED
    int steps = work / 8;
#else
    int steps = warp == phase ? work : 0;
#endif
    for (int i = 0; i < steps; i++) {
      x = x * 0.5f + 1.0f;
      sum += x > 0;
    }
    if (threadIdx.x % 32 == 0) part[(warp + phase) % 8] += 1;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum + part[warp];
}

int main() {
  const int ctas = scaled(40);
  Buffer<float> out(ctas * 256);
  phases<<<ctas, 256>>>(out.data, 256);
  print_sum(out);
}
