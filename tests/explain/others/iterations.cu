// SPDX-License-Identifier: MIT
// Expected: divergence
// Every thread iterates until its own number converges, some twenty times as long as others of
// the warp. Repair: the numbers are sorted, so that the threads of a warp are alike.
#include "../program.h"

__global__ void iterate(const int *steps, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = 1.0f + i % 7, b = 2.0f;
  for (int left = steps[i]; left > 0; left--) {
    a = a * 0.75f + b;
    b = b * 0.5f + 0.125f;
  }
  out[i] = a + b;
}

static int scattered(size_t i) {
  return i % 16 == 0 ? 400 : 20;
}
static int sorted(size_t i) {
  return i < 51200 / 16 ? 400 : 20;
}

int main() {
  const int n = 51200;
  Buffer<int> steps(n);
  Buffer<float> out(n);
#ifdef REPAIRED
  steps.fill(sorted);
#else
  steps.fill(scattered);
#endif
  iterate<<<n / 256, 256>>>(steps.data, out.data);
  print_sum(out);
}
