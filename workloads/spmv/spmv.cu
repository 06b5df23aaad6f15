// SPDX-License-Identifier: MIT
// y = A x for a sparse A in jagged diagonals: rows by falling length, a thread a
// row, and the d-th entries of all rows side by side. Entries and columns are read
// once, in order; x is read where the columns say, by every CTA whose rows meet there.
//
// SPMV in Oh et al. (cache-sensitive). Sparse matrix times vector in jagged diagonals, rows of
// a warp padded to one length; starts of diagonals and lengths in constant memory. A matrix
// with `--mean` entries per row within `--band` of the diagonal, or a Matrix Market file
// (`--matrix`). The three loads of table I are x (gathered by column), the columns and the
// values. At `paper`: 146689 rows, 25 entries per row, 50 products, the size of the suite's
// large set, which we cannot redistribute; `small` has the size of its medium set.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/sparse.h"
#include "common/timer.h"

enum { CTA = 192, WARP = 32, MOST = 5000 };

__constant__ int diagonal_start[MOST];
__constant__ int
    warp_length[MOST];  // of the longest row among a warp's; shorter ones go on with zeros

__global__ void multiply(float *y, const float *value, const int *column, const int *permutation,
                         const float *x, int rows) {
  int i = blockIdx.x * CTA + threadIdx.x;
  if (i >= rows) return;
  float sum = 0;
  int length = warp_length[i / WARP];
#pragma unroll 1
  for (int d = 0; d < length; d++) {
    int at = diagonal_start[d] + i;
    sum += value[at] * x[column[at]];
  }
  y[permutation[i]] = sum;
}

static std::vector<int> warp_lengths(const Jds &jds) {
  std::vector<int> lengths;
  for (int i = 0; i < jds.rows; i += WARP) lengths.push_back(jds.length[i]);
  return lengths;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "sparse matrix times vector, in jagged diagonals");
  int rows =
      (int)arguments.number("rows", {1138, 11948, 146689}, 1, MOST * WARP, "rows and columns");
  int mean = (int)arguments.number("mean", {4, 12, 25}, 1, 1000, "entries a row, on average");
  int band = (int)arguments.number("band", {100, 500, 1000}, 0, 1 << 24,
                                   "how far from the diagonal entries are");
  int repeats = (int)arguments.number("repeats", {1, 2, 50}, 1, 1000, "products");
  const char *path = arguments.file("matrix", "Matrix Market file, in place of a generated matrix");
  arguments.done();

  Csr matrix = path ? csr_read(path) : csr_generate(rows, rows, mean, band, arguments.seed());
  Jds jds = jds_from_csr(matrix, WARP);
  std::vector<int> lengths = warp_lengths(jds);
  if (lengths.size() > MOST || jds.start.size() > MOST)
    fail(EXIT_INPUT, "at most %d rows, and %d entries a row", MOST * WARP, MOST);
  CUDA(cudaMemcpyToSymbol(diagonal_start, jds.start.data(), jds.start.size() * sizeof(int)));
  CUDA(cudaMemcpyToSymbol(warp_length, lengths.data(), lengths.size() * sizeof(int)));

  Random random(arguments.seed() + 1);
  std::vector<float> x = random.floats((size_t)matrix.columns, -1, 1);
  DeviceArray<float> value(jds.value), device_x(x), y((size_t)matrix.rows);
  DeviceArray<int> column(jds.column), permutation(jds.permutation);
  Timer timer;
  for (int i = 0; i < repeats; i++)
    multiply<<<ctas_for(jds.rows, CTA), CTA>>>(y, value, column, permutation, device_x, jds.rows);
  timer.stop("spmv");

  Comparison comparison;
  comparison.near("y", y.get(), csr_multiply(matrix, x), 1e-5);
  return comparison.verdict();
}
