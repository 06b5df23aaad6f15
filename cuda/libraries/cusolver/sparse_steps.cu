// SPDX-License-Identifier: MIT
// Calls of the sparse part that analyse, factor and solve one after the other.
#include <cusolverSp_LOWLEVEL_PREVIEW.h>

#include <algorithm>

#include "../cusparse/description.h"
#include "sparse.h"
#include "sparse_lu.h"

struct csrcholInfo {
  std::unique_ptr<Cholesky> factors;
};
struct csrcholInfoHost : csrcholInfo {};
struct csrqrInfo {
  std::unique_ptr<Orthogonal> factors;
  const void *values;
  double shift;
};
struct csrqrInfoHost : csrqrInfo {};
struct csrluInfoHost {
  Pattern a;
  Triangles<float> f;
  Triangles<double> d;
  bool is_double;
  Triangles<float> &of(float) { return f; }
  Triangles<double> &of(double) { return d; }
};

#define INFO(NAME)                                                     \
  EXPORT cusolverStatus_t cusolverSpCreateC##NAME(c##NAME##_t *info) { \
    NEED(info);                                                        \
    *info = new c##NAME();                                             \
    return CUSOLVER_STATUS_SUCCESS;                                    \
  }                                                                    \
  EXPORT cusolverStatus_t cusolverSpDestroyC##NAME(c##NAME##_t info) { \
    delete info;                                                       \
    return CUSOLVER_STATUS_SUCCESS;                                    \
  }
INFO(srcholInfo)
INFO(srcholInfoHost)
INFO(srqrInfo)
INFO(srqrInfoHost)
INFO(srluInfoHost)

static cusolverStatus_t sizes(size_t needed, size_t *internal, size_t *bytes) {
  NEED(internal && bytes);
  *internal = needed, *bytes = 256;  // factors and what they need belong to the info
  return CUSOLVER_STATUS_SUCCESS;
}

// Where the first zero of a factor's diagonal is.
template <typename T, typename Factors>
static cusolverStatus_t zero_pivot(Factors *factors, T tolerance, int *position) {
  std::vector<T> diagonal;
  NEED(factors && position);
  cusolverStatus_t status = factors->diagonal(&diagonal);
  *position = first_zero(diagonal, tolerance);
  return status;
}

template <typename Factors>
static cusolverStatus_t analyse(cusolverSpHandle_t handle, int m, int n, int nnz,
                                cusparseMatDescr_t description, const int *starts,
                                const int *columns, std::unique_ptr<Factors> *factors,
                                bool is_device) {
  NEED_HANDLE(handle);
  Pattern a;
  NEED(n >= 0 && m >= n && nnz >= 0 && description);
  NEED(pattern_read(&a, m, n, nnz, description, starts, nullptr, columns, is_device));
  factors->reset(new Factors(a, is_device));
  return (*factors)->space.has_failed ? CUSOLVER_STATUS_ALLOC_FAILED : CUSOLVER_STATUS_SUCCESS;
}

// ---- Cholesky

#define CHOLESKY_SIDE(SIDE, IS_DEVICE)                                                          \
  EXPORT cusolverStatus_t cusolverSpXcsrcholAnalysis##SIDE(                                     \
      cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t description,          \
      const int *starts, const int *columns, csrcholInfo##SIDE##_t info) {                      \
    NEED(info);                                                                                 \
    return analyse(handle, n, n, nnz, description, starts, columns, &info->factors, IS_DEVICE); \
  }
CHOLESKY_SIDE(Host, false)
CHOLESKY_SIDE(, true)

#define CHOLESKY(S, T, SIDE)                                                                    \
  EXPORT cusolverStatus_t cusolverSp##S##csrcholBufferInfo##SIDE(                               \
      cusolverSpHandle_t handle, int, int, const cusparseMatDescr_t, const T *, const int *,    \
      const int *, csrcholInfo##SIDE##_t info, size_t *internal, size_t *bytes) {               \
    NEED_HANDLE(handle);                                                                        \
    NEED(info && info->factors);                                                                \
    return sizes(info->factors->bytes(), internal, bytes);                                      \
  }                                                                                             \
  EXPORT cusolverStatus_t cusolverSp##S##csrcholFactor##SIDE(                                   \
      cusolverSpHandle_t handle, int n, int, const cusparseMatDescr_t, const T *values,         \
      const int *, const int *, csrcholInfo##SIDE##_t info, void *) {                           \
    NEED_HANDLE(handle);                                                                        \
    NEED(info && info->factors && n == info->factors->n);                                       \
    return info->factors->factor(values, handle->stream);                                       \
  }                                                                                             \
  EXPORT cusolverStatus_t cusolverSp##S##csrcholZeroPivot##SIDE(                                \
      cusolverSpHandle_t handle, csrcholInfo##SIDE##_t info, T tolerance, int *position) {      \
    NEED_HANDLE(handle);                                                                        \
    NEED(info);                                                                                 \
    return zero_pivot<T>(info->factors.get(), tolerance, position);                             \
  }                                                                                             \
  EXPORT cusolverStatus_t cusolverSp##S##csrcholSolve##SIDE(                                    \
      cusolverSpHandle_t handle, int n, const T *b, T *x, csrcholInfo##SIDE##_t info, void *) { \
    NEED_HANDLE(handle);                                                                        \
    NEED(info && info->factors && n == info->factors->n);                                       \
    return info->factors->solve(b, x, handle->stream);                                          \
  }
#define DIAGONAL(S, T)                                                                  \
  EXPORT cusolverStatus_t cusolverSp##S##csrcholDiag(cusolverSpHandle_t handle,         \
                                                     csrcholInfo_t info, T *diagonal) { \
    NEED_HANDLE(handle);                                                                \
    std::vector<T> values;                                                              \
    NEED(info && info->factors && diagonal);                                            \
    cusolverStatus_t status = info->factors->diagonal(&values);                         \
    cudaMemcpy(diagonal, values.data(), values.size() * sizeof(T), cudaMemcpyDefault);  \
    return status;                                                                      \
  }
CHOLESKY(S, float, Host)
CHOLESKY(D, double, Host)
CHOLESKY(S, float, )
CHOLESKY(D, double, )
DIAGONAL(S, float)
DIAGONAL(D, double)

// ---- QR

#define QR_SIDE(SIDE, NAME, IS_DEVICE)                                                          \
  EXPORT cusolverStatus_t cusolverSpXcsrqrAnalysis##NAME(                                       \
      cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t description,   \
      const int *starts, const int *columns, csrqrInfo##SIDE##_t info) {                        \
    NEED(info);                                                                                 \
    return analyse(handle, m, n, nnz, description, starts, columns, &info->factors, IS_DEVICE); \
  }
QR_SIDE(Host, Host, false)
QR_SIDE(, , true)
QR_SIDE(, Batched, true)

#define QR(S, T, SIDE)                                                                            \
  EXPORT cusolverStatus_t cusolverSp##S##csrqrBufferInfo##SIDE(                                   \
      cusolverSpHandle_t handle, int, int, int, const cusparseMatDescr_t, const T *, const int *, \
      const int *, csrqrInfo##SIDE##_t info, size_t *internal, size_t *bytes) {                   \
    NEED_HANDLE(handle);                                                                          \
    NEED(info && info->factors);                                                                  \
    return sizes(info->factors->bytes(), internal, bytes);                                        \
  }                                                                                               \
  EXPORT cusolverStatus_t cusolverSp##S##csrqrSetup##SIDE(                                        \
      cusolverSpHandle_t handle, int, int, int, const cusparseMatDescr_t, const T *values,        \
      const int *, const int *, T shift, csrqrInfo##SIDE##_t info) {                              \
    NEED_HANDLE(handle);                                                                          \
    NEED(info);                                                                                   \
    info->values = values, info->shift = (double)shift;                                           \
    return CUSOLVER_STATUS_SUCCESS;                                                               \
  }                                                                                               \
  EXPORT cusolverStatus_t cusolverSp##S##csrqrSolve##SIDE(                                        \
      cusolverSpHandle_t handle, int m, int n, T *b, T *x, csrqrInfo##SIDE##_t info, void *) {    \
    NEED_HANDLE(handle);                                                                          \
    NEED(info && info->factors && m == info->factors->m && n == info->factors->n);                \
    return info->factors->solve(b, x, handle->stream);                                            \
  }                                                                                               \
  EXPORT cusolverStatus_t cusolverSp##S##csrqrFactor##SIDE(                                       \
      cusolverSpHandle_t handle, int m, int n, int, T *b, T *x, csrqrInfo##SIDE##_t info,         \
      void *buffer) {                                                                             \
    NEED_HANDLE(handle);                                                                          \
    NEED(info && info->factors && info->values);                                                  \
    cusolverStatus_t status = info->factors->factor(static_cast<const T *>(info->values),         \
                                                    (T)info->shift, handle->stream);              \
    if (status != CUSOLVER_STATUS_SUCCESS || !b || !x) return status;                             \
    return cusolverSp##S##csrqrSolve##SIDE(handle, m, n, b, x, info, buffer);                     \
  }                                                                                               \
  EXPORT cusolverStatus_t cusolverSp##S##csrqrZeroPivot##SIDE(                                    \
      cusolverSpHandle_t handle, csrqrInfo##SIDE##_t info, T tolerance, int *position) {          \
    NEED_HANDLE(handle);                                                                          \
    NEED(info);                                                                                   \
    return zero_pivot<T>(info->factors.get(), tolerance, position);                               \
  }
QR(S, float, Host)
QR(D, double, Host)
QR(S, float, )
QR(D, double, )

// Systems of one structure, one after the other.
#define QR_BATCHED(S, T)                                                                           \
  EXPORT cusolverStatus_t cusolverSp##S##csrqrBufferInfoBatched(                                   \
      cusolverSpHandle_t handle, int, int, int, const cusparseMatDescr_t, const T *, const int *,  \
      const int *, int, csrqrInfo_t info, size_t *internal, size_t *bytes) {                       \
    NEED_HANDLE(handle);                                                                           \
    NEED(info && info->factors);                                                                   \
    return sizes(info->factors->bytes(), internal, bytes);                                         \
  }                                                                                                \
  EXPORT cusolverStatus_t cusolverSp##S##csrqrsvBatched(                                           \
      cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t, const T *values, \
      const int *, const int *, const T *b, T *x, int count, csrqrInfo_t info, void *) {           \
    NEED_HANDLE(handle);                                                                           \
    NEED(info && info->factors && m == info->factors->m && n == info->factors->n && count >= 0);   \
    cusolverStatus_t status = CUSOLVER_STATUS_SUCCESS;                                             \
    for (long long i = 0; i < count && status == CUSOLVER_STATUS_SUCCESS; i++) {                   \
      status = info->factors->factor(values + i * nnz, T(0), handle->stream);                      \
      if (status == CUSOLVER_STATUS_SUCCESS)                                                       \
        status = info->factors->solve(b + i * m, x + i * n, handle->stream);                       \
    }                                                                                              \
    return status;                                                                                 \
  }
QR_BATCHED(S, float)
QR_BATCHED(D, double)

// ---- LU

EXPORT cusolverStatus_t cusolverSpXcsrluAnalysisHost(cusolverSpHandle_t handle, int n, int nnz,
                                                     const cusparseMatDescr_t description,
                                                     const int *starts, const int *columns,
                                                     csrluInfoHost_t info) {
  NEED_HANDLE(handle);
  NEED(info && n >= 0 && nnz >= 0 && description);
  NEED(pattern_read(&info->a, n, n, nnz, description, starts, nullptr, columns, false));
  return CUSOLVER_STATUS_SUCCESS;
}

template <typename T>
static void count_entries(const Triangles<T> &factors, int *lower, int *upper) {
  *lower = *upper = 0;
  for (const Column<T> &column : factors.lower) *lower += (int)column.rows.size();
  for (const Column<T> &column : factors.upper) *upper += (int)column.rows.size();
}
EXPORT cusolverStatus_t cusolverSpXcsrluNnzHost(cusolverSpHandle_t handle, int *lower, int *upper,
                                                csrluInfoHost_t info) {
  NEED_HANDLE(handle);
  NEED(lower && upper && info);
  if (info->is_double)
    count_entries(info->d, lower, upper);
  else
    count_entries(info->f, lower, upper);
  return CUSOLVER_STATUS_SUCCESS;
}

// Columns of a factor as rows; step_of: of each row of A, NULL if they are the factor's already.
template <typename T>
static void extract(const std::vector<Column<T>> &factor, const Ints *step_of, int base, T *values,
                    int *starts, int *columns) {
  size_t n = factor.size();
  std::vector<Ints> places(n);
  std::vector<std::vector<T>> numbers(n);
  for (size_t j = 0; j < n; j++)
    for (size_t e = 0; e < factor[j].rows.size(); e++) {
      int row = step_of ? (*step_of)[factor[j].rows[e]] : factor[j].rows[e];
      places[row].push_back((int)j + base), numbers[row].push_back(factor[j].values[e]);
    }
  int at = 0;
  for (size_t i = 0; i < n; i++) {
    starts[i] = at + base;
    std::copy(places[i].begin(), places[i].end(), columns + at);
    std::copy(numbers[i].begin(), numbers[i].end(), values + at);
    at += (int)places[i].size();
  }
  starts[n] = at + base;
}

#define LU(S, T)                                                                                   \
  EXPORT cusolverStatus_t cusolverSp##S##csrluBufferInfoHost(                                      \
      cusolverSpHandle_t handle, int, int nnz, const cusparseMatDescr_t, const T *, const int *,   \
      const int *, csrluInfoHost_t info, size_t *internal, size_t *bytes) {                        \
    NEED_HANDLE(handle);                                                                           \
    NEED(info);                                                                                    \
    return sizes((size_t)nnz * 16, internal, bytes);                                               \
  }                                                                                                \
  EXPORT cusolverStatus_t cusolverSp##S##csrluFactorHost(                                          \
      cusolverSpHandle_t handle, int n, int, const cusparseMatDescr_t, const T *values,            \
      const int *, const int *, csrluInfoHost_t info, T threshold, void *) {                       \
    NEED_HANDLE(handle);                                                                           \
    NEED(info &&n == info->a.rows && values);                                                      \
    info->of(T()).factor(info->a, values, threshold);                                              \
    info->is_double = sizeof(T) == sizeof(double);                                                 \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  EXPORT cusolverStatus_t cusolverSp##S##csrluZeroPivotHost(                                       \
      cusolverSpHandle_t handle, csrluInfoHost_t info, T tolerance, int *position) {               \
    NEED_HANDLE(handle);                                                                           \
    NEED(info &&position);                                                                         \
    *position = first_zero(info->of(T()).diagonal(), tolerance);                                   \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  EXPORT cusolverStatus_t cusolverSp##S##csrluSolveHost(                                           \
      cusolverSpHandle_t handle, int n, const T *b, T *x, csrluInfoHost_t info, void *) {          \
    NEED_HANDLE(handle);                                                                           \
    NEED(info && (size_t)n == info->of(T()).rows.size());                                          \
    info->of(T()).solve(b, x);                                                                     \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  EXPORT cusolverStatus_t cusolverSp##S##csrluExtractHost(                                         \
      cusolverSpHandle_t handle, int *p, int *q, const cusparseMatDescr_t lower_description,       \
      T *lower, int *lower_starts, int *lower_columns, const cusparseMatDescr_t upper_description, \
      T *upper, int *upper_starts, int *upper_columns, csrluInfoHost_t info, void *) {             \
    NEED_HANDLE(handle);                                                                           \
    NEED(info &&p &&q &&lower_description &&upper_description);                                    \
    const Triangles<T> &factors = info->of(T());                                                   \
    for (size_t i = 0; i < factors.rows.size(); i++) p[i] = factors.rows[i], q[i] = (int)i;        \
    extract(factors.lower, &factors.step_of, lower_description->base, lower, lower_starts,         \
            lower_columns);                                                                        \
    extract(factors.upper, nullptr, upper_description->base, upper, upper_starts, upper_columns);  \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }
LU(S, float)
LU(D, double)
