// SPDX-License-Identifier: MIT
// Memory taken and given back in the order of streams, from pools.
#include "check.h"

#include <cstdint>

__global__ void count_up(int *data, int n, int from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = from + i;
}

static uint64_t ask(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
  uint64_t value = 0;
  CHECK(cudaMemPoolGetAttribute(pool, attribute, &value));
  return value;
}

// A chain of temporaries, as solvers have them.
static void temporaries(cudaStream_t stream) {
  const int n = 2000, rounds = 8;
  int last[rounds];
  for (int r = 0; r < rounds; r++) {
    int *data;
    CHECK(cudaMallocAsync((void **)&data, n * sizeof(int), stream));
    count_up<<<(n + 255) / 256, 256, 0, stream>>>(data, n, r);
    CHECK(cudaMemcpyAsync(&last[r], data + n - 1, sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(data, stream));
  }
  CHECK(cudaStreamSynchronize(stream));
  for (int r = 0; r < rounds; r++) EXPECT(last[r] == r + n - 1);
}

static void accounts(cudaStream_t stream) {
  cudaMemPool_t pool, found;
  cudaMemPoolProps wanted = {};
  int *first, *second;
  wanted.allocType = cudaMemAllocationTypePinned;
  wanted.location.type = cudaMemLocationTypeDevice;
  CHECK(cudaMemPoolCreate(&pool, &wanted));
  uint64_t threshold = UINT64_MAX;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  EXPECT(ask(pool, cudaMemPoolAttrReleaseThreshold) == UINT64_MAX);
  CHECK(cudaMallocAsync(&first, 1000, pool, stream));
  CHECK(cudaDeviceSetMemPool(0, pool));
  CHECK(cudaDeviceGetMemPool(&found, 0));
  EXPECT(found == pool);
  CHECK(cudaMallocAsync((void **)&second, 3000, stream));
  EXPECT(ask(pool, cudaMemPoolAttrUsedMemCurrent) == 4000);
  CHECK(cudaFreeAsync(first, stream));
  EXPECT(cudaFreeAsync(first, stream) == cudaErrorInvalidValue);
  EXPECT(ask(pool, cudaMemPoolAttrUsedMemCurrent) == 3000);
  CHECK(cudaFree(second));
  EXPECT(ask(pool, cudaMemPoolAttrUsedMemCurrent) == 0);
  EXPECT(ask(pool, cudaMemPoolAttrUsedMemHigh) == 4000);
  CHECK(cudaMemPoolTrimTo(pool, 0));
  CHECK(cudaMemPoolDestroy(pool));
  EXPECT(cudaMallocFromPoolAsync((void **)&first, 1000, pool, stream) == cudaErrorInvalidValue);
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  CHECK(cudaDeviceGetMemPool(&found, 0));
  EXPECT(found == pool);
  EXPECT(cudaMemPoolDestroy(pool) == cudaErrorInvalidValue);
}

// What is in use may be freed in another stream, after an event.
static void across_streams(cudaStream_t stream) {
  const int n = 512;
  int *data, value;
  cudaStream_t other;
  cudaEvent_t made;
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
  CHECK(cudaMallocAsync((void **)&data, n * sizeof(int), stream));
  count_up<<<2, 256, 0, stream>>>(data, n, 0);
  CHECK(cudaEventRecord(made, stream));
  CHECK(cudaStreamWaitEvent(other, made, 0));
  CHECK(cudaMemcpyAsync(&value, data + 17, sizeof(int), cudaMemcpyDeviceToHost, other));
  CHECK(cudaFreeAsync(data, other));
  CHECK(cudaStreamDestroy(other));
  EXPECT(value == 17);
  EXPECT(cudaFree(data) == cudaErrorInvalidValue);
}

int main() {
  cudaStream_t stream;
  int has_pools = 0;
  CHECK(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, 0));
  EXPECT(has_pools == 1);
  CHECK(cudaStreamCreate(&stream));
  temporaries(stream);
  accounts(stream);
  across_streams(stream);
  cudaGetLastError();
  CHECK(cudaDeviceSynchronize());
  return finish("pools");
}
