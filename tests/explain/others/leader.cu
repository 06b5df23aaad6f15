// SPDX-License-Identifier: MIT
// Expected: barrier
// The first warp prepares coefficients for all warps, in every round. Repair: all warps do.
#include "../program.h"
__global__ void rounds(const float *in, float *out, int count) {
  __shared__ float c[256];
  int t = threadIdx.x;
  float sum = 0, v = in[blockIdx.x * blockDim.x + t];
  for (int r = 0; r < count; r++) {
#ifdef REPAIRED
    {
      int k = t;
#else
    if (t < 32)
      for (int k = t; k < 256; k += 32) {
#endif
      float x = k * 0.01f + r;
      for (int j = 0; j < 12; j++) x = x * 0.5f + 0.3f;
      c[k] = x;
    }
    __syncthreads();
    sum += c[(t * 5 + r) % 256] * v;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + t] = sum;
}
int main() {
  const int blocks = scaled(40);
  Buffer<float> in(blocks * 256, 13), out(blocks * 256);
  rounds<<<blocks, 256>>>(in.data, out.data, 12);
  print_sum(out);
}
