// SPDX-License-Identifier: MIT
// x1 += A y1 and x2 += A' y2 for an A that is square by default: a kernel along its rows, then one
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
  int n = (int)arguments.number("n", {128, 1280, 4096}, 1, MATRIX_VECTOR_EDGE, "rows of A");
  int columns = (int)arguments.number("columns", {0, 0, 0}, 0, MATRIX_VECTOR_EDGE,
                                      "columns of A; 0: as many as rows");
  arguments.done();
  if (!columns) columns = n;
  check_matrix(n, columns);

  Random random(arguments.seed());
  std::vector<float> a = random.floats((size_t)n * columns, 0, 1);
  std::vector<float> x1 = random.floats((size_t)n, 0, 1), x2 = random.floats((size_t)columns, 0, 1);
  std::vector<float> y1 = random.floats((size_t)columns, 0, 1), y2 = random.floats((size_t)n, 0, 1);
  DeviceArray<float> device_a(a), device_x1(x1), device_x2(x2), device_y1(y1), device_y2(y2);
  Timer timer;
  add_matrix_vector<<<ctas_for(n, MATRIX_VECTOR_CTA), MATRIX_VECTOR_CTA>>>(
      device_a, device_y1, device_x1, n, columns);
  add_transposed_vector<<<ctas_for(columns, MATRIX_VECTOR_CTA), MATRIX_VECTOR_CTA>>>(
      device_a, device_y2, device_x2, n, columns);
  timer.stop("mvt");

  Comparison comparison;
  comparison.near("x1", device_x1.get(), host_matrix_vector(a, y1, x1), 1e-4);
  comparison.near("x2", device_x2.get(), host_transposed_vector(a, y2, x2), 1e-4);
  return comparison.verdict();
}
