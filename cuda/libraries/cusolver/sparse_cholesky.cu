// SPDX-License-Identifier: MIT
// Sparse Cholesky factors, row by row: the structure from the elimination tree (Liu, 1990).
#include <math.h>

#include <algorithm>

#include "sparse.h"

// Rows of L, each with its diagonal last; places: of A's entries, -1 where only L has one.
struct Rows {
  Ints starts, columns, places, levels;
};

// Row i of L has the columns on the paths from A's entries to i.
static Ints row_of_factor(const Pattern &a, int i, Ints *parent, Ints *seen) {
  Ints row;
  (*seen)[i] = i;
  for (int e = a.starts[i]; e < a.starts[i + 1] && a.indices[e] < i; e++)
    for (int k = a.indices[e]; (*seen)[k] != i; k = (*parent)[k]) {
      if ((*parent)[k] < 0) (*parent)[k] = i;
      row.push_back(k), (*seen)[k] = i;
    }
  std::sort(row.begin(), row.end());
  row.push_back(i);
  return row;
}

static Rows rows_of_factor(const Pattern &a) {
  Rows rows = {Ints(1, 0), Ints(), Ints(), Ints(a.rows, 0)};
  Ints parent(a.rows, -1), seen(a.rows, -1), place(a.rows, -1);
  for (int i = 0; i < a.rows; i++) {
    for (int e = a.starts[i]; e < a.starts[i + 1]; e++) place[a.indices[e]] = a.places[e];
    for (int k : row_of_factor(a, i, &parent, &seen)) {
      rows.columns.push_back(k), rows.places.push_back(place[k]);
      if (k != i) rows.levels[i] = std::max(rows.levels[i], rows.levels[k] + 1);
    }
    for (int e = a.starts[i]; e < a.starts[i + 1]; e++) place[a.indices[e]] = -1;
    rows.starts.push_back((int)rows.columns.size());
  }
  return rows;
}

Cholesky::Cholesky(const Pattern &a, bool is_device) : n(a.rows), space(is_device) {
  Rows rows = rows_of_factor(a);
  entries = (int)rows.columns.size();
  Pattern l = {n, n, rows.starts, rows.columns, Ints(entries)};
  for (int e = 0; e < entries; e++) l.places[e] = e;
  Pattern below = pattern_transposed(l);
  levels = levels_of(rows.levels, &space);
  starts = space.copy(rows.starts), columns = space.copy(rows.columns);
  places = space.copy(rows.places), below_starts = space.copy(below.starts);
  below_rows = space.copy(below.indices), below_places = space.copy(below.places);
}

// Row i of L. Its entry in column k is final when those before it were subtracted; then column k
// below k, up to row i, is subtracted from the rest of the row.
template <typename T>
struct FactorRow {
  const int *starts, *columns, *below_starts, *below_rows, *below_places;
  T *values, *work;
  int n;
  BOTH void operator()(int i, int number, const Team &team) const {
    T *row = work + (long long)number * n;
    int first = starts[i], last = starts[i + 1] - 1;
    for (int e = first + team.lane; e <= last; e += team.size) row[columns[e]] = values[e];
    team.sync();
    for (int e = first; e < last; e++) subtract(row, i, columns[e], team);
    for (int e = first + team.lane; e <= last; e += team.size) {
      T value = row[columns[e]];
      values[e] = e < last ? value : value > 0 ? (T)sqrt(value) : T(0);
      row[columns[e]] = 0;
    }
    team.sync();
  }
  BOTH void subtract(T *row, int i, int k, const Team &team) const {
    int at = below_starts[k], end = below_starts[k + 1];
    T value = row[k] / values[below_places[at]];
    team.sync();
    if (team.lane == 0) row[k] = value, row[i] -= value * value;
    for (int e = at + 1 + team.lane; e < end && below_rows[e] < i; e += team.size)
      row[below_rows[e]] -= value * values[below_places[e]];
    team.sync();
  }
};

template <typename T>
cusolverStatus_t Cholesky::factor(const T *a, cudaStream_t stream) {
  if (!values)
    values = space.allocate<double>(entries), work = space.allocate<double>(work_size(space, n));
  if (space.has_failed) return CUSOLVER_STATUS_ALLOC_FAILED;
  T *l = static_cast<T *>(values);
  run_gather(Gather<T>{l, a, places, entries}, space, stream);
  FactorRow<T> row = {starts,       columns, below_starts,           below_rows,
                      below_places, l,       static_cast<T *>(work), n};
  run_steps(row, levels, space, stream);
  return launched();
}

// L y = b, L' x = y.
template <typename T>
struct SolveCholesky {
  const int *starts, *columns;
  const T *values, *b;
  T *x;
  int n;
  BOTH void operator()(const Team &team) const {
    for (int i = 0; i < n; i++) {
      T sum = 0;
      int last = starts[i + 1] - 1;
      for (int e = starts[i] + team.lane; e < last; e += team.size)
        sum += values[e] * x[columns[e]];
      sum = team.sum(sum);
      if (team.lane == 0) x[i] = (b[i] - sum) / values[last];
      team.sync();
    }
    for (int i = n - 1; i >= 0; i--) {
      int last = starts[i + 1] - 1;
      T value = x[i] / values[last];
      team.sync();
      if (team.lane == 0) x[i] = value;
      for (int e = starts[i] + team.lane; e < last; e += team.size)
        x[columns[e]] -= values[e] * value;
      team.sync();
    }
  }
};

template <typename T>
cusolverStatus_t Cholesky::solve(const T *b, T *x, cudaStream_t stream) {
  NEED(values);
  run_single(SolveCholesky<T>{starts, columns, static_cast<T *>(values), b, x, n}, space, stream);
  return launched();
}

template <typename T>
cusolverStatus_t Cholesky::diagonal(std::vector<T> *to) {
  NEED(values);
  std::vector<T> all(entries);
  Ints ends(n + 1);
  to->resize(n);
  if (entries &&
      (cudaMemcpy(all.data(), values, entries * sizeof(T), cudaMemcpyDefault) != cudaSuccess ||
       cudaMemcpy(ends.data(), starts, (n + 1) * sizeof(int), cudaMemcpyDefault) != cudaSuccess))
    return CUSOLVER_STATUS_EXECUTION_FAILED;
  for (int i = 0; i < n; i++) (*to)[i] = all[ends[i + 1] - 1];
  return CUSOLVER_STATUS_SUCCESS;
}

#define TYPES(T)                                                              \
  template cusolverStatus_t Cholesky::factor<T>(const T *, cudaStream_t);     \
  template cusolverStatus_t Cholesky::solve<T>(const T *, T *, cudaStream_t); \
  template cusolverStatus_t Cholesky::diagonal<T>(std::vector<T> *);
TYPES(float)
TYPES(double)
