// SPDX-License-Identifier: MIT
// What can be asked about kernels, and launches in less common forms.
#include "check.h"

struct Big {
  double numbers[9];
  char letter;
  short small;
};

__global__ void __launch_bounds__(128) by_value(Big big, char first, double *out, float3 triple) {
  if (threadIdx.x < 9) out[threadIdx.x] = big.numbers[threadIdx.x] + first;
  if (threadIdx.x == 9) out[9] = big.letter + big.small;
  if (threadIdx.x == 10) out[10] = triple.x + triple.y * triple.z;
}

__global__ void dynamic(int *out) {
  extern __shared__ int shared[];
  shared[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

__global__ void fixed(int *out) {
  __shared__ int shared[2048];
  shared[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = shared[threadIdx.x ^ 1];
}

int main() {
  double host[11], *out;
  Big big = {{0, 1, 2, 3, 4, 5, 6, 7, 8}, 'A', -5};
  CHECK(cudaMalloc((void **)&out, sizeof host));
  by_value<<<1, 32>>>(big, 3, out, make_float3(1, 2, 3));
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 9; i++) EXPECT(host[i] == i + 3);
  EXPECT(host[9] == 'A' - 5);
  EXPECT(host[10] == 7);

  char first = 100;
  float3 triple = make_float3(2, 2, 2);
  void *arguments[] = {&big, &first, &out, &triple};
  CHECK(cudaLaunchKernel((const void *)by_value, dim3(1), dim3(32), arguments, 0, 0));
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host[8] == 108 && host[10] == 6);

  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, by_value));
  EXPECT(attributes.maxThreadsPerBlock == 128);
  EXPECT(attributes.numRegs > 0);
  CHECK(cudaFuncGetAttributes(&attributes, fixed));
  EXPECT(attributes.sharedSizeBytes == 8192);
  CHECK(cudaFuncSetCacheConfig(fixed, cudaFuncCachePreferShared));

  int blocks = 0, *integers, results[64];
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fixed, 64, 0));
  EXPECT(blocks > 0);
  int fewer = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fewer, fixed, 64, 16384));
  EXPECT(fewer > 0 && fewer < blocks);
  CHECK(cudaMalloc((void **)&integers, sizeof results));
  dynamic<<<1, 64, 64 * sizeof(int)>>>(integers);
  CHECK(cudaMemcpy(results, integers, sizeof results, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; i++) EXPECT(results[i] == 63 - i);
  CHECK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 40000));
  dynamic<<<1, 64, 40000>>>(integers);
  CHECK(cudaDeviceSynchronize());

  int value = 0;
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
  EXPECT(value == 32);
  CHECK(cudaRuntimeGetVersion(&value));
  EXPECT(value / 1000 == CUDART_VERSION / 1000);
  CHECK(cudaFree(out));
  CHECK(cudaFree(integers));
  return finish("kernels");
}
