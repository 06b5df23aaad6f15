// SPDX-License-Identifier: MIT
// A five-point stencil in blocks of 2 x 128 threads: a warp covers two columns of
// sixteen rows, so that each of its loads touches sixteen lines.
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

__global__ void stencil(float *out, const float *in, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x == n - 1 || y == n - 1) return;
  const float *at = in + y * n + x;
  float sum = at[0] + at[-1] + at[1] + at[-n] + at[n];  // culprit
  out[y * n + x] = 0.2f * sum;
}

int main() {
  const int n = 256, bytes = n * n * (int)sizeof(float);
  std::vector<float> in(n * n), out(n * n);
  for (int i = 0; i < n * n; i++) in[i] = (float)(i % 7);
  float *device_in, *device_out;
  cudaMalloc(&device_in, bytes);
  cudaMalloc(&device_out, bytes);
  cudaMemcpy(device_in, in.data(), bytes, cudaMemcpyHostToDevice);
  stencil<<<dim3(n / 2, n / 128), dim3(2, 128)>>>(device_out, device_in, n);
  cudaMemcpy(out.data(), device_out, bytes, cudaMemcpyDeviceToHost);
  for (int y = 1; y < n - 1; y++)
    for (int x = 1; x < n - 1; x++) {
      const float *at = &in[y * n + x];
      float sum = at[0] + at[-1] + at[1] + at[-n] + at[n];
      if (out[y * n + x] != 0.2f * sum) return printf("wrong at %d, %d\n", x, y), 1;
    }
  return 0;
}
