// SPDX-License-Identifier: MIT
// A heat map over many steps with a halo in shared memory, two buffers that
// change places, and a reduction at the end.
#include "check.h"

#define BLOCK 16
#define HALO (BLOCK + 2)

__global__ void step(const float *in, float *out, int n, float rate) {
  __shared__ float tile[HALO][HALO];
  int x = blockIdx.x * BLOCK + threadIdx.x, y = blockIdx.y * BLOCK + threadIdx.y;
  for (int i = threadIdx.y * BLOCK + threadIdx.x; i < HALO * HALO; i += BLOCK * BLOCK) {
    int tx = min(max((int)blockIdx.x * BLOCK + i % HALO - 1, 0), n - 1);
    int ty = min(max((int)blockIdx.y * BLOCK + i / HALO - 1, 0), n - 1);
    tile[i / HALO][i % HALO] = in[ty * n + tx];
  }
  __syncthreads();
  if (x >= n || y >= n) return;
  int i = threadIdx.y + 1, j = threadIdx.x + 1;
  out[y * n + x] = tile[i][j] + rate * (tile[i - 1][j] + tile[i + 1][j] + tile[i][j - 1] +
                                        tile[i][j + 1] - 4.0f * tile[i][j]);
}

__global__ void reduce(const float *in, double *sums, int count) {
  extern __shared__ double part[];
  double sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    sum += in[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 50, steps = argc > 2 ? atoi(argv[2]) : 6;
  size_t bytes = sizeof(float) * n * n;
  float *heat = (float *)malloc(bytes), *other = (float *)malloc(bytes), *back = (float *)malloc(bytes);
  for (int i = 0; i < n * n; i++) heat[i] = (float)(i * 37 % 101);
  float *a, *b;
  double *sums, host_sums[4], total = 0, wanted = 0;
  CHECK(cudaMalloc((void **)&a, bytes));
  CHECK(cudaMalloc((void **)&b, bytes));
  CHECK(cudaMalloc((void **)&sums, sizeof host_sums));
  CHECK(cudaMemcpy(a, heat, bytes, cudaMemcpyHostToDevice));
  dim3 block(BLOCK, BLOCK), grid((n + BLOCK - 1) / BLOCK, (n + BLOCK - 1) / BLOCK);
  for (int s = 0; s < steps; s++) {
    step<<<grid, block>>>(a, b, n, 0.1f);
    float *swap = a;
    a = b;
    b = swap;
    for (int y = 0; y < n; y++)
      for (int x = 0; x < n; x++) {
        float up = heat[(y > 0 ? y - 1 : 0) * n + x], down = heat[(y < n - 1 ? y + 1 : y) * n + x];
        float left = heat[y * n + (x > 0 ? x - 1 : 0)], right = heat[y * n + (x < n - 1 ? x + 1 : x)];
        other[y * n + x] = heat[y * n + x] + 0.1f * (up + down + left + right - 4.0f * heat[y * n + x]);
      }
    memcpy(heat, other, bytes);
  }
  reduce<<<4, 128, 128 * sizeof(double)>>>(a, sums, n * n);
  CHECK(cudaMemcpy(back, a, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(host_sums, sums, sizeof host_sums, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 4; i++) total += host_sums[i];
  for (int i = 0; i < n * n; i++) {
    wanted += back[i];
    EXPECT(close_to(back[i], heat[i]));
  }
  EXPECT(fabs(total - wanted) < 1e-6 * wanted);
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFree(sums));
  free(heat);
  free(other);
  free(back);
  return finish("stencil");
}
