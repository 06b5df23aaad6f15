// SPDX-License-Identifier: MIT
// Expected: few_ctas
// Two rows of a matrix per block of 1024 threads, and few rows: most SMs have nothing to do.
// Repair: blocks of 128 threads, each with a part of a row.
#include "../program.h"

__global__ void scale(const float *in, float *out, int width, int rows, int rounds) {
#ifdef REPAIRED
  int parts = gridDim.x / rows, row = blockIdx.x / parts, part = blockIdx.x % parts;
  int from = part * (width / parts), to = from + width / parts;
  for (int x = from + threadIdx.x; x < to; x += blockDim.x) {
    float value = in[row * width + x];
    for (int i = 0; i < rounds; i++) value = value * 0.5f + 0.5f;
    out[row * width + x] = value;
  }
#else
  for (int row = 2 * blockIdx.x; row < 2 * blockIdx.x + 2; row++)
    for (int x = threadIdx.x; x < width; x += blockDim.x) {
      float value = in[row * width + x];
      for (int i = 0; i < rounds; i++) value = value * 0.5f + 0.5f;
      out[row * width + x] = value;
    }
#endif
}

int main() {
  int device, sms;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  const int width = 8192, rows = sms / 5 * 2;
  Buffer<float> in(width * rows, 19), out(width * rows);
#ifdef REPAIRED
  scale<<<rows * 64, 128>>>(in.data, out.data, width, rows, 100);
#else
  scale<<<rows / 2, 1024>>>(in.data, out.data, width, rows, 100);
#endif
  print_sum(out);
}
