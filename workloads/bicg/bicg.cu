// SPDX-License-Identifier: MIT
// The two products of a step of the biconjugate gradient method: s = A' r, a
// kernel down the columns of A, and q = A p, one along its rows
// (common/matrix_vector.h).
//
// BC in Li et al. (cache-line). s = A' r, then q = A p, the two products of a step of the
// biconjugate gradient method; kernels, sizes and remarks as for atax.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/matrix_vector.h"
#include "common/random.h"
#include "common/timer.h"

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "s = A' r and q = A p");
  int rows = (int)arguments.number("rows", {256, 3840, 4096}, 1, MATRIX_VECTOR_EDGE, "rows of A");
  int columns =
      (int)arguments.number("columns", {64, 256, 4096}, 1, MATRIX_VECTOR_EDGE, "columns of A");
  arguments.done();
  check_matrix(rows, columns);

  Random random(arguments.seed());
  std::vector<float> a = random.floats((size_t)rows * columns, 0, 1);
  std::vector<float> r = random.floats((size_t)rows, -1, 1);
  std::vector<float> p = random.floats((size_t)columns, -1, 1);
  DeviceArray<float> device_a(a), device_r(r), device_p(p), s((size_t)columns), q((size_t)rows);
  Timer timer;
  add_transposed_vector<<<ctas_for(columns, MATRIX_VECTOR_CTA), MATRIX_VECTOR_CTA>>>(
      device_a, device_r, s, rows, columns);
  add_matrix_vector<<<ctas_for(rows, MATRIX_VECTOR_CTA), MATRIX_VECTOR_CTA>>>(device_a, device_p, q,
                                                                              rows, columns);
  timer.stop("bicg");

  Comparison comparison;
  comparison.near("s", s.get(), host_transposed_vector(a, r, std::vector<float>(columns)), 1e-4,
                  10);
  comparison.near("q", q.get(), host_matrix_vector(a, p, std::vector<float>(rows)), 1e-4, 10);
  return comparison.verdict();
}
