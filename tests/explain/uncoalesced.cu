// SPDX-License-Identifier: MIT
// Fault: each thread sums a row, so that the lanes of a warp read a column: a sector per lane.
// Repair: the matrix is stored by columns.
#include "program.h"

__global__ void sum_rows(const float *matrix, float *sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int column = 0; column < columns; column++)
#ifdef REPAIRED
    sum += matrix[column * rows + row];
#else
    sum += matrix[row * columns + column];
#endif
  sums[row] = sum;
}

int main() {
  const int rows = 6144, columns = 48;
  Buffer<float> matrix(rows * columns), sums(rows);
  matrix.fill([](size_t) { return 1.0f; });
  sum_rows<<<rows / 128, 128>>>(matrix.data, sums.data, rows, columns);
  print_sum(sums);
}
