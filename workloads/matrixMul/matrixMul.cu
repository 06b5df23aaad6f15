// SPDX-License-Identifier: MIT
// C = A B: a CTA computes a tile of C, for which it takes tiles of a row of A
// and of a column of B through shared memory. CTAs of one row of the grid read
// the same A, those of one column the same B.
//
// MM in Li et al. (algorithm) and Wang et al. C = A B by 32 x 32 tiles: a thread computes an
// element of C and loads one element of A and one of B into shared memory per tile. CTAs in a
// row of the grid share rows of A, those in a column share columns of B. Random matrices; A is
// m x k, B is k x n. At `paper`: 320 x 320 times 320 x 640, the sample's default.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/matrix.h"
#include "common/random.h"
#include "common/timer.h"

enum { TILE = 32 };

__global__ void matrix_mul(float *c, const float *a, const float *b, int a_width, int b_width) {
  __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int begin = 0; begin < a_width; begin += TILE) {
    a_tile[ty][tx] = a[row * a_width + begin + tx];
    b_tile[ty][tx] = b[(begin + ty) * b_width + column];
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < TILE; k++) sum += a_tile[ty][k] * b_tile[k][tx];
    __syncthreads();
  }
  c[row * b_width + column] = sum;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "C = A B, by tiles in shared memory");
  int m = (int)arguments.multiple("m", TILE, {64, 320, 320}, TILE, 16384, "rows of A");
  int k = (int)arguments.multiple("k", TILE, {64, 320, 320}, TILE, 16384, "columns of A");
  int n = (int)arguments.multiple("n", TILE, {64, 640, 640}, TILE, 16384, "columns of B");
  arguments.done();

  Random random(arguments.seed());
  std::vector<float> a = random.floats((size_t)m * k, 0, 1), b = random.floats((size_t)k * n, 0, 1);
  DeviceArray<float> device_a(a), device_b(b), device_c((size_t)m * n);
  Timer timer;
  matrix_mul<<<dim3(n / TILE, m / TILE), dim3(TILE, TILE)>>>(device_c, device_a, device_b, k, n);
  timer.stop("matrix_mul");

  Comparison comparison;
  comparison.near("C", device_c.get(), matrix_product(a, b, m, k, n), 1e-5);
  return comparison.verdict();
}
