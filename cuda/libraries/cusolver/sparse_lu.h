// SPDX-License-Identifier: MIT
// Sparse LU factors with row exchanges, on the host (Gilbert and Peierls, 1988).
#ifndef CUSOLVER_SPARSE_LU_H
#define CUSOLVER_SPARSE_LU_H

#include "sparse.h"

// Columns of a factor.
template <typename T>
struct Column {
  Ints rows;
  std::vector<T> values;
};

// Row rows[i] of A is row i of L U. L without its diagonal, by rows of A; U by rows of L U, the
// diagonal last.
template <typename T>
struct Triangles {
  Ints rows, step_of;
  std::vector<Column<T>> lower, upper;
  // The diagonal is taken as the pivot if it is at least `threshold` of the largest entry.
  void factor(const Pattern &a, const T *values, double threshold);
  void solve(const T *b, T *x) const;
  std::vector<T> diagonal() const;
};

#endif
