// SPDX-License-Identifier: MIT
// nvcc: -rdc=true
// How many launches may be pending: further ones fail with the error that CUDA has for it,
// which belongs to the launching thread alone; the host sees none. The program may raise the
// limit, until a reset.
#include "../cuda/check.h"

__device__ int ran, refused, other_errors, errors[32], again[32], limit_seen;

__global__ void child() {
  atomicAdd(&ran, 1);
}

// All threads launch before the first child can begin: they are of one CTA.
__global__ void parent(int children) {
  for (int i = threadIdx.x; i < children; i += blockDim.x) {
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
}

static void launch(int children, int wanted_refusals) {
  int counts[3], zero = 0;
  CHECK(cudaMemcpyToSymbol(ran, &zero, sizeof zero));
  CHECK(cudaMemcpyToSymbol(refused, &zero, sizeof zero));
  parent<<<1, 1024>>>(children);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpyFromSymbol(&counts[0], ran, sizeof(int)));
  CHECK(cudaMemcpyFromSymbol(&counts[1], refused, sizeof(int)));
  CHECK(cudaMemcpyFromSymbol(&counts[2], other_errors, sizeof(int)));
  EXPECT(counts[0] + counts[1] == children);
  EXPECT(counts[1] == wanted_refusals);
  EXPECT(counts[2] == 0);
}

__global__ void one_per_lane() {
  size_t limit = 0;
  child<<<1, 1>>>();
  errors[threadIdx.x] = cudaGetLastError();
  again[threadIdx.x] = cudaGetLastError();
  cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount);
  if (threadIdx.x == 0) limit_seen = (int)limit;
}

static void check_lanes(int room) {
  int seen, got[32], later[32];
  one_per_lane<<<1, 32>>>();
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpyFromSymbol(&seen, limit_seen, sizeof seen));
  CHECK(cudaMemcpyFromSymbol(got, errors, sizeof got));
  CHECK(cudaMemcpyFromSymbol(later, again, sizeof later));
  EXPECT(seen == room);
  for (int lane = 0; lane < 32; lane++) {
    EXPECT(got[lane] == (lane < room ? cudaSuccess : cudaErrorLaunchPendingCountExceeded));
    EXPECT(later[lane] == cudaSuccess);  // reading the error clears it
  }
}

__global__ void one_per_cta() {
  child<<<1, 1>>>();
  if (cudaGetLastError()) atomicAdd(&refused, 1);
}

// More CTAs than slots in the pool: children begin while their parents still launch.
static int run_crowd() {
  int counts[2];
  one_per_cta<<<5000, 1>>>();
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpyFromSymbol(&counts[0], ran, sizeof(int)));
  CHECK(cudaMemcpyFromSymbol(&counts[1], refused, sizeof(int)));
  EXPECT(counts[0] == 5000);
  EXPECT(counts[1] == 0);
  return finish("crowd");
}

static size_t limit() {
  size_t value = 0;
  CHECK(cudaDeviceGetLimit(&value, cudaLimitDevRuntimePendingLaunchCount));
  return value;
}

static void set_limit(size_t value) {
  CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, value));
  EXPECT(limit() == value);
}

int main(int argc, char **) {
  if (argc > 1) return run_crowd();
  EXPECT(limit() == 2048);
  launch(2048, 0);
  launch(2148, 100);
  check_lanes(2048);
  set_limit(4096);
  launch(3000, 0);
  set_limit(10);
  launch(10, 0);
  launch(32, 22);
  check_lanes(10);
  EXPECT(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, (size_t)1 << 40) ==
         cudaErrorMemoryAllocation);
  cudaGetLastError();
  CHECK(cudaDeviceReset());
  EXPECT(limit() == 2048);
  check_lanes(2048);
  return finish("limits");
}
