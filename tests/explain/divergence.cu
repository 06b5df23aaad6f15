// SPDX-License-Identifier: MIT
// Fault: even and odd threads take different branches. Repair: even and odd warps do.
#include "program.h"

__global__ void evaluate(const float *in, float *out, int rounds) {
  int thread = threadIdx.x;
#ifdef REPAIRED
  int warp = thread / 32, lane = thread % 32;
  thread = (warp / 2) * 64 + lane * 2 + warp % 2;
#endif
  int at = blockIdx.x * blockDim.x + thread;
  float x = in[at], a = 0, b = 0;
  for (int i = 0; i < rounds; i++) {
    if (thread % 2) {
      a = a * x + 1.0f; b = b + a * 0.5f; a = a - b * x; b = b * 0.25f + x;
      a = a * 0.5f + b; b = b - a * x; a = a + b * 0.125f; b = b * x + a;
    } else {
      a = a + x * 3.0f; b = b * x - a; a = a * 0.5f - b; b = b + x * a;
      a = a - b * 0.25f; b = b * 0.5f + a; a = a * x + b; b = b - a * 0.125f;
    }
  }
  out[at] = a * 0 + (thread % 2);
}

int main() {
  const int ctas = scaled(64);
  Buffer<float> in(ctas * 256, 3), out(ctas * 256);
  evaluate<<<ctas, 256>>>(in.data, out.data, 24);
  print_sum(out);
}
