// SPDX-License-Identifier: MIT
// Kernels that fail: the error is the one a GPU gives, it stays until the
// device is reset, and the host program lives on.
#include <cassert>

#include "check.h"

__global__ void out_of_bounds(int *data) {
  data[threadIdx.x + (1 << 20)] = 1;
}

__global__ void misaligned(char *data) {
  *(int *)(data + 1 + threadIdx.x * 4) = 1;
}

__global__ void asserting(int value) {
  assert(value == 1 && "told so");
}

__global__ void trapping() {
  asm volatile("trap;");
}

__global__ void fine(int *data) {
  data[threadIdx.x] = threadIdx.x;
}

__global__ void greedy() {
  __shared__ int much[1024];
  much[threadIdx.x] = 1;
}

static void expect_sticky(cudaError_t wanted, const char *name) {
  int *data;
  EXPECT(cudaDeviceSynchronize() == wanted);
  EXPECT(cudaGetLastError() == wanted);
  EXPECT(cudaGetLastError() == wanted);  // it cannot be taken away
  EXPECT(cudaMalloc((void **)&data, 4) == wanted);
  EXPECT(strcmp(cudaGetErrorName(wanted), name) == 0);
  CHECK(cudaDeviceReset());
  cudaGetLastError();
  EXPECT(cudaGetLastError() == cudaSuccess);
}

static void expect_working() {
  int *data, host[32];
  CHECK(cudaMalloc((void **)&data, sizeof host));
  fine<<<1, 32>>>(data);
  CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++) EXPECT(host[i] == i);
  CHECK(cudaFree(data));
}

static void refused_launches() {
  fine<<<1, 2048>>>(NULL);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  fine<<<0, 32>>>(NULL);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  fine<<<1, 32, 1 << 20>>>(NULL);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);  // nothing of this is sticky
}

int main() {
  int *data;
  expect_working();
  refused_launches();
  CHECK(cudaMalloc((void **)&data, 64));
  out_of_bounds<<<1, 1>>>(data);
  expect_sticky(cudaErrorIllegalAddress, "cudaErrorIllegalAddress");
  expect_working();
  CHECK(cudaMalloc((void **)&data, 64));
  misaligned<<<1, 4>>>((char *)data);
  expect_sticky(cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress");
  asserting<<<1, 32>>>(2);
  expect_sticky(cudaErrorAssert, "cudaErrorAssert");
  trapping<<<1, 1>>>();
  expect_sticky(cudaErrorLaunchFailure, "cudaErrorLaunchFailure");
  greedy<<<1, 1024>>>();
  expect_working();
  EXPECT(strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
  EXPECT(strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
  return finish("errors");
}
