// SPDX-License-Identifier: MIT
// Fault: two CTAs, so that most SMs are idle. Repair: as many threads in smaller CTAs, and more of
// them, each with less work.
#include "program.h"

__global__ void evaluate(const float *in, float *out, int count) {
  int threads = gridDim.x * blockDim.x;
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += threads) {
    float x = in[at], sum = 0;
    for (int i = 0; i < 64; i++) sum = sum * 0.5f + x;
    out[at] = sum;
  }
}

int main() {
  const int count = 2 * 512 * 16;
  Buffer<float> in(count), out(count);
#ifdef REPAIRED
  evaluate<<<count / 256, 256>>>(in.data, out.data, count);
#else
  evaluate<<<2, 512>>>(in.data, out.data, count);
#endif
  print_sum(out);
}
