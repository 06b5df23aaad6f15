// SPDX-License-Identifier: MIT
// Expected: none
// A table that fits the L1, read by index: the lanes of a warp read neighbouring entries.
#include "../program.h"

__global__ void blend(const float4 *in, const float4 *table, float4 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 a = in[i], b = table[threadIdx.x];
  out[i] = make_float4(a.x + b.x, a.y * b.y, a.z - b.z, a.w);
}

int main() {
  const int n = 80 * 1024;
  Buffer<float> in(n * 4, 23), table(1024, 7), out(n * 4);
  blend<<<n / 256, 256>>>((const float4 *)in.data, (const float4 *)table.data, (float4 *)out.data, n);
  print_sum(out);
}
