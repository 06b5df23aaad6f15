// SPDX-License-Identifier: MIT
// Relocatable device code: functions and variables of another file.
#include "check.h"

extern __device__ int twice(int value);
extern __device__ int shared_table[8];
extern __constant__ int shared_scale;
__global__ void other_kernel(int *out);
__device__ int calls;

__device__ int count_call(int value) {
  atomicAdd(&calls, 1);
  return value;
}

__global__ void use(int *out) {
  int i = threadIdx.x;
  out[i] = twice(shared_table[i]) * shared_scale;
}

void set_scale(int scale);

int main() {
  int host[8], *out, count = 0;
  set_scale(10);
  CHECK(cudaMalloc((void **)&out, sizeof host));
  use<<<1, 8>>>(out);
  other_kernel<<<1, 8>>>(out);
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 8; i++) EXPECT(host[i] == 2 * (i * i) * 10 + 1);
  CHECK(cudaMemcpyFromSymbol(&count, calls, sizeof count));
  EXPECT(count == 8);
  CHECK(cudaFree(out));
  return finish("parts");
}
