// SPDX-License-Identifier: MIT
// Well written: a stream, limited by DRAM.
#include "program.h"

__global__ void saxpy(float4 *y, const float4 *x, float a, int count) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= count) return;
  float4 u = x[at], v = y[at];
  y[at] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w);
}

int main() {
  const int count = scaled(1 << 17);
  Buffer<float> x(count, 97), y(count, 89);
  saxpy<<<count / 4 / 256, 256>>>((float4 *)y.data, (const float4 *)x.data, 2, count / 4);
  print_sum(y);
}
