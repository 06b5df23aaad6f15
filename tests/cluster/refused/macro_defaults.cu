// SPDX-License-Identifier: MIT
// refused: 8: launched by a macro without arguments that have defaults (LAUNCH)
#define LAUNCH(kernel, ...) kernel<<<8, 1>>>(__VA_ARGS__)

__global__ void count(int *a, int step = 1) { a[blockIdx.x] += step; }

void run(int *a) {
  LAUNCH(count, a);
}
