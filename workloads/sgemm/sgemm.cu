// SPDX-License-Identifier: MIT
// C = alpha A B' + beta C, all column by column. A CTA of 128 threads computes
// 128 rows by 16 columns of C, a thread one row of it in 16 registers: eight
// columns of B at a time go through shared memory, A comes straight from global
// memory. CTAs of one column of the grid share B, those of one row share A.
//
// SGM in Li et al. (algorithm). C = alpha A B' + beta C, column by column. A CTA of 128 threads
// computes 128 x 16 elements, a thread 16 of them in registers; B goes through 512 bytes of
// shared memory, A does not. At `paper`: 1024 x 1056, k = 992, the suite's medium set.
// `--original 1`: Parboil's kernel with beta = 0 and an unrolled inner loop.
// test: --original 1
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/matrix.h"
#include "common/random.h"
#include "common/timer.h"

enum { WIDTH = 16, DEPTH = 8, ROWS = WIDTH * DEPTH };

// a: k columns of m, b: k columns of n, c: n columns of m.
__global__ void sgemm(const float *a, const float *b, float *c, int m, int n, int k, float alpha,
                      float beta) {
  __shared__ float b_tile[DEPTH][WIDTH];
  float sum[WIDTH] = {0};
  int row = blockIdx.x * ROWS + threadIdx.y * WIDTH + threadIdx.x;
  int column = blockIdx.y * WIDTH;
#pragma unroll 1
  for (int begin = 0; begin < k; begin += DEPTH) {
    b_tile[threadIdx.y][threadIdx.x] = b[column + threadIdx.x + (begin + threadIdx.y) * n];
    __syncthreads();
#pragma unroll 1
    for (int l = 0; l < DEPTH; l++) {
      float value = a[row + (begin + l) * m];
#pragma unroll
      for (int j = 0; j < WIDTH; j++) sum[j] += value * b_tile[l][j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < WIDTH; j++) {
    float *out = &c[row + (column + j) * m];
    *out = beta * *out + alpha * sum[j];
  }
}

// Parboil's leaves the loops to the compiler, which unrolls the inner one.
__global__ void sgemm_original(const float *a, int a_columns, const float *b, int b_columns,
                               float *c, int c_columns, int k, float alpha, float beta) {
  __shared__ float b_tile[DEPTH][WIDTH];
  float sum[WIDTH];
  for (int j = 0; j < WIDTH; j++) sum[j] = 0;
  int row = blockIdx.x * ROWS + threadIdx.y * blockDim.x + threadIdx.x;
  int column = blockIdx.y * WIDTH + threadIdx.x;
  for (int begin = 0; begin < k; begin += DEPTH) {
    b_tile[threadIdx.y][threadIdx.x] = b[column + (begin + threadIdx.y) * b_columns];
    __syncthreads();
#pragma unroll
    for (int l = 0; l < DEPTH; l++) {
      float value = a[row + (begin + l) * a_columns];
#pragma unroll
      for (int j = 0; j < WIDTH; j++) sum[j] += value * b_tile[l][j];
    }
    __syncthreads();
  }
  int at = c_columns * blockIdx.y * WIDTH + row;
#pragma unroll
  for (int j = 0; j < WIDTH; j++)
    c[at + j * c_columns] = c[at + j * c_columns] * beta + alpha * sum[j];
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "C = alpha A B' + beta C");
  int m = (int)arguments.multiple("m", ROWS, {128, 1024, 1024}, ROWS, 16384, "rows of A and C");
  int n = (int)arguments.multiple("n", WIDTH, {32, 256, 1056}, WIDTH, 16384, "columns of C");
  int k = (int)arguments.multiple("k", DEPTH, {32, 192, 992}, DEPTH, 16384, "columns of A");
  bool is_original = arguments.number("original", {0, 0, 0}, 0, 1,
                                      "1: Parboil's kernel and factors, beta = 0");
  arguments.done();

  const float alpha = 1, beta = is_original ? 0 : 0.25f;
  Random random(arguments.seed());
  std::vector<float> a = random.floats((size_t)m * k, 0, 1), b = random.floats((size_t)n * k, 0, 1);
  std::vector<float> c = random.floats((size_t)m * n, 0, 1);
  DeviceArray<float> device_a(a), device_b(b), device_c(c);
  Timer timer;
  dim3 grid(m / ROWS, n / WIDTH), cta(WIDTH, DEPTH);
  if (is_original)
    sgemm_original<<<grid, cta>>>(device_a, m, device_b, n, device_c, m, k, alpha, beta);
  else
    sgemm<<<grid, cta>>>(device_a, device_b, device_c, m, n, k, alpha, beta);
  timer.stop("sgemm");

  // Column by column is row by row of the transposed: C' = B A'.
  std::vector<float> product = matrix_product(matrix_transposed(b, k, n), a, n, k, m);
  Comparison comparison;
  comparison.near("C", device_c.get(), matrix_sum(alpha, product, beta, c), 1e-4);
  return comparison.verdict();
}
