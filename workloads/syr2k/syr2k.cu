// SPDX-License-Identifier: MIT
// C = alpha (A B' + B A') + beta C: as syrk, with two matrices to walk along.
//
// S2K in Li et al. (cache-line). C = alpha (A B' + B A') + beta C; otherwise as syrk. At
// `paper`: 1024 x 1024. The estimate of its registers is high: ptxas takes 30 for the same
// code, and twice as many CTAs would fit on a gtx570.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/matrix.h"
#include "common/random.h"
#include "common/timer.h"

enum { CTA_X = 32, CTA_Y = 8 };

__global__ void syr2k(const float *a, const float *b, float *c, int n, int m, float alpha,
                      float beta) {
  int j = blockIdx.x * CTA_X + threadIdx.x, i = blockIdx.y * CTA_Y + threadIdx.y;
  if (i >= n || j >= n) return;
  c[i * n + j] *= beta;
#pragma unroll 1
  for (int k = 0; k < m; k++) {
    c[i * n + j] += alpha * a[i * m + k] * b[j * m + k];
    c[i * n + j] += alpha * b[i * m + k] * a[j * m + k];
  }
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "C = alpha (A B' + B A') + beta C");
  int n = (int)arguments.number("n", {64, 192, 1024}, 1, 16384, "rows of A, B and C");
  int m = (int)arguments.number("m", {16, 96, 1024}, 1, 16384, "columns of A and B");
  arguments.done();

  const float alpha = 1.5f, beta = 0.5f;
  Random random(arguments.seed());
  std::vector<float> a = random.floats((size_t)n * m, 0, 1), b = random.floats((size_t)n * m, 0, 1);
  std::vector<float> c = random.floats((size_t)n * n, 0, 1);
  DeviceArray<float> device_a(a), device_b(b), device_c(c);
  dim3 grid(ctas_for(n, CTA_X), ctas_for(n, CTA_Y)), cta(CTA_X, CTA_Y);
  Timer timer;
  syr2k<<<grid, cta>>>(device_a, device_b, device_c, n, m, alpha, beta);
  timer.stop("syr2k");

  std::vector<float> ab = matrix_product(a, matrix_transposed(b, n, m), n, m, n);
  std::vector<float> both = matrix_sum(1, ab, 1, matrix_transposed(ab, n, n));
  Comparison comparison;
  comparison.near("C", device_c.get(), matrix_sum(alpha, both, beta, c), 1e-4);
  return comparison.verdict();
}
