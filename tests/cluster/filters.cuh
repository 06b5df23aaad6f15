// SPDX-License-Identifier: MIT
// Kernels and functions of headers.cu, in a header that includes another.
#ifndef TESTS_CLUSTER_FILTERS_CUH
#define TESTS_CLUSTER_FILTERS_CUH

#include "places.cuh"

// Defined and launched in another program.
__global__ void sharpen(const int *in, int *out);

template <int RADIUS>
__global__ void box_filter(const int *in, int *out, int width, int height) {
  int x = pixel_x(), y = pixel_y();
  if (x >= width || y >= height) return;
  int sum = 0;
  for (int dy = -RADIUS; dy <= RADIUS; dy++)
    for (int dx = -RADIUS; dx <= RADIUS; dx++) {
      int sx = min(max(x + dx, 0), width - 1), sy = min(max(y + dy, 0), height - 1);
      sum += in[sy * width + sx];
    }
  out[y * width + x] += sum;
}

#endif
