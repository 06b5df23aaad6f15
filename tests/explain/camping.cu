// SPDX-License-Identifier: MIT
// Fault: all CTAs read one small table past the L1: it lies in one L2 slice.
// Repair: a copy per CTA, which lie in different slices.
#include "program.h"

enum { ENTRIES = 64, COPIES = 64 };

__global__ void look_up(const float *tables, float *out, int rounds) {
#ifdef REPAIRED
  const float *table = tables + blockIdx.x % COPIES * ENTRIES;
#else
  const float *table = tables;
#endif
  float sum = 0;
#pragma unroll 4
  for (int i = 0; i < rounds; i++) sum += __ldcg(&table[(threadIdx.x + i * 8) % ENTRIES]);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main() {
  const int ctas = 64;
  Buffer<float> tables(ENTRIES * COPIES), out(ctas * 256);
  tables.fill([](size_t) { return 0.5f; });
  look_up<<<ctas, 256>>>(tables.data, out.data, 32);
  print_sum(out);
}
