// SPDX-License-Identifier: MIT
// nvcc: -rdc=true
// More launches than may be pending: those beyond are refused with the error
// that CUDA has for it, the thread's own and no other's; the host hears of
// nothing. A program that asks for more room gets it, until a reset.
#include "../cuda/check.h"

enum { LANES = 32, ROOM = 8, REFUSED = 69 };  // cudaErrorLaunchPendingCountExceeded

__device__ int ran, errors[LANES], again[LANES], limit_seen;

__global__ void child() {
  atomicAdd(&ran, 1);
}

__global__ void parent() {
  child<<<1, 1, 0, cudaStreamFireAndForget>>>();
  errors[threadIdx.x] = cudaGetLastError();
  again[threadIdx.x] = cudaGetLastError();  // asking takes it away
  size_t limit = 0;
  cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount);
  if (threadIdx.x == 0) limit_seen = (int)limit;
}

static void expect_room(int room) {
  int count = 0, seen = 0, got[LANES], later[LANES];
  CHECK(cudaMemcpyToSymbol(ran, &count, sizeof count));
  parent<<<1, LANES>>>();
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpyFromSymbol(&count, ran, sizeof count));
  CHECK(cudaMemcpyFromSymbol(&seen, limit_seen, sizeof seen));
  CHECK(cudaMemcpyFromSymbol(got, errors, sizeof got));
  CHECK(cudaMemcpyFromSymbol(later, again, sizeof later));
  EXPECT(count == (room < LANES ? room : LANES));
  EXPECT(seen == room);
  for (int lane = 0; lane < LANES; lane++) {
    EXPECT(got[lane] == (lane < room ? 0 : REFUSED));
    EXPECT(later[lane] == 0);
  }
}

__global__ void one_each() {
  child<<<1, 1, 0, cudaStreamFireAndForget>>>();
  if (cudaGetLastError()) atomicAdd(&ran, 1 << 20);
}

// Without time children do not pile up until their parent has ended.
static int run_crowd() {
  int count = 0;
  one_each<<<5000, 1>>>();
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpyFromSymbol(&count, ran, sizeof count));
  EXPECT(count == 5000);
  return finish("crowd");
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) return run_crowd();
  size_t limit = 0;
  CHECK(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
  EXPECT(limit == 2048);
  expect_room(2048);
  CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, ROOM));
  CHECK(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
  EXPECT(limit == ROOM);
  expect_room(ROOM);
  expect_room(ROOM);
  CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 100));
  expect_room(100);
  CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 0));
  expect_room(1);
  EXPECT(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, (size_t)1 << 40) ==
         cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation ? cudaSuccess : cudaErrorUnknown);
  CHECK(cudaDeviceReset());
  CHECK(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
  EXPECT(limit == 2048);
  expect_room(2048);
  return finish("pending");
}
