// SPDX-License-Identifier: MIT
// Work in several streams: pinned memory, copies beside kernels, events that
// order streams, callbacks, priorities, the default stream's barrier.
#include <semaphore.h>
#include <time.h>

#include "check.h"

__global__ void scale(int *data, int n, int factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}

__global__ void add(int *to, const int *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += from[i];
}

static void CUDART_CB on_done(cudaStream_t stream, cudaError_t status, void *data) {
  (void)stream;
  *(int *)data += status == cudaSuccess ? 1 : 100;
}

static void CUDART_CB on_host(void *data) {
  *(int *)data += 10;
}

static void pipeline() {
  const int chunks = 4, n = 1 << 12;
  int *host, *device, calls = 0;
  cudaStream_t streams[chunks];
  CHECK(cudaMallocHost((void **)&host, chunks * n * sizeof(int)));
  CHECK(cudaMalloc((void **)&device, chunks * n * sizeof(int)));
  for (int i = 0; i < chunks * n; i++) host[i] = i;
  for (int s = 0; s < chunks; s++) {
    CHECK(cudaStreamCreate(&streams[s]));
    int *part = device + s * n;
    CHECK(cudaMemcpyAsync(part, host + s * n, n * sizeof(int), cudaMemcpyHostToDevice, streams[s]));
    scale<<<n / 256, 256, 0, streams[s]>>>(part, n, s + 2);
    CHECK(cudaMemcpyAsync(host + s * n, part, n * sizeof(int), cudaMemcpyDeviceToHost, streams[s]));
    CHECK(cudaStreamAddCallback(streams[s], on_done, &calls, 0));
    CHECK(cudaLaunchHostFunc(streams[s], on_host, &calls));
  }
  for (int s = 0; s < chunks; s++) CHECK(cudaStreamSynchronize(streams[s]));
  EXPECT(calls == 44);
  for (int i = 0; i < chunks * n; i++) EXPECT(host[i] == i * (i / n + 2));
  for (int s = 0; s < chunks; s++) CHECK(cudaStreamDestroy(streams[s]));
  CHECK(cudaFree(device));
  CHECK(cudaFreeHost(host));
}

static void CUDART_CB open_gate(void *gate) {
  sem_post((sem_t *)gate);
}

// The host need not ask CUDA whether its function was called.
static void waiting_for_the_host() {
  const int n = 256;
  int *values;
  sem_t gate;
  timespec latest;
  cudaStream_t stream;
  sem_init(&gate, 0, 0);
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocManaged((void **)&values, n * sizeof(int)));
  for (int i = 0; i < n; i++) values[i] = i;
  scale<<<1, n, 0, stream>>>(values, n, 5);
  CHECK(cudaLaunchHostFunc(stream, open_gate, &gate));
  clock_gettime(CLOCK_REALTIME, &latest);
  latest.tv_sec += 10;
  EXPECT(sem_timedwait(&gate, &latest) == 0);
  for (int i = 0; i < n; i++) EXPECT(values[i] == 5 * i);
  CHECK(cudaFree(values));
  CHECK(cudaStreamDestroy(stream));
}

static void order() {
  const int n = 512;
  int *a, *b, host[n];
  cudaStream_t producer, consumer, loose;
  cudaEvent_t ready, start, stop;
  int least, greatest, priority;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(cudaStreamCreateWithPriority(&producer, cudaStreamNonBlocking, least));
  CHECK(cudaStreamCreateWithPriority(&consumer, cudaStreamNonBlocking, greatest));
  CHECK(cudaStreamCreate(&loose));
  CHECK(cudaStreamGetPriority(consumer, &priority));
  EXPECT(priority == greatest);
  CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaMalloc((void **)&a, sizeof host));
  CHECK(cudaMalloc((void **)&b, sizeof host));
  for (int i = 0; i < n; i++) host[i] = i;
  CHECK(cudaMemcpyAsync(a, host, sizeof host, cudaMemcpyHostToDevice, producer));
  for (int i = 0; i < n; i++) host[i] = -1;  // pageable memory has been read by now
  CHECK(cudaEventRecord(start, producer));
  scale<<<2, 256, 0, producer>>>(a, n, 3);
  CHECK(cudaEventRecord(ready, producer));
  CHECK(cudaMemsetAsync(b, 0, sizeof host, consumer));
  CHECK(cudaStreamWaitEvent(consumer, ready, 0));
  add<<<2, 256, 0, consumer>>>(b, a, n);
  CHECK(cudaEventRecord(stop, consumer));
  while (cudaEventQuery(stop) == cudaErrorNotReady) {
  }
  float ms = -1;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  EXPECT(ms > 0);
  EXPECT(cudaEventElapsedTime(&ms, ready, stop) != cudaSuccess);
  cudaGetLastError();
  // The default stream and a blocking one keep the host's order.
  scale<<<2, 256, 0, loose>>>(b, n, 2);
  add<<<2, 256>>>(b, a, n);
  scale<<<2, 256, 0, loose>>>(b, n, 10);
  CHECK(cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) EXPECT(host[i] == (3 * i * 2 + 3 * i) * 10);
  EXPECT(cudaStreamQuery(loose) == cudaSuccess);
  CHECK(cudaStreamDestroy(producer));
  CHECK(cudaStreamDestroy(consumer));
  CHECK(cudaStreamDestroy(loose));
  CHECK(cudaEventDestroy(ready));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
}

int main() {
  pipeline();
  waiting_for_the_host();
  order();
  CHECK(cudaDeviceSynchronize());
  return finish("streams");
}
