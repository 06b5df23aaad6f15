// SPDX-License-Identifier: MIT
// Fault: blocks of 2 x 128 threads over an image in rows: a warp reads 16 rows of 8 bytes.
// Repair: blocks of 32 x 8.
#include "program.h"

__global__ void brighten(const float *in, const float *light, float *out, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * width + x] = in[y * width + x] * 2 + light[y * width + x];
}

int main() {
  const int width = 256, height = 256;
  Buffer<float> in(width * height, 251), light(width * height, 13), out(width * height);
#ifdef REPAIRED
  dim3 block(32, 8);
#else
  dim3 block(2, 128);
#endif
  dim3 grid(width / block.x, height / block.y);
  brighten<<<grid, block>>>(in.data, light.data, out.data, width);
  print_sum(out);
}
