// SPDX-License-Identifier: MIT
// Sparse matrices: compressed rows (CSR), their generators, a reader of Matrix
// Market files, and jagged diagonals (JDS).
#ifndef WORKLOADS_SPARSE_H
#define WORKLOADS_SPARSE_H

#include <algorithm>
#include <climits>
#include <numeric>
#include <string>
#include <vector>

#include "common/random.h"
#include "common/text_file.h"

// Row r holds column[start[r]] .. column[start[r + 1] - 1], in ascending order.
struct Csr {
  int rows = 0, columns = 0;
  std::vector<int> start, column;
  std::vector<float> value;
};

struct Entry {
  int row, column;
  float value;
};

// Entries in any order; of several at one place, their sum.
static inline Csr csr_from_entries(int rows, int columns, std::vector<Entry> entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  Csr matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.start.assign((size_t)rows + 1, 0);
  for (size_t i = 0; i < entries.size(); i++) {
    bool is_same =
        i && entries[i].row == entries[i - 1].row && entries[i].column == entries[i - 1].column;
    if (is_same) {
      matrix.value.back() += entries[i].value;
      continue;
    }
    matrix.column.push_back(entries[i].column);
    matrix.value.push_back(entries[i].value);
    matrix.start[(size_t)entries[i].row + 1]++;
  }
  std::partial_sum(matrix.start.begin(), matrix.start.end(), matrix.start.begin());
  return matrix;
}

// 1 to 2 * mean - 1 entries a row, at random places within `band` columns of the
// diagonal (band >= columns: anywhere).
static inline Csr csr_generate(int rows, int columns, int mean, int band, uint64_t seed) {
  Random random(seed);
  std::vector<Entry> entries;
  for (int r = 0; r < rows; r++) {
    int middle = (int)((long long)r * columns / rows);
    int low = std::max(0, middle - band);
    int high = (int)std::min<long long>(columns, (long long)middle + band + 1);
    int count = 1 + (int)random.below((uint32_t)(2 * mean - 1));
    for (int i = 0; i < count; i++)
      entries.push_back(
          {r, low + (int)random.below((uint32_t)(high - low)), random.uniform(-1, 1)});
  }
  return csr_from_entries(rows, columns, entries);
}

// Coordinate files with real, integer or pattern entries, general, symmetric or
// skew-symmetric.
static inline Csr csr_read(const char *path) {
  enum { MOST = 1 << 26 };
  TextFile file(path);
  if (file.word("%%MatrixMarket") != "%%MatrixMarket") file.wrong("not a Matrix Market file");
  if (file.word("matrix") != "matrix" || file.word("coordinate") != "coordinate")
    file.wrong("only 'matrix coordinate' files are read");
  std::string field = file.word("the type of entries"), symmetry = file.word("the symmetry");
  if (field != "real" && field != "integer" && field != "pattern")
    file.wrong("entries are real, integer or pattern");
  if (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric")
    file.wrong("matrices are general, symmetric or skew-symmetric");
  file.set_comment('%');
  int rows = (int)file.integer("number of rows", 1, MOST);
  int columns = (int)file.integer("number of columns", 1, MOST);
  long long count = file.integer("number of entries", 0, INT_MAX / 2);
  file.expect_at_least((size_t)count * 4, "an entry");
  file.expect_at_least((size_t)rows, "a row");
  std::vector<Entry> entries;
  for (long long i = 0; i < count; i++) {
    int row = (int)file.integer("row", 1, rows) - 1;
    int column = (int)file.integer("column", 1, columns) - 1;
    float value = field == "pattern" ? 1 : (float)file.real("value");
    entries.push_back({row, column, value});
    if (symmetry == "general" || row == column) continue;
    if (column >= rows || row >= columns) file.wrong("a symmetric matrix is square");
    entries.push_back({column, row, symmetry == "symmetric" ? value : -value});
  }
  if (!file.at_end()) file.wrong("more entries than the file announces");
  return csr_from_entries(rows, columns, entries);
}

static inline std::vector<float> csr_multiply(const Csr &matrix, const std::vector<float> &x) {
  std::vector<float> y((size_t)matrix.rows);
  for (int r = 0; r < matrix.rows; r++) {
    double sum = 0;
    for (int i = matrix.start[r]; i < matrix.start[r + 1]; i++)
      sum += (double)matrix.value[i] * x[matrix.column[i]];
    y[r] = (float)sum;
  }
  return y;
}

// Jagged diagonals: rows by falling length; diagonal d holds the d-th entry of
// each row that is long enough, one behind the other from start[d].
struct Jds {
  int rows = 0;
  std::vector<int> permutation;  // row i of this order is row permutation[i] of the matrix
  std::vector<int> length;       // of row i of this order
  std::vector<int> start;        // of each diagonal
  std::vector<int> column;
  std::vector<float> value;
};

// Each diagonal begins at a multiple of `align` entries; what lies between is zero.
static inline Jds jds_from_csr(const Csr &matrix, int align) {
  Jds jds;
  auto length = [&](int r) { return matrix.start[r + 1] - matrix.start[r]; };
  jds.rows = matrix.rows;
  jds.permutation.resize((size_t)matrix.rows);
  std::iota(jds.permutation.begin(), jds.permutation.end(), 0);
  std::stable_sort(jds.permutation.begin(), jds.permutation.end(),
                   [&](int a, int b) { return length(a) > length(b); });
  for (int r : jds.permutation) jds.length.push_back(length(r));
  int diagonals = matrix.rows ? jds.length[0] : 0;
  for (int d = 0; d < diagonals; d++) {
    jds.start.push_back((int)jds.column.size());
    for (int i = 0; i < matrix.rows && jds.length[i] > d; i++) {
      int at = matrix.start[jds.permutation[i]] + d;
      jds.column.push_back(matrix.column[at]);
      jds.value.push_back(matrix.value[at]);
    }
    while (jds.column.size() % (size_t)align) jds.column.push_back(0), jds.value.push_back(0);
  }
  return jds;
}

#endif
