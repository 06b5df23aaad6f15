// SPDX-License-Identifier: MIT
// Two kernels for the page of an explanation: CTAs of a column of the grid read the same data, so
// that clusters along Y are faster; and arithmetic, on which there is nothing to advise.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void columns(const float *in, float *out, int width, int rows) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int r = 0; r < rows; r++) sum += in[r * width + x] * (blockIdx.y + 1);
  out[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = sum;
}

__global__ void powers(float *out, int rounds) {
  __shared__ float tile[256];
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  tile[threadIdx.x] = a;
  __syncthreads();
  for (int i = 0; i < rounds; i++) {
    a = a * 0.5f + 1;
    b = b * 0.5f + 2;
    c = c * 0.5f + 3;
    d = d * 0.5f + 4;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d + tile[255 - threadIdx.x];
}

int main() {
  const int width = 128 * 12, rows = 24;
  float *in, *out;
  cudaMalloc(&in, width * rows * sizeof(float));
  cudaMalloc(&out, 128 * 12 * 16 * sizeof(float));
  cudaMemset(in, 0, width * rows * sizeof(float));
  columns<<<dim3(12, 16), 128>>>(in, out, width, rows);
  powers<<<64, 256>>>(out, 150);
  cudaDeviceSynchronize();
}
