// SPDX-License-Identifier: MIT
#include "part.h"

__device__ int shared_table[4] = {1, 2, 3, 4};
__device__ int twice_plus(int a, int b) {
  return 2 * a + b;
}

// A variable of the same name as another file's, which the host writes, too.
static __constant__ int own[2];

// A kernel of the same name as another file's, but not the same.
static __global__ void work(int *data) {
  *data = twice_plus(*data, 5) + own[1];
}

int run_on_device(int value) {
  int *device;
  if (cudaMalloc(&device, sizeof value) != cudaSuccess) return -1;
  int values[2] = {0, 100};
  cudaMemcpyToSymbol(own, values, sizeof values);
  cudaMemcpy(device, &value, sizeof value, cudaMemcpyHostToDevice);
  work<<<1, 1>>>(device);
  cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost);
  cudaFree(device);
  return value;
}
