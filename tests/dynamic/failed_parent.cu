// SPDX-License-Identifier: MIT
// nvcc: -rdc=true
// A parent that faults after it has launched children, and a child that faults while its parent
// and its siblings run. The fault ends the context, as on a GPU: the host's next call that waits
// reports it once and for all, no later kernel runs, nothing hangs. A reset brings the device back,
// with neither pending kernels nor memory of those that were lost.
#include "../cuda/check.h"

enum { CHILDREN = 200, ROUNDS = 3 };

__device__ int started, ended;

__global__ void child(volatile int *wrong) {
  atomicAdd(&started, 1);
  if (wrong) *wrong = 1;
  atomicAdd(&ended, 1);
}

// Every thread launches; then the last one of the grid faults, or one child does.
__global__ void parent(int *wrong, bool child_faults) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  bool is_last = thread == gridDim.x * blockDim.x - 1;
  child<<<1, 32, 0, cudaStreamFireAndForget>>>(child_faults && is_last ? wrong : NULL);
  if (is_last && !child_faults) *(volatile int *)wrong = 1;
}

static void expect_failure(int *wrong, bool child_faults) {
  parent<<<CHILDREN / 50, 50>>>(wrong, child_faults);
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);
  EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);  // it does not go away
  child<<<1, 32>>>(NULL);
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  EXPECT(cudaFree(wrong) == cudaErrorIllegalAddress);
  CHECK(cudaDeviceReset());
}

// After a reset: no child of the kernels before is left, and a whole pool of them may be launched.
static void expect_recovery() {
  int seen[2] = {-1, -1};
  CHECK(cudaMemcpyFromSymbol(&seen[0], started, sizeof(int)));
  EXPECT(seen[0] == 0);
  parent<<<CHILDREN / 50, 50>>>(NULL, true);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpyFromSymbol(&seen[0], started, sizeof(int)));
  CHECK(cudaMemcpyFromSymbol(&seen[1], ended, sizeof(int)));
  EXPECT(seen[0] == CHILDREN * 32 && seen[1] == CHILDREN * 32);
  CHECK(cudaDeviceReset());
}

int main() {
  for (int round = 0; round < ROUNDS; round++)
    for (int child_faults = 0; child_faults < 2; child_faults++) {
      expect_failure((int *)0x10, child_faults);
      expect_recovery();
    }
  return finish("failed_parent");
}
