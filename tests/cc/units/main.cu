// SPDX-License-Identifier: MIT
// One program of CUDA, C++ and C. With RELOCATABLE device code calls functions
// and reads variables of another file.
#include "../check.h"
#include "part.h"

#ifdef RELOCATABLE
extern __device__ int shared_table[4];
extern __device__ int twice_plus(int a, int b);
#else
static __device__ int shared_table[4] = {1, 2, 3, 4};
static __device__ int twice_plus(int a, int b) {
  return 2 * a + b;
}
#endif

static __constant__ int own[1];

__global__ void work(int *data) {
  *data = twice_plus(*data, shared_table[2]) + own[0];
}

int main() {
  int value = 20, more = 1000, *device;
  CUDA(cudaMemcpyToSymbol(own, &more, sizeof more));
  CUDA(cudaMalloc(&device, sizeof value));
  CUDA(cudaMemcpy(device, &value, sizeof value, cudaMemcpyHostToDevice));
  work<<<1, 1>>>(device);
  CUDA(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
  CHECK(value == 1043, "%d", value);
  CHECK(run_on_device(5) == 115, "%d", run_on_device(5));
  CHECK(check_results(value, add_in_c(1040, 3)), "C++ and C");
  return check_end();
}
