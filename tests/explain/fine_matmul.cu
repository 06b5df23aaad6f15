// SPDX-License-Identifier: MIT
// Well written: matrix product with tiles in shared memory and sixteen results per thread.
#include "program.h"

enum { TILE = 64, DEPTH = 16 };

__global__ void __launch_bounds__(256) multiply(const float *a, const float *b, float *c, int n) {
  __shared__ float as[DEPTH][TILE + 4], bs[DEPTH][TILE];
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const float *row = a + blockIdx.y * TILE * n, *column = b + blockIdx.x * TILE;
  float sum[4][4] = {};
  for (int k = 0; k < n; k += DEPTH) {
    for (int i = 0; i < 4; i++) {
      int word = threadIdx.x + i * 256;
      as[word % DEPTH][word / DEPTH] = row[word / DEPTH * n + k + word % DEPTH];
      bs[word / TILE][word % TILE] = column[(k + word / TILE) * n + word % TILE];
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
      float4 u = *(float4 *)&as[d][ty * 4], v = *(float4 *)&bs[d][tx * 4];
      float us[4] = {u.x, u.y, u.z, u.w}, vs[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) sum[i][j] += us[i] * vs[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    *(float4 *)&c[(blockIdx.y * TILE + ty * 4 + i) * n + blockIdx.x * TILE + tx * 4] =
        make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

int main() {
  const int n = 256, rows = scaled(n);
  Buffer<float> a(rows * n, 5), b(n * n, 3), c(rows * n);
  multiply<<<dim3(n / TILE, rows / TILE), 256>>>(a.data, b.data, c.data, n);
  print_sum(c);
}
