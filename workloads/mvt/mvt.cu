// SPDX-License-Identifier: MIT
// x1 += A y1 and x2 += A' y2 for a square A: a kernel along its rows, then one
// down its columns (common/matrix_vector.h).
//
// MVT in Li et al. (cache-line). x1 += A y1 and x2 += A' y2; kernels and remarks as for atax.
// At `paper`: 4096 x 4096.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/matrix_vector.h"
#include "common/random.h"
#include "common/timer.h"

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "x1 += A y1 and x2 += A' y2");
  int n = (int)arguments.number("n", {128, 1280, 4096}, 1, 32768, "rows and columns of A");
  arguments.done();

  Random random(arguments.seed());
  std::vector<float> a = random.floats((size_t)n * n, 0, 1);
  std::vector<float> x1 = random.floats((size_t)n, 0, 1), x2 = random.floats((size_t)n, 0, 1);
  std::vector<float> y1 = random.floats((size_t)n, 0, 1), y2 = random.floats((size_t)n, 0, 1);
  DeviceArray<float> device_a(a), device_x1(x1), device_x2(x2), device_y1(y1), device_y2(y2);
  unsigned ctas = ctas_for(n, MATRIX_VECTOR_CTA);
  Timer timer;
  add_matrix_vector<<<ctas, MATRIX_VECTOR_CTA>>>(device_a, device_y1, device_x1, n, n);
  add_transposed_vector<<<ctas, MATRIX_VECTOR_CTA>>>(device_a, device_y2, device_x2, n, n);
  timer.stop("mvt");

  Comparison comparison;
  comparison.near("x1", device_x1.get(), host_matrix_vector(a, y1, x1), 1e-4);
  comparison.near("x2", device_x2.get(), host_transposed_vector(a, y2, x2), 1e-4);
  return comparison.verdict();
}
