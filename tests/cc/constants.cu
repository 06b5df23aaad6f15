// SPDX-License-Identifier: MIT
// Constant memory, device variables with and without initial values, symbols.
#include "check.h"

__constant__ float coefficients[4];
__constant__ int scale = 3;
__device__ int counter = 40;
__device__ double table[8] = {0.5, 1.5, 2.5};
static __device__ unsigned char hidden[3] = {7, 8, 9};

struct Limits {
  int low, high;
};
__constant__ Limits limits = {-2, 5};

__global__ void apply(float *out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = coefficients[i % 4] * scale + hidden[i % 3] + limits.low * limits.high;
  atomicAdd(&counter, 1);
  if (i < 8) table[i] += i;
}

int main() {
  float values[4] = {1, 2, 3, 4}, out[32], *device;
  CUDA(cudaMalloc(&device, sizeof out));
  CUDA(cudaMemcpyToSymbol(coefficients, values, sizeof values));
  float last = 10;
  CUDA(cudaMemcpyToSymbol(coefficients, &last, sizeof last, 3 * sizeof last));
  apply<<<1, 32>>>(device, 32);
  CUDA(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++) {
    float coefficient = i % 4 == 3 ? 10 : values[i % 4];
    CHECK(out[i] == coefficient * 3 + 7 + i % 3 - 10, "out[%d] = %g", i, out[i]);
  }
  int count;
  double got[8];
  CUDA(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  CUDA(cudaMemcpyFromSymbol(got, table, sizeof got));
  CHECK(count == 72, "counter %d", count);
  for (int i = 0; i < 8; i++) CHECK(got[i] == (i < 3 ? i + 0.5 : 0) + i, "table[%d] %g", i, got[i]);

  void *address;
  size_t size;
  CUDA(cudaGetSymbolAddress(&address, table));
  CUDA(cudaGetSymbolSize(&size, table));
  CHECK(size == sizeof got, "%zu", size);
  CUDA(cudaMemset(address, 0, size));
  CUDA(cudaMemcpyFromSymbol(got, table, sizeof(double), sizeof(double)));
  CHECK(got[0] == 0, "%g", got[0]);
  return check_end();
}
