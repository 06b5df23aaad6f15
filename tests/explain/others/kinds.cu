// SPDX-License-Identifier: MIT
// Expected: divergence
// Four kinds of particles, interleaved. Repair: a kind per warp.
#include "../program.h"
__global__ void step(float *v, int rounds) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef REPAIRED
  int kind = t / 32 % 4;
#else
  int kind = t % 4;
#endif
  float a = v[t];
  if (kind == 0)
    for (int i = 0; i < rounds; i++) a = a * 0.9f + 1.0f;
  else if (kind == 1)
    for (int i = 0; i < rounds; i++) a = sqrtf(a + 2.0f);
  else if (kind == 2)
    for (int i = 0; i < rounds; i++) a = a - 0.125f * a * a;
  else
    for (int i = 0; i < rounds; i++) a = fmaxf(a * 0.5f, 0.25f);
  v[t] = a * 0 + 1;
}
int main() {
  const int n = scaled(40) * 256;
  Buffer<float> v(n, 3);
  step<<<n / 256, 256>>>(v.data, 64);
  print_sum(v);
}
