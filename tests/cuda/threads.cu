// SPDX-License-Identifier: MIT
// Several host threads, each with its own stream, memory and errors.
#include <pthread.h>

#include "check.h"

__global__ void fill(int *out, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = value + i;
}

__global__ void sum(const int *in, int n, unsigned long long *total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(total, (unsigned long long)in[i]);
}

static void *work(void *argument) {
  const int n = 2000;
  long id = (long)argument;
  for (int round = 0; round < 3; round++) {
    int *data;
    unsigned long long *total, result = 0, wanted = 0;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc((void **)&data, n * sizeof(int)));
    CHECK(cudaMalloc((void **)&total, sizeof result));
    CHECK(cudaMemsetAsync(total, 0, sizeof result, stream));
    fill<<<(n + 127) / 128, 128, 0, stream>>>(data, n, (int)id * 1000 + round);
    sum<<<(n + 127) / 128, 128, 0, stream>>>(data, n, total);
    CHECK(cudaMemcpyAsync(&result, total, sizeof result, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; i++) wanted += (unsigned long long)(id * 1000 + round + i);
    if (result != wanted) return (void *)1;
    // An error of this thread is no other's.
    if (id == 1 && cudaMemcpy(data, data, 4, (cudaMemcpyKind)9) == cudaSuccess) return (void *)1;
    if ((cudaGetLastError() != cudaSuccess) != (id == 1)) return (void *)1;
    CHECK(cudaFree(data));
    CHECK(cudaFree(total));
    CHECK(cudaStreamDestroy(stream));
  }
  return NULL;
}

int main() {
  pthread_t threads[4];
  for (long t = 0; t < 4; t++) pthread_create(&threads[t], NULL, work, (void *)t);
  for (int t = 0; t < 4; t++) {
    void *failed;
    pthread_join(threads[t], &failed);
    EXPECT(!failed);
  }
  return finish("threads");
}
