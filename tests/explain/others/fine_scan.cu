// SPDX-License-Identifier: MIT
// Expected: none
// Sums of blocks by shuffles, with one barrier.
#include "../program.h"

__global__ void sums(const float *in, float *out) {
  __shared__ float of_warp[8];
  int i = blockIdx.x * 1024 + threadIdx.x;
  float sum = in[i] + in[i + 256] + in[i + 512] + in[i + 768];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; w++) sum += of_warp[w];
    out[blockIdx.x] = sum;
  }
}

int main() {
  const int blocks = 480;
  Buffer<float> in(blocks * 1024, 29), out(blocks);
  sums<<<blocks, 256>>>(in.data, out.data);
  print_sum(out);
}
