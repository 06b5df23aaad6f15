// SPDX-License-Identifier: MIT
// Fault: the lanes of a warp read a column of a tile of 32 words per row: one bank.
// Repair: a word of padding per row.
#include "program.h"

#ifdef REPAIRED
enum { PADDING = 1 };
#else
enum { PADDING = 0 };
#endif

__global__ void mix(const float *in, float *out, int rounds) {
  __shared__ float tile[32][32 + PADDING];
  int x = threadIdx.x % 32, y = threadIdx.x / 32;
  int at = blockIdx.x * 1024 + threadIdx.x;
  for (int i = 0; i < 32; i += 8) tile[y + i][x] = in[at + i * 32];
  __syncthreads();
  float sum = 0;
  for (int round = 0; round < rounds; round++)
    for (int i = 0; i < 32; i += 8) sum += tile[x][(y + i + round) % 32];
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

int main() {
  const int ctas = scaled(48);
  Buffer<float> in(ctas * 1024, 17), out(ctas * 256);
  mix<<<ctas, 256>>>(in.data, out.data, 4);
  print_sum(out);
}
