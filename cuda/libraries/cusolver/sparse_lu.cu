// SPDX-License-Identifier: MIT
// A column at a time: the columns of L before it are subtracted in order, then its pivot is chosen.
#include "sparse_lu.h"

#include <math.h>

#include <algorithm>
#include <queue>

template <typename T>
struct Elimination {
  Triangles<T> *to;
  std::vector<T> work;
  Ints touched;
  std::vector<bool> is_touched;
  std::priority_queue<int, Ints, std::greater<int>> steps;  // that the column has entries of

  void touch(int row) {
    if (is_touched[row]) return;
    is_touched[row] = true, touched.push_back(row);
    if (to->step_of[row] >= 0) steps.push(to->step_of[row]);
  }
  void subtract(Column<T> *upper) {
    while (!steps.empty()) {
      int step = steps.top();
      steps.pop();
      T value = work[to->rows[step]];
      upper->rows.push_back(step), upper->values.push_back(value);
      const Column<T> &lower = to->lower[step];
      for (size_t e = 0; e < lower.rows.size(); e++)
        touch(lower.rows[e]), work[lower.rows[e]] -= value * lower.values[e];
    }
  }
  int pivot(int j, double threshold) const {
    int best = -1;
    for (int row : touched)
      if (to->step_of[row] < 0 && (best < 0 || fabs(work[row]) > fabs(work[best]))) best = row;
    bool has_diagonal = is_touched[j] && to->step_of[j] < 0 && work[j] != 0;
    return has_diagonal && fabs(work[j]) >= threshold * fabs(work[best]) ? j : best;
  }
  void finish(int step, int row, Column<T> *upper) {
    Column<T> lower;
    upper->rows.push_back(step), upper->values.push_back(row < 0 ? T(0) : work[row]);
    for (int it : touched)
      if (to->step_of[it] < 0 && it != row && work[it] != 0)
        lower.rows.push_back(it), lower.values.push_back(work[it] / work[row]);
    for (int it : touched) work[it] = 0, is_touched[it] = false;
    touched.clear();
    to->lower.push_back(lower), to->upper.push_back(*upper);
  }
};

template <typename T>
void Triangles<T>::factor(const Pattern &a, const T *values, double threshold) {
  size_t n = (size_t)a.rows;
  Pattern columns = pattern_transposed(a);
  *this = Triangles<T>{Ints(n, -1), Ints(n, -1), {}, {}};
  Elimination<T> it = {this, std::vector<T>(n, T(0)), Ints(), std::vector<bool>(n), {}};
  Ints without;  // steps whose column has no entry left: singular
  for (int j = 0; j < a.rows; j++) {
    Column<T> upper;
    for (int e = columns.starts[j]; e < columns.starts[j + 1]; e++)
      it.touch(columns.indices[e]), it.work[columns.indices[e]] += values[columns.places[e]];
    it.subtract(&upper);
    int row = it.pivot(j, threshold);
    it.finish(j, row, &upper);
    if (row < 0) without.push_back(j);
    if (row >= 0) rows[j] = row, step_of[row] = j;
  }
  for (int row = 0; row < a.rows; row++)
    if (step_of[row] < 0) rows[step_of[row] = without.back()] = row, without.pop_back();
}

template <typename T>
void Triangles<T>::solve(const T *b, T *x) const {
  size_t n = rows.size();
  std::vector<T> y(n);
  for (size_t i = 0; i < n; i++) y[i] = b[rows[i]];
  for (size_t k = 0; k < n; k++)
    for (size_t e = 0; e < lower[k].rows.size(); e++)
      y[step_of[lower[k].rows[e]]] -= y[k] * lower[k].values[e];
  for (size_t j = n; j-- > 0;) {
    const Column<T> &column = upper[j];
    x[j] = y[j] / column.values.back();
    for (size_t e = 0; e + 1 < column.rows.size(); e++)
      y[column.rows[e]] -= x[j] * column.values[e];
  }
}

template <typename T>
std::vector<T> Triangles<T>::diagonal() const {
  std::vector<T> result;
  for (const Column<T> &column : upper) result.push_back(column.values.back());
  return result;
}

template struct Triangles<float>;
template struct Triangles<double>;
