// SPDX-License-Identifier: MIT
// Fault: each CTA has a counter of its own, but the counters are neighbours in a few lines.
// Repair: each has a line for itself.
#include "program.h"

#ifdef REPAIRED
enum { STRIDE = 64 };
#else
enum { STRIDE = 1 };
#endif

__global__ void count(int *counters, int rounds) {
  int odd = 0;
  for (int i = 0; i < rounds; i++) {
    odd += (threadIdx.x * 7 + i) & 1;
    if (threadIdx.x % 8 == 0) atomicAdd(&counters[blockIdx.x * STRIDE], 1);
  }
  if (odd < 0) counters[0] = 0;
}

int main() {
  const int ctas = 32, rounds = 24;
  Buffer<int> counters(ctas * STRIDE);
  count<<<ctas, 256>>>(counters.data, rounds);
  print_sum(counters);
}
