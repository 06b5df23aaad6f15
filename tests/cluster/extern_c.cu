// SPDX-License-Identifier: MIT
// Everything between the braces of extern "C", includes too.
#ifdef __cplusplus
extern "C" {
#endif

#include <stdio.h>

__global__ void double_all(int *values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= 2;
}

void run(int *values, int count) { double_all<<<(count + 31) / 32, 32>>>(values, count); }

#ifdef __cplusplus
}
#endif

#include "check.h"

int main() {
  Array<int> values(numbers(100));
  run(values, 100);
  std::vector<int> result = values.get();
  for (int i = 0; i < 100; i++) CHECK(result[i] == 2 * i);
  return verdict();
}
