// SPDX-License-Identifier: MIT
// What other threads write to shared memory before a barrier is read after it, even if the
// reading thread has written the same place itself.
#include "check.h"

__global__ void shift(int *out, int count) {
  __shared__ int values[65];
  int t = threadIdx.x;
  values[t] = t;
  __syncthreads();
  if (t < count) values[t + 1] = 1000 + t;
  __syncthreads();
  out[t] = values[t];
}

// The same for one variable.
__global__ void pass_on(int *out) {
  __shared__ int value;
  int sum = 0;
  for (int turn = 0; turn < 4; turn++) {
    if ((int)threadIdx.x == turn) value = turn + 1;
    __syncthreads();
    sum = 10 * sum + value;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

int main() {
  int got[64], *out;
  CUDA(cudaMalloc(&out, sizeof got));
  shift<<<1, 64>>>(out, 63);
  CUDA(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  for (int t = 1; t < 64; t++) CHECK(got[t] == 1000 + t - 1, "thread %d: %d", t, got[t]);

  pass_on<<<1, 64>>>(out);
  CUDA(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  for (int t = 0; t < 64; t++) CHECK(got[t] == 1234, "thread %d: %d", t, got[t]);
  cudaFree(out);
  return check_end();
}
