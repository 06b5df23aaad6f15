// SPDX-License-Identifier: MIT
// Tiles in shared memory, two dimensions, a template for the tile's size.
#include <vector>

#include "check.h"

template <int tile>
__global__ void multiply(const float *a, const float *b, float *c, int n) {
  __shared__ float as[tile][tile], bs[tile][tile];
  int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += tile) {
    as[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < tile; k++) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

template <int tile>
static void test(int n) {
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; i++) a[i] = (i * 7 + 3) % 11 - 5, b[i] = (i * 5 + 1) % 13 - 6;
  float *da, *db, *dc;
  CUDA(cudaMalloc(&da, n * n * sizeof(float)));
  CUDA(cudaMalloc(&db, n * n * sizeof(float)));
  CUDA(cudaMalloc(&dc, n * n * sizeof(float)));
  CUDA(cudaMemcpy(da, a.data(), n * n * sizeof(float), cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(db, b.data(), n * n * sizeof(float), cudaMemcpyHostToDevice));
  dim3 block(tile, tile), grid(n / tile, n / tile);
  multiply<tile><<<grid, block>>>(da, db, dc, n);
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaMemcpy(c.data(), dc, n * n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
      CHECK(c[i * n + j] == sum, "%d %d: %g, not %g", i, j, c[i * n + j], sum);
    }
  cudaFree(da), cudaFree(db), cudaFree(dc);
}

int main() {
  test<16>(64);
  test<8>(40);
  return check_end();
}
