// SPDX-License-Identifier: MIT
// nvcc: -rdc=true
// How many launches may be pending: more are refused with the error that CUDA has for it,
// and the program may raise the limit.
#include "../cuda/check.h"

__device__ int ran, refused, other_errors;

__global__ void child() {
  atomicAdd(&ran, 1);
}

// All threads launch before the first child can begin.
__global__ void parent(int children) {
  if (blockIdx.x * blockDim.x + threadIdx.x >= children) return;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  child<<<1, 1, 0, stream>>>();
  cudaError_t error = cudaGetLastError();
  if (error == cudaErrorLaunchPendingCountExceeded)
    atomicAdd(&refused, 1);
  else if (error != cudaSuccess)
    atomicAdd(&other_errors, 1);
  cudaStreamDestroy(stream);
}

static void launch(int children, int wanted_refusals) {
  int counts[3], zero = 0;
  CHECK(cudaMemcpyToSymbol(ran, &zero, sizeof zero));
  CHECK(cudaMemcpyToSymbol(refused, &zero, sizeof zero));
  parent<<<(children + 127) / 128, 128>>>(children);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpyFromSymbol(&counts[0], ran, sizeof(int)));
  CHECK(cudaMemcpyFromSymbol(&counts[1], refused, sizeof(int)));
  CHECK(cudaMemcpyFromSymbol(&counts[2], other_errors, sizeof(int)));
  EXPECT(counts[0] + counts[1] == children);
  EXPECT(counts[1] == wanted_refusals);
  EXPECT(counts[2] == 0);
}

int main() {
  size_t limit;
  CHECK(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
  EXPECT(limit == 2048);
  launch(2048, 0);
  launch(2148, 100);
  CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096));
  CHECK(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
  EXPECT(limit == 4096);
  launch(3000, 0);
  CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 10));
  launch(10, 0);
  launch(32, 22);
  EXPECT(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, (size_t)1 << 40) ==
         cudaErrorMemoryAllocation);
  cudaGetLastError();
  return finish("limits");
}
