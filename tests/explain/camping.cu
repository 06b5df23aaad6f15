// SPDX-License-Identifier: MIT
// Fault: all CTAs read a table from its beginning at the same time, past the L1: at any time they
// want the same few lines, of one L2 slice. Repair: each CTA begins at another place.
#include "program.h"

__global__ void scan(const float *table, float *out, int size) {
  float sum = 0;
#ifdef REPAIRED
  int first = blockIdx.x * 97 * 32 % size;
#else
  int first = 0;
#endif
  for (int i = 0; i < size; i += blockDim.x)
    sum += __ldcg(&table[(first + i + threadIdx.x) % size]);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main() {
  const int size = 4096, ctas = 64;
  Buffer<float> table(size), out(ctas * 128);
  table.fill([](size_t) { return 0.5f; });
  scan<<<ctas, 128>>>(table.data, out.data, size);
  print_sum(out);
}
