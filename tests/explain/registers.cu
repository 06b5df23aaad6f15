// SPDX-License-Identifier: MIT
// Fault: 128 values per thread are kept in registers across a chain of loads: few warps fit.
// Repair: they are computed when they are needed.
#include "program.h"

enum { VALUES = 128 };

__global__ void walk(const int *next, const float *scale, float *out, int steps) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  float base = scale[at & 1023], sum = 0;
#ifndef REPAIRED
  float values[VALUES];
#pragma unroll
  for (int i = 0; i < VALUES; i++) {
    values[i] = base * i;
    asm volatile("" : "+f"(values[i]));
  }
#endif
  int place = at;
  for (int step = 0; step < steps; step++) place = next[place];
#pragma unroll
  for (int i = 0; i < VALUES; i++)
#ifdef REPAIRED
    sum += base * i;
#else
    sum += values[i];
#endif
  out[at] = sum + place;
}

int main() {
  const int threads = scaled(80 * 128);
  Buffer<int> next(threads);
  Buffer<float> scale(1024, 7), out(threads);
  next.fill([](size_t i) { return int((i + 32 * 77) % (80 * 128)); });
  walk<<<threads / 128, 128>>>(next.data, scale.data, out.data, 24);
  print_sum(out);
}
