// SPDX-License-Identifier: MIT
// A gather: indices are read in order, what they name lies anywhere.
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

__global__ void gather(float *y, const float *x, const int *index, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int at = index[i];
  float value = __ldg(x + at);  // culprit
  y[i] = 2 * value;
}

int main() {
  const int n = 1 << 16, length = 1 << 20;
  std::vector<float> x(length), y(n);
  std::vector<int> index(n);
  unsigned random = 1;
  for (int i = 0; i < length; i++) x[i] = (float)i;
  for (int i = 0; i < n; i++) {
    random = random * 1664525u + 1013904223u;
    index[i] = (int)(random >> 12) % length;
  }
  float *device_x, *device_y;
  int *device_index;
  cudaMalloc(&device_x, length * sizeof(float));
  cudaMalloc(&device_y, n * sizeof(float));
  cudaMalloc(&device_index, n * sizeof(int));
  cudaMemcpy(device_x, x.data(), length * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(device_index, index.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  gather<<<n / 256, 256>>>(device_y, device_x, device_index, n);
  cudaMemcpy(y.data(), device_y, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    if (y[i] != 2 * x[index[i]]) return printf("wrong at %d\n", i), 1;
  return 0;
}
