// SPDX-License-Identifier: MIT
// Fault: a CTA reserves 32 KB of shared memory and uses 1 KB: few CTAs fit an SM.
// Repair: it reserves what it uses.
#include "program.h"

__global__ void walk(const int *next, float *out, int steps) {
#ifdef REPAIRED
  __shared__ float part[256];
#else
  __shared__ float part[8192];
#endif
  int at = blockIdx.x * blockDim.x + threadIdx.x, place = at;
  for (int step = 0; step < steps; step++) place = next[place];
  part[threadIdx.x] = place;
  __syncthreads();
  out[at] = part[255 - threadIdx.x];
}

int main() {
  const int threads = scaled(80 * 256);
  Buffer<int> next(threads);
  Buffer<float> out(threads);
  next.fill([](size_t i) { return int((i + 32 * 177) % (80 * 256)); });
  walk<<<threads / 256, 256>>>(next.data, out.data, 20);
  print_sum(out);
}
