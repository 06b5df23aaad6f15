// SPDX-License-Identifier: MIT
// C = alpha A A' + beta C: a thread an element of C. The lanes of a warp walk
// along 32 rows of A, a row apart: each load brings 32 lines, of which the next 31
// use the rest. All CTAs of a column of the grid walk along the same rows. The sum
// is stored with every step, as compilers must: C might overlap with A.
//
// SYK in Li et al. (cache-line). C = alpha A A' + beta C, one thread per element. The lanes of
// a warp traverse 32 rows of A, 32 lines per load; vertically adjacent CTAs traverse the same
// rows. The sum is stored in every iteration, as compilers must if C may alias A. At `paper`:
// 1024 x 1024.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/matrix.h"
#include "common/random.h"
#include "common/timer.h"

enum { CTA_X = 32, CTA_Y = 8 };

__global__ void syrk(const float *a, float *c, int n, int m, float alpha, float beta) {
  int j = blockIdx.x * CTA_X + threadIdx.x, i = blockIdx.y * CTA_Y + threadIdx.y;
  if (i >= n || j >= n) return;
  c[i * n + j] *= beta;
#pragma unroll 1
  for (int k = 0; k < m; k++) c[i * n + j] += alpha * a[i * m + k] * a[j * m + k];
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "C = alpha A A' + beta C");
  int n = (int)arguments.number("n", {64, 192, 1024}, 1, 16384, "rows of A and C");
  int m = (int)arguments.number("m", {32, 128, 1024}, 1, 16384, "columns of A");
  arguments.done();

  const float alpha = 1.5f, beta = 0.5f;
  Random random(arguments.seed());
  std::vector<float> a = random.floats((size_t)n * m, 0, 1), c = random.floats((size_t)n * n, 0, 1);
  DeviceArray<float> device_a(a), device_c(c);
  Timer timer;
  syrk<<<dim3(ctas_for(n, CTA_X), ctas_for(n, CTA_Y)), dim3(CTA_X, CTA_Y)>>>(device_a, device_c, n,
                                                                             m, alpha, beta);
  timer.stop("syrk");

  std::vector<float> product = matrix_product(a, matrix_transposed(a, n, m), n, m, n);
  Comparison comparison;
  comparison.near("C", device_c.get(), matrix_sum(alpha, product, beta, c), 1e-4);
  return comparison.verdict();
}
