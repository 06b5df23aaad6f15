// SPDX-License-Identifier: MIT
// refused: 5: waits in a loop for another CTA to store a value
__global__ void scan(volatile int *sums, volatile int *flags, const int *in) {
  if (threadIdx.x == 0) {
    while (blockIdx.x > 0 && flags[blockIdx.x - 1] == 0) {
    }
    sums[blockIdx.x] = in[blockIdx.x] + (blockIdx.x ? sums[blockIdx.x - 1] : 0);
    __threadfence();
    flags[blockIdx.x] = 1;
  }
}

void run(int *sums, int *flags, const int *in) { scan<<<8, 32>>>(sums, flags, in); }
