// SPDX-License-Identifier: MIT
// printf from kernels comes between the host's own output, in order.
#include "check.h"

__global__ void hello(int round) {
  printf("kernel %d thread %d of %s\n", round, threadIdx.x, "block");
}

int main() {
  for (int round = 0; round < 2; round++) {
    printf("before %d\n", round);
    hello<<<1, 3>>>(round);
    CHECK(cudaDeviceSynchronize());
    printf("after %d\n", round);
  }
  return finish("printing");
}
