// SPDX-License-Identifier: MIT
// Launches in macros: written there, or passed to them.
#include "check.h"

#define LAUNCH(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
#define RUN_FILL(value)                    \
  do {                                     \
    fill<<<dim3(5, 3), 32, 0>>>(d, value); \
    CUDA(cudaGetLastError());              \
  } while (0)
#define TWICE(statement) statement; statement
#define INDEX (blockIdx.y * gridDim.x + blockIdx.x)

__global__ void fill(int *out, int value) {
  if (threadIdx.x == 0) out[INDEX] += value;
}

__global__ void other(int *out) { out[blockIdx.x] += 1000; }

int main() {
  Array<int> d(15);
  LAUNCH(fill, dim3(5, 3), 32, d, 1);
  RUN_FILL(10);
  TWICE((fill<<<dim3(5, 3), 64>>>(d, 100)));
  LAUNCH(other, 15, 1, d);
  for (int value : d.get()) CHECK(value == 1211);
  return verdict();
}
