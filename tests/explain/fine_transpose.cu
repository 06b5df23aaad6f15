// SPDX-License-Identifier: MIT
// Well written: transposition by padded tiles in shared memory, limited by DRAM.
#include "program.h"

__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) out[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}

int main() {
  const int n = 384;
  Buffer<float> in(n * n, 509), out(n * n);
  transpose<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(in.data, out.data, n);
  print_sum(out);
}
