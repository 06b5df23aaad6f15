// SPDX-License-Identifier: MIT
// Sparse QR factors, column by column. Structure by merging rows: those whose first column is k are
// reflected together; one of them becomes row k of R, the others go on with its columns after k
// (George and Heath, 1980).
#include <math.h>

#include <algorithm>

#include "sparse.h"

struct Merged {
  std::vector<Ints> rows;     // of each reflection, its pivot first
  std::vector<Ints> columns;  // of each row of R, after its diagonal
};

static Merged merge_rows(const Pattern &a) {
  Merged it = {std::vector<Ints>(a.columns), std::vector<Ints>(a.columns)};
  for (int i = 0; i < a.rows; i++) {
    int first = a.starts[i], end = a.starts[i + 1];
    if (first == end) continue;
    Ints &columns = it.columns[a.indices[first]];
    it.rows[a.indices[first]].push_back(i);
    columns.insert(columns.end(), a.indices.begin() + first + 1, a.indices.begin() + end);
  }
  for (int k = 0; k < a.columns; k++) {
    Ints &columns = it.columns[k], &rows = it.rows[k];
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    if (columns.empty() || rows.size() < 2) continue;
    Ints &next = it.columns[columns[0]], &after = it.rows[columns[0]];
    next.insert(next.end(), columns.begin() + 1, columns.end());
    after.insert(after.end(), rows.begin() + 1, rows.end());
  }
  return it;
}

static int *copy_lists(const std::vector<Ints> &lists, Space *space, int **starts, int *count) {
  Ints all, begin(1, 0);
  for (const Ints &list : lists) {
    all.insert(all.end(), list.begin(), list.end());
    begin.push_back((int)all.size());
  }
  *starts = space->copy(begin), *count = (int)all.size();
  return space->copy(all);
}

Orthogonal::Orthogonal(const Pattern &a, bool is_device)
    : m(a.rows), n(a.columns), space(is_device) {
  Merged merged = merge_rows(a);
  Pattern columns = pattern_transposed(a);
  a_starts = space.copy(columns.starts), a_rows = space.copy(columns.indices);
  a_places = space.copy(columns.places);
  std::vector<Ints> above(n);
  Ints level(n, 0);
  for (int k = 0; k < n; k++)
    for (int j : merged.columns[k]) above[j].push_back(k);
  for (int j = 0; j < n; j++)
    for (int k : above[j]) level[j] = std::max(level[j], level[k] + 1);
  levels = levels_of(level, &space);
  r_rows = copy_lists(above, &space, &r_starts, &entries);
  v_rows = copy_lists(merged.rows, &space, &v_starts, &reflected);
}

// Reflections are 1 - scale v v'; v is parallel to what it reflects. diagonal: of R.
template <typename T>
struct FactorColumn {
  const int *a_starts, *a_rows, *a_places, *r_starts, *r_rows, *v_starts, *v_rows;
  const T *a;
  T *r, *v, *scales, *diagonal, *work, shift;
  int m;
  BOTH void operator()(int j, int number, const Team &team) const {
    T *column = work + (long long)number * m;
    for (int e = a_starts[j] + team.lane; e < a_starts[j + 1]; e += team.size)
      column[a_rows[e]] = a[a_places[e]] - (a_rows[e] == j ? shift : T(0));
    team.sync();
    for (int e = r_starts[j]; e < r_starts[j + 1]; e++) {
      int k = r_rows[e];
      reflect(column, k, team);
      if (team.lane == 0 && v_starts[k] < v_starts[k + 1]) r[e] = column[v_rows[v_starts[k]]];
    }
    team.sync();
    make(column, j, team);
    for (int e = r_starts[j]; e < r_starts[j + 1]; e++) clear(column, r_rows[e], team);
    clear(column, j, team);
    team.sync();
  }
  BOTH void reflect(T *column, int k, const Team &team) const {
    T sum = 0;
    for (int e = v_starts[k] + team.lane; e < v_starts[k + 1]; e += team.size)
      sum += v[e] * column[v_rows[e]];
    sum = team.sum(sum) * scales[k];
    for (int e = v_starts[k] + team.lane; e < v_starts[k + 1]; e += team.size)
      column[v_rows[e]] -= sum * v[e];
    team.sync();
  }
  BOTH void make(const T *column, int j, const Team &team) const {
    int first = v_starts[j], end = v_starts[j + 1];
    T sum = 0;
    for (int e = first + team.lane; e < end; e += team.size)
      sum += column[v_rows[e]] * column[v_rows[e]];
    sum = team.sum(sum);
    T pivot = first < end ? column[v_rows[first]] : T(0), length = (T)sqrt(sum);
    T reflected_to = pivot > 0 ? -length : length, head = pivot - reflected_to;
    for (int e = first + team.lane; e < end; e += team.size)
      v[e] = e == first ? head : column[v_rows[e]];
    T square = sum - pivot * pivot + head * head;
    if (team.lane == 0) diagonal[j] = reflected_to, scales[j] = square > 0 ? 2 / square : T(0);
    team.sync();
  }
  BOTH void clear(T *column, int k, const Team &team) const {
    for (int e = v_starts[k] + team.lane; e < v_starts[k + 1]; e += team.size)
      column[v_rows[e]] = 0;
  }
};

template <typename T>
FactorColumn<T> Orthogonal::columns(const T *a, T shift) const {
  T *scales = static_cast<T *>(scalars);
  return {a_starts,
          a_rows,
          a_places,
          r_starts,
          r_rows,
          v_starts,
          v_rows,
          a,
          static_cast<T *>(r),
          static_cast<T *>(v),
          scales,
          scales + n,
          static_cast<T *>(work),
          shift,
          m};
}

template <typename T>
cusolverStatus_t Orthogonal::factor(const T *a, T shift, cudaStream_t stream) {
  if (!r) {
    r = space.allocate<double>(entries), v = space.allocate<double>(reflected);
    scalars = space.allocate<double>(2 * (size_t)n);
    work = space.allocate<double>(std::max(work_size(space, m), (size_t)m));
  }
  if (space.has_failed) return CUSOLVER_STATUS_ALLOC_FAILED;
  run_steps(columns(a, shift), levels, space, stream);
  return launched();
}

// y = Q' b, then R x = y.
template <typename T>
struct SolveOrthogonal {
  FactorColumn<T> factors;
  const T *b;
  T *x;
  int n;
  BOTH void operator()(const Team &team) const {
    T *y = factors.work;
    const FactorColumn<T> &f = factors;
    for (int i = team.lane; i < f.m; i += team.size) y[i] = b[i];
    team.sync();
    for (int k = 0; k < n; k++) f.reflect(y, k, team);
    for (int k = team.lane; k < n; k += team.size)
      x[k] = f.v_starts[k] < f.v_starts[k + 1] ? y[f.v_rows[f.v_starts[k]]] : T(0);
    team.sync();
    for (int i = team.lane; i < f.m; i += team.size) y[i] = 0;
    for (int j = n - 1; j >= 0; j--) {
      T value = x[j] / f.diagonal[j];
      team.sync();
      if (team.lane == 0) x[j] = value;
      for (int e = f.r_starts[j] + team.lane; e < f.r_starts[j + 1]; e += team.size)
        x[f.r_rows[e]] -= f.r[e] * value;
      team.sync();
    }
  }
};

template <typename T>
cusolverStatus_t Orthogonal::solve(const T *b, T *x, cudaStream_t stream) {
  NEED(r);
  run_single(SolveOrthogonal<T>{columns<T>(nullptr, 0), b, x, n}, space, stream);
  return launched();
}

template <typename T>
cusolverStatus_t Orthogonal::diagonal(std::vector<T> *to) {
  NEED(r);
  to->resize(n);
  const T *from = static_cast<T *>(scalars) + n;
  if (n && cudaMemcpy(to->data(), from, n * sizeof(T), cudaMemcpyDefault) != cudaSuccess)
    return CUSOLVER_STATUS_EXECUTION_FAILED;
  return CUSOLVER_STATUS_SUCCESS;
}

#define TYPES(T)                                                                \
  template cusolverStatus_t Orthogonal::factor<T>(const T *, T, cudaStream_t);  \
  template cusolverStatus_t Orthogonal::solve<T>(const T *, T *, cudaStream_t); \
  template cusolverStatus_t Orthogonal::diagonal<T>(std::vector<T> *);
TYPES(float)
TYPES(double)
