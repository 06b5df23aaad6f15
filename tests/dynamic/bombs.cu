// SPDX-License-Identifier: MIT
// nvcc: -rdc=true
// Launches without end: a kernel that launches itself stops at the nesting limit with
// cudaErrorLaunchMaxDepthExceeded, and launches beyond the pool of pending kernels fail with
// cudaErrorLaunchPendingCountExceeded; what was accepted runs. The argument is the number of
// threads that launch.
#include <cstdlib>

#include "../cuda/check.h"

enum { DEEPEST = 24, POOL = 2048 };

__device__ int deepest, too_deep, ran, refused, other_errors;

__global__ void dive(int depth) {
  atomicMax(&deepest, depth);
  dive<<<1, 1>>>(depth + 1);
  cudaError_t error = cudaGetLastError();
  if (error == cudaErrorLaunchMaxDepthExceeded)
    atomicAdd(&too_deep, 1);
  else if (error != cudaSuccess)
    atomicAdd(&other_errors, 1);
}

__global__ void child() {
  atomicAdd(&ran, 1);
}

// Threads leave without asking for their last error: nothing may be kept for them.
__global__ void parent(int children) {
  if (blockIdx.x * blockDim.x + threadIdx.x >= children) return;
  child<<<1, 1, 0, cudaStreamFireAndForget>>>();
  cudaError_t error = cudaPeekAtLastError();
  if (error == cudaErrorLaunchPendingCountExceeded)
    atomicAdd(&refused, 1);
  else if (error != cudaSuccess)
    atomicAdd(&other_errors, 1);
}

// Streams of a grid end with it, whether the kernel destroys them or not.
__global__ void makes_streams() {
  cudaStream_t stream;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
    atomicAdd(&other_errors, 1);
  child<<<1, 1, 0, stream>>>();
}

template <class T>
static int value_of(const T &symbol) {
  int value;
  CHECK(cudaMemcpyFromSymbol(&value, symbol, sizeof value));
  return value;
}

int main(int argc, char **argv) {
  int children = argc > 1 ? atoi(argv[1]) : 10000;
  dive<<<1, 1>>>(0);
  CHECK(cudaDeviceSynchronize());
  EXPECT(value_of(deepest) == DEEPEST);
  EXPECT(value_of(too_deep) == 1);

  parent<<<(children + 127) / 128, 128>>>(children);
  CHECK(cudaDeviceSynchronize());
  EXPECT(value_of(ran) + value_of(refused) == children);
  EXPECT(value_of(ran) >= POOL);

  int before = value_of(ran);
  for (int i = 0; i < 4; i++) makes_streams<<<4, 64>>>();
  CHECK(cudaDeviceSynchronize());
  EXPECT(value_of(ran) == before + 4 * 4 * 64);
  EXPECT(value_of(other_errors) == 0);
  return finish("bombs");
}
