// SPDX-License-Identifier: MIT
// An uncoalesced transpose: neighbouring threads read neighbouring words and
// write words that are a row apart.
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

__global__ void transpose(float *out, const float *in, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  float value = in[y * n + x];
  out[x * n + y] = value;  // culprit
}

int main() {
  const int n = 256, bytes = n * n * (int)sizeof(float);
  std::vector<float> in(n * n), out(n * n);
  for (int i = 0; i < n * n; i++) in[i] = (float)i;
  float *device_in, *device_out;
  cudaMalloc(&device_in, bytes);
  cudaMalloc(&device_out, bytes);
  cudaMemcpy(device_in, in.data(), bytes, cudaMemcpyHostToDevice);
  transpose<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(device_out, device_in, n);
  cudaMemcpy(out.data(), device_out, bytes, cudaMemcpyDeviceToHost);
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++)
      if (out[x * n + y] != in[y * n + x]) return printf("wrong at %d, %d\n", x, y), 1;
  return 0;
}
