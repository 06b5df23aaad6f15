// SPDX-License-Identifier: MIT
// nvcc: -rdc=true
// The order that streams, events, tail launches and parents give to kernels,
// and the errors that launches come back with.
#include "../cuda/check.h"

enum { LOG = 64 };

__device__ int log_count, log_entries[LOG];
__device__ int errors[8];

__device__ void note(int what) {
  int at = atomicAdd(&log_count, 1);
  if (at < LOG) log_entries[at] = what;
}

__global__ void leaf(int what) {
  note(what);
}

__global__ void slow_leaf(int what, int rounds) {
  volatile int sum = 0;
  for (int i = 0; i < rounds; i++) sum = sum + i;
  note(what);
}

// A child of a child is over before its parent is.
__global__ void nested(int what) {
  slow_leaf<<<1, 1>>>(what + 1, 200);
  note(what);
}

__global__ void parent() {
  cudaStream_t first, second;
  cudaEvent_t event;
  leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(90);  // behind all that follows
  leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(91);
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  slow_leaf<<<1, 1, 0, first>>>(10, 2000);
  nested<<<1, 1, 0, first>>>(11);     // logs 11, its child 12
  leaf<<<1, 1, 0, first>>>(13);       // behind both
  cudaEventRecord(event, first);
  cudaStreamWaitEvent(second, event, 0);
  leaf<<<1, 1, 0, second>>>(20);      // behind 13
  cudaEventDestroy(event);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  leaf<<<1, 1, 0, cudaStreamFireAndForget>>>(30);
}

__global__ void mistakes() {
  leaf<<<0, 1>>>(0);
  errors[0] = cudaGetLastError();
  leaf<<<1, 2000>>>(0);
  errors[1] = cudaGetLastError();
  errors[2] = cudaGetLastError();
  cudaStream_t none = (cudaStream_t)12345;
  leaf<<<1, 1, 0, none>>>(0);
  errors[3] = cudaGetLastError();
  errors[4] = cudaStreamDestroy(none);
}

__global__ void descend(int depth) {
  descend<<<1, 1>>>(depth + 1);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) errors[5] = error, errors[6] = depth;
}

static int place(const int *entries, int count, int what) {
  for (int i = 0; i < count; i++)
    if (entries[i] == what) return i;
  return -1;
}

int main() {
  int count, entries[LOG], codes[8];
  parent<<<1, 1>>>();
  leaf<<<1, 1>>>(99);  // of the same stream: behind everything
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpyFromSymbol(&count, log_count, sizeof count));
  CHECK(cudaMemcpyFromSymbol(entries, log_entries, sizeof entries));
  EXPECT(count == 9);
  const int before[][2] = {{10, 11}, {10, 12}, {11, 13}, {12, 13}, {13, 20}, {20, 90},
                           {30, 90}, {90, 91}, {91, 99}};
  for (const int *pair : before) {
    EXPECT(place(entries, count, pair[0]) >= 0);
    EXPECT(place(entries, count, pair[0]) < place(entries, count, pair[1]));
  }
  mistakes<<<1, 1>>>();
  descend<<<1, 1>>>(0);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpyFromSymbol(codes, errors, sizeof codes));
  EXPECT(codes[0] == cudaErrorInvalidConfiguration);
  EXPECT(codes[1] == cudaErrorInvalidConfiguration);
  EXPECT(codes[2] == cudaSuccess);
  EXPECT(codes[3] == cudaErrorInvalidResourceHandle);
  EXPECT(codes[4] == cudaErrorInvalidResourceHandle);
  EXPECT(codes[5] == cudaErrorLaunchMaxDepthExceeded);
  EXPECT(codes[6] == 24);
  return finish("order");
}
