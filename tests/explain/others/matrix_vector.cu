// SPDX-License-Identifier: MIT
// Expected: uncoalesced
// A matrix times a vector, a thread per row, stored by rows. Repair: stored by columns.
#include "../program.h"
__global__ void gemv(const float *__restrict__ a, const float *__restrict__ x, float *y, int rows,
                     int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0;
  for (int c = 0; c < cols; c++)
#ifdef REPAIRED
    s += a[(size_t)c * rows + r] * x[c];
#else
    s += a[(size_t)r * cols + c] * x[c];
#endif
  y[r] = s;
}
int main() {
  const int rows = scaled(10240), cols = 256;
  Buffer<float> a((size_t)rows * cols), x(cols, 7), y(rows);
  a.fill([](size_t) { return 0.25f; });
  gemv<<<rows / 256, 256>>>(a.data, x.data, y.data, rows, cols);
  print_sum(y);
}
