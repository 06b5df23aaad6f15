// SPDX-License-Identifier: MIT
// y = A' (A x): a kernel along the rows of A, then one down its columns
// (common/matrix_vector.h).
//
// ATX in Li et al. (cache-line). y = A' (A x) for a random A. The first kernel traverses rows,
// one thread per row: a warp's load touches 32 lines, and the next 31 loads reuse them, which
// fills or thrashes an L1. The second traverses columns, coalesced. Both store the sum in every
// iteration, as compilers must if y may alias A. At `paper`: 4096 x 4096, 16 CTAs per kernel.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/matrix_vector.h"
#include "common/random.h"
#include "common/timer.h"

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "y = A' (A x)");
  int rows = (int)arguments.number("rows", {256, 3840, 4096}, 1, MATRIX_VECTOR_EDGE, "rows of A");
  int columns =
      (int)arguments.number("columns", {64, 256, 4096}, 1, MATRIX_VECTOR_EDGE, "columns of A");
  arguments.done();
  check_matrix(rows, columns);

  Random random(arguments.seed());
  std::vector<float> a = random.floats((size_t)rows * columns, 0, 1);
  std::vector<float> x = random.floats((size_t)columns, 0, 1);
  DeviceArray<float> device_a(a), device_x(x), product((size_t)rows), y((size_t)columns);
  Timer timer;
  add_matrix_vector<<<ctas_for(rows, MATRIX_VECTOR_CTA), MATRIX_VECTOR_CTA>>>(
      device_a, device_x, product, rows, columns);
  add_transposed_vector<<<ctas_for(columns, MATRIX_VECTOR_CTA), MATRIX_VECTOR_CTA>>>(
      device_a, product, y, rows, columns);
  timer.stop("atax");

  std::vector<float> host_product = host_matrix_vector(a, x, std::vector<float>(rows));
  Comparison comparison;
  comparison.near("A x", product.get(), host_product, 1e-4);
  comparison.near("y", y.get(),
                  host_transposed_vector(a, host_product, std::vector<float>(columns)), 1e-4);
  return comparison.verdict();
}
