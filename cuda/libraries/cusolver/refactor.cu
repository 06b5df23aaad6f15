// SPDX-License-Identifier: MIT
// cuSOLVER's refactorisation: LU factors of a matrix whose structure and pivots are known.
#include <cusolverRf.h>

#include <algorithm>

#include "../cusparse/description.h"
#include "sparse.h"

// M is L, without its diagonal, and U: P A Q' = L U.
struct cusolverRfCommon {
  cusolverRfMatrixFormat_t format = CUSOLVERRF_MATRIX_FORMAT_CSR;
  cusolverRfUnitDiagonal_t diagonal = CUSOLVERRF_UNIT_DIAGONAL_STORED_L;
  cusolverRfFactorization_t factorization = CUSOLVERRF_FACTORIZATION_ALG0;
  cusolverRfTriangularSolve_t solve = CUSOLVERRF_TRIANGULAR_SOLVE_ALG1;
  cusolverRfResetValuesFastMode_t mode = CUSOLVERRF_RESET_VALUES_FAST_MODE_OFF;
  double zero = 0, boost = 0;
  Pattern m;  // places: in A's values
  bool is_analysed = false;
  std::unique_ptr<Space> space;
  Levels levels;
  int *starts, *columns, *places, *diagonals, *boosted;
  double *values, *work;
};

EXPORT cusolverStatus_t cusolverRfCreate(cusolverRfHandle_t *handle) {
  NEED(handle);
  *handle = new cusolverRfCommon();
  return CUSOLVER_STATUS_SUCCESS;
}
EXPORT cusolverStatus_t cusolverRfDestroy(cusolverRfHandle_t handle) {
  NEED_HANDLE(handle);
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}

#define PROPERTIES(NAME, A, a, B, b)                                                            \
  EXPORT cusolverStatus_t cusolverRfSet##NAME(cusolverRfHandle_t handle, A first, B second) {   \
    NEED_HANDLE(handle);                                                                        \
    handle->a = first, handle->b = second;                                                      \
    return CUSOLVER_STATUS_SUCCESS;                                                             \
  }                                                                                             \
  EXPORT cusolverStatus_t cusolverRfGet##NAME(cusolverRfHandle_t handle, A *first, B *second) { \
    NEED_HANDLE(handle);                                                                        \
    NEED(first &&second);                                                                       \
    *first = handle->a, *second = handle->b;                                                    \
    return CUSOLVER_STATUS_SUCCESS;                                                             \
  }
PROPERTIES(MatrixFormat, cusolverRfMatrixFormat_t, format, cusolverRfUnitDiagonal_t, diagonal)
PROPERTIES(NumericProperties, double, zero, double, boost)
PROPERTIES(Algs, cusolverRfFactorization_t, factorization, cusolverRfTriangularSolve_t, solve)

EXPORT cusolverStatus_t cusolverRfSetResetValuesFastMode(cusolverRfHandle_t handle,
                                                         cusolverRfResetValuesFastMode_t mode) {
  NEED_HANDLE(handle);
  handle->mode = mode;
  return CUSOLVER_STATUS_SUCCESS;
}
EXPORT cusolverStatus_t cusolverRfGetResetValuesFastMode(cusolverRfHandle_t handle,
                                                         cusolverRfResetValuesFastMode_t *mode) {
  NEED_HANDLE(handle);
  NEED(mode);
  *mode = handle->mode;
  return CUSOLVER_STATUS_SUCCESS;
}

// ---- structure

// Row i of L and U together, and the places of A's entries in it. False: an entry of A is in
// neither.
static bool join_row(const Pattern &a, const Pattern &l, const Pattern &u, int i, Pattern *m) {
  Ints row(l.indices.begin() + l.starts[i], l.indices.begin() + l.starts[i + 1]);
  row.insert(row.end(), u.indices.begin() + u.starts[i], u.indices.begin() + u.starts[i + 1]);
  row.push_back(i);
  std::sort(row.begin(), row.end());
  row.erase(std::unique(row.begin(), row.end()), row.end());
  int e = a.starts[i];
  for (int j : row) {
    bool has = e < a.starts[i + 1] && a.indices[e] == j;
    m->indices.push_back(j), m->places.push_back(has ? a.places[e++] : -1);
  }
  m->starts.push_back((int)m->indices.size());
  return e == a.starts[i + 1];
}

static cusolverStatus_t setup(cusolverRfHandle_t handle, int n, int nnz, const int *starts,
                              const int *columns, int lower_nnz, const int *lower_starts,
                              const int *lower_columns, int upper_nnz, const int *upper_starts,
                              const int *upper_columns, const int *p, const int *q,
                              bool is_device) {
  NEED_HANDLE(handle);
  NEED(n >= 0 && nnz >= 0 && lower_nnz >= 0 && upper_nnz >= 0 && p && q);
  bool is_unit_lower = handle->diagonal == CUSOLVERRF_UNIT_DIAGONAL_STORED_L ||
                       handle->diagonal == CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L;
  if (handle->format != CUSOLVERRF_MATRIX_FORMAT_CSR || !is_unit_lower)
    return CUSOLVER_STATUS_NOT_SUPPORTED;
  cusparseMatDescr zero_based = {};
  Pattern a, l, u;
  Ints rows(n), cols(n);
  size_t size = n * sizeof(int);
  NEED(pattern_read(&a, n, n, nnz, &zero_based, starts, nullptr, columns, is_device));
  NEED(pattern_read(&l, n, n, lower_nnz, &zero_based, lower_starts, nullptr, lower_columns,
                    is_device));
  NEED(pattern_read(&u, n, n, upper_nnz, &zero_based, upper_starts, nullptr, upper_columns,
                    is_device));
  if (n && (cudaMemcpy(rows.data(), p, size, cudaMemcpyDefault) != cudaSuccess ||
            cudaMemcpy(cols.data(), q, size, cudaMemcpyDefault) != cudaSuccess))
    return CUSOLVER_STATUS_EXECUTION_FAILED;
  a = pattern_permuted(a, rows.data(), cols.data());
  handle->m = Pattern{n, n, Ints(1, 0), Ints(), Ints()}, handle->is_analysed = false;
  for (int i = 0; i < n; i++) NEED(join_row(a, l, u, i, &handle->m));
  return CUSOLVER_STATUS_SUCCESS;
}

#define SETUP(SIDE, IS_DEVICE)                                                               \
  EXPORT cusolverStatus_t cusolverRfSetup##SIDE(                                             \
      int n, int nnz, int *starts, int *columns, double *, int lower_nnz, int *lower_starts, \
      int *lower_columns, double *, int upper_nnz, int *upper_starts, int *upper_columns,    \
      double *, int *p, int *q, cusolverRfHandle_t handle) {                                 \
    return setup(handle, n, nnz, starts, columns, lower_nnz, lower_starts, lower_columns,    \
                 upper_nnz, upper_starts, upper_columns, p, q, IS_DEVICE);                   \
  }
SETUP(Host, false)
SETUP(Device, true)

EXPORT cusolverStatus_t cusolverRfAnalyze(cusolverRfHandle_t handle) {
  NEED_HANDLE(handle);
  const Pattern &m = handle->m;
  NEED((int)m.starts.size() == m.rows + 1);
  Ints level(m.rows, 0), diagonals(m.rows);
  for (int i = 0; i < m.rows; i++)
    for (int e = m.starts[i]; e < m.starts[i + 1] && m.indices[e] <= i; e++) {
      diagonals[i] = e;
      if (m.indices[e] < i) level[i] = std::max(level[i], level[m.indices[e]] + 1);
    }
  handle->space.reset(new Space(true));
  Space &space = *handle->space;
  handle->levels = levels_of(level, &space);
  handle->starts = space.copy(m.starts), handle->columns = space.copy(m.indices);
  handle->places = space.copy(m.places), handle->diagonals = space.copy(diagonals);
  handle->boosted = space.allocate<int>(1);
  handle->values = space.allocate<double>(m.indices.size());
  handle->work = space.allocate<double>(work_size(space, m.rows));
  handle->is_analysed = !space.has_failed;
  return space.has_failed ? CUSOLVER_STATUS_ALLOC_FAILED : CUSOLVER_STATUS_SUCCESS;
}

// ---- numbers

// The structure is that of the setup; only the values are read.
EXPORT cusolverStatus_t cusolverRfResetValues(int n, int, int *, int *, double *values, int *,
                                              int *, cusolverRfHandle_t handle) {
  NEED_HANDLE(handle);
  NEED(handle->is_analysed && n == handle->m.rows);
  Gather<double> gather = {handle->values, values, handle->places, (int)handle->m.indices.size()};
  run_gather(gather, *handle->space, 0);
  return launched();
}

// Row i of L and U: multiples of earlier rows of U are subtracted, in order.
struct RefactorRow {
  const int *starts, *columns, *diagonals;
  double *values, *work, zero, boost;
  int *boosted, n;
  BOTH void operator()(int i, int number, const Team &team) const {
    double *row = work + (long long)number * n;
    int first = starts[i], end = starts[i + 1];
    for (int e = first + team.lane; e < end; e += team.size) row[columns[e]] = values[e];
    team.sync();
    for (int e = first; columns[e] < i; e++) subtract(row, columns[e], team);
    for (int e = first + team.lane; e < end; e += team.size) {
      values[e] = row[columns[e]];
      row[columns[e]] = 0;
    }
    team.sync();
    int at = diagonals[i];
    if (team.lane == 0 && fabs(values[at]) < zero)
      values[at] = values[at] < 0 ? -boost : boost, *boosted = 1;
    team.sync();
  }
  BOTH void subtract(double *row, int k, const Team &team) const {
    double value = row[k] / values[diagonals[k]];
    team.sync();
    if (team.lane == 0) row[k] = value;
    for (int e = diagonals[k] + 1 + team.lane; e < starts[k + 1]; e += team.size)
      row[columns[e]] -= value * values[e];
    team.sync();
  }
};

EXPORT cusolverStatus_t cusolverRfRefactor(cusolverRfHandle_t handle) {
  NEED_HANDLE(handle);
  NEED(handle->is_analysed);
  cudaMemsetAsync(handle->boosted, 0, sizeof(int), 0);
  RefactorRow row = {handle->starts, handle->columns, handle->diagonals,
                     handle->values, handle->work,    handle->zero,
                     handle->boost,  handle->boosted, handle->m.rows};
  run_steps(row, handle->levels, *handle->space, 0);
  return launched();
}

EXPORT cusolverStatus_t cusolverRfGetNumericBoostReport(cusolverRfHandle_t handle,
                                                        cusolverRfNumericBoostReport_t *report) {
  NEED_HANDLE(handle);
  NEED(report && handle->is_analysed);
  int boosted = 0;
  if (cudaMemcpy(&boosted, handle->boosted, sizeof boosted, cudaMemcpyDeviceToHost) != cudaSuccess)
    return CUSOLVER_STATUS_EXECUTION_FAILED;
  *report = boosted ? CUSOLVERRF_NUMERIC_BOOST_USED : CUSOLVERRF_NUMERIC_BOOST_NOT_USED;
  return CUSOLVER_STATUS_SUCCESS;
}

// x = Q' (U^-1 L^-1 (P x)), a warp per column.
struct SolveBoth {
  const int *starts, *columns, *diagonals, *p, *q;
  const double *values;
  double *work, *x;
  int n;
  __device__ void operator()(const Team &team) const {
    for (int i = 0; i < n; i++) {
      double sum = of_row(starts[i], diagonals[i], team);
      if (team.lane == 0) work[i] = x[p[i]] - sum;
      team.sync();
    }
    for (int i = n - 1; i >= 0; i--) {
      double sum = of_row(diagonals[i] + 1, starts[i + 1], team);
      if (team.lane == 0) work[i] = (work[i] - sum) / values[diagonals[i]];
      team.sync();
    }
    for (int i = team.lane; i < n; i += team.size) x[q[i]] = work[i];
  }
  __device__ double of_row(int first, int end, const Team &team) const {
    double sum = 0;
    for (int e = first + team.lane; e < end; e += team.size) sum += values[e] * work[columns[e]];
    return team.sum(sum);
  }
};
__global__ void solve_columns(SolveBoth solve, int ld_work, int ldx) {
  solve.work += (long long)blockIdx.x * ld_work, solve.x += (long long)blockIdx.x * ldx;
  solve(Team{(int)threadIdx.x, 32});
}

EXPORT cusolverStatus_t cusolverRfSolve(cusolverRfHandle_t handle, int *p, int *q, int columns,
                                        double *work, int ld_work, double *x, int ldx) {
  NEED_HANDLE(handle);
  NEED(handle->is_analysed && columns >= 0 && is_ld(ld_work, handle->m.rows) &&
       is_ld(ldx, handle->m.rows));
  SolveBoth solve = {
      handle->starts, handle->columns, handle->diagonals, p, q, handle->values, work, x,
      handle->m.rows};
  if (handle->m.rows && columns) solve_columns<<<columns, 32>>>(solve, ld_work, ldx);
  return launched();
}
