// SPDX-License-Identifier: MIT
// Well written: all pairs by tiles in shared memory, limited by arithmetic.
#include "program.h"

__global__ void accelerate(const float4 *bodies, float4 *out, int count) {
  __shared__ float4 tile[256];
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  float4 own = bodies[at], sum = make_float4(0, 0, 0, 0);
  for (int first = 0; first < count; first += 256) {
    tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int i = 0; i < 256; i++) {
      float4 other = tile[i];
      float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
      float weight = other.w * (dx * dx + dy * dy + dz * dz + 0.01f);
      sum.x += dx * weight;
      sum.y += dy * weight;
      sum.z += dz * weight;
    }
    __syncthreads();
  }
  out[at] = sum;
}

int main() {
  const int ctas = scaled(48), count = 256;
  Buffer<float> bodies(ctas * 256 * 4, 7), out(ctas * 256 * 4);
  accelerate<<<ctas, 256>>>((const float4 *)bodies.data, (float4 *)out.data, count);
  print_sum(out);
}
