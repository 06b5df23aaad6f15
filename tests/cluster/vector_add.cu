// SPDX-License-Identifier: MIT
// A grid whose last CTA is not full: odd sizes, threads that return early.
#include "check.h"

__global__ void vector_add(const int *a, const int *b, int *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  c[i] += a[i] + b[i];
}

int main() {
  for (int n : {1, 63, 64, 65, 1000, 4097}) {
    Array<int> a(numbers(n)), b(numbers(n, 7, 3)), c(n);
    vector_add<<<(n + 63) / 64, 64>>>(a, b, c, n);
    std::vector<int> sums = c.get();
    for (int i = 0; i < n; i++) CHECK(sums[i] == 7 + 4 * i);
  }
  return verdict();
}
