// SPDX-License-Identifier: MIT
// Calls of the sparse part: handles, orderings, systems solved in one call.
#include <cusolverSp.h>

#include <algorithm>

#include "../cusparse/description.h"
#include "sparse.h"
#include "sparse_lu.h"

EXPORT cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t *handle) {
  NEED(handle);
  *handle = new cusolverSpContext();
  return CUSOLVER_STATUS_SUCCESS;
}
EXPORT cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle) {
  NEED_HANDLE(handle);
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}
EXPORT cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t stream) {
  NEED_HANDLE(handle);
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}
EXPORT cusolverStatus_t cusolverSpGetStream(cusolverSpHandle_t handle, cudaStream_t *stream) {
  NEED_HANDLE(handle);
  NEED(stream);
  *stream = handle->stream;
  return CUSOLVER_STATUS_SUCCESS;
}

// ---- structure

EXPORT cusolverStatus_t cusolverSpXcsrissymHost(cusolverSpHandle_t handle, int m, int nnz,
                                                const cusparseMatDescr_t description,
                                                const int *starts, const int *ends,
                                                const int *columns, int *is_symmetric) {
  NEED_HANDLE(handle);
  Pattern a;
  NEED(m >= 0 && nnz >= 0 && description && is_symmetric);
  NEED(pattern_read(&a, m, m, nnz, description, starts, ends, columns, false));
  Pattern transposed = pattern_transposed(a);
  *is_symmetric = a.starts == transposed.starts && a.indices == transposed.indices;
  return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t find_ordering(cusolverSpHandle_t handle, int n, int nnz,
                                      cusparseMatDescr_t description, const int *starts,
                                      const int *columns, Ordering kind, int *p) {
  NEED_HANDLE(handle);
  Pattern a;
  NEED(n >= 0 && nnz >= 0 && description && p);
  NEED(pattern_read(&a, n, n, nnz, description, starts, nullptr, columns, false));
  Ints order = ordering_find(a, kind);
  std::copy(order.begin(), order.end(), p);
  return CUSOLVER_STATUS_SUCCESS;
}
#define ORDERING(NAME, KIND)                                                           \
  EXPORT cusolverStatus_t cusolverSpXcsr##NAME##Host(                                  \
      cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t description, \
      const int *starts, const int *columns, int *p) {                                 \
    return find_ordering(handle, n, nnz, description, starts, columns, KIND, p);       \
  }
ORDERING(symrcm, CUTHILL_MCKEE)
ORDERING(symmdq, MINIMUM_DEGREE)
ORDERING(symamd, MINIMUM_DEGREE)
EXPORT cusolverStatus_t cusolverSpXcsrmetisndHost(cusolverSpHandle_t handle, int n, int nnz,
                                                  const cusparseMatDescr_t description,
                                                  const int *starts, const int *columns,
                                                  const int64_t *, int *p) {
  return find_ordering(handle, n, nnz, description, starts, columns, DISSECTION, p);
}

EXPORT cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int, int, int,
                                                          const cusparseMatDescr_t, const int *,
                                                          const int *, const int *, const int *,
                                                          size_t *bytes) {
  NEED_HANDLE(handle);
  NEED(bytes);
  *bytes = 1;
  return CUSOLVER_STATUS_SUCCESS;
}
EXPORT cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int m, int n, int nnz,
                                               const cusparseMatDescr_t description, int *starts,
                                               int *columns, const int *p, const int *q, int *map,
                                               void *) {
  NEED_HANDLE(handle);
  Pattern a;
  NEED(m >= 0 && n >= 0 && nnz >= 0 && description && p && q && map);
  NEED(pattern_read(&a, m, n, nnz, description, starts, nullptr, columns, false));
  a = pattern_permuted(a, p, q);
  int base = description->base == CUSPARSE_INDEX_BASE_ONE;
  Ints before(map, map + nnz);
  for (int i = 0; i <= m; i++) starts[i] = a.starts[i] + base;
  for (int e = 0; e < (int)a.indices.size(); e++)
    columns[e] = a.indices[e] + base, map[e] = before[a.places[e]];
  return CUSOLVER_STATUS_SUCCESS;
}

// ---- systems

// A x = b as P A P' (P x) = P b: vectors in the order of the factors, on the side of the factors.
template <typename T>
struct Permuted {
  Pattern a;
  Ints p, inverse;
  Space space;
  T *b, *x;
  explicit Permuted(bool is_device) : space(is_device) {}

  cusolverStatus_t start(int n, int nnz, cusparseMatDescr_t description, const int *starts,
                         const int *columns, int reorder) {
    NEED(n >= 0 && nnz >= 0 && description && reorder >= 0 && reorder <= 3);
    NEED(pattern_read(&a, n, n, nnz, description, starts, nullptr, columns, space.is_device));
    p = ordering_find(a, (Ordering)reorder), inverse.resize(n);
    for (int i = 0; i < n; i++) inverse[p[i]] = i;
    a = pattern_permuted(a, p.data(), p.data());
    b = space.allocate<T>(n), x = space.allocate<T>(n);
    return space.has_failed ? CUSOLVER_STATUS_ALLOC_FAILED : CUSOLVER_STATUS_SUCCESS;
  }
  void in(const T *from, cudaStream_t stream) {
    run_gather(Gather<T>{b, from, space.copy(p), a.rows}, space, stream);
  }
  cusolverStatus_t out(T *to, cudaStream_t stream) {
    run_gather(Gather<T>{to, x, space.copy(inverse), a.rows}, space, stream);
    if (space.is_device && cudaStreamSynchronize(stream) != cudaSuccess)
      return CUSOLVER_STATUS_EXECUTION_FAILED;
    return launched();
  }
};

template <typename T>
static cusolverStatus_t factor(Cholesky *it, const T *values, cudaStream_t stream) {
  return it->factor(values, stream);
}
template <typename T>
static cusolverStatus_t factor(Orthogonal *it, const T *values, cudaStream_t stream) {
  return it->factor(values, T(0), stream);
}

template <typename Factors, typename T>
static cusolverStatus_t solve(cusolverSpHandle_t handle, int n, int nnz,
                              cusparseMatDescr_t description, const T *values, const int *starts,
                              const int *columns, const T *b, T tolerance, int reorder, T *x,
                              int *singularity, bool is_device) {
  NEED_HANDLE(handle);
  NEED(singularity);
  Permuted<T> system(is_device);
  cusolverStatus_t status = system.start(n, nnz, description, starts, columns, reorder);
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  Factors factors(system.a, is_device);
  status = factor(&factors, values, handle->stream);
  std::vector<T> diagonal;
  if (status == CUSOLVER_STATUS_SUCCESS) status = factors.diagonal(&diagonal);
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  *singularity = first_zero(diagonal, tolerance);
  if (*singularity >= 0) return CUSOLVER_STATUS_SUCCESS;
  system.in(b, handle->stream);
  status = factors.solve(system.b, system.x, handle->stream);
  return status == CUSOLVER_STATUS_SUCCESS ? system.out(x, handle->stream) : status;
}

template <typename T>
static cusolverStatus_t solve_lu(cusolverSpHandle_t handle, int n, int nnz,
                                 cusparseMatDescr_t description, const T *values, const int *starts,
                                 const int *columns, const T *b, T tolerance, int reorder, T *x,
                                 int *singularity) {
  NEED_HANDLE(handle);
  NEED(singularity);
  Permuted<T> system(false);
  cusolverStatus_t status = system.start(n, nnz, description, starts, columns, reorder);
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  Triangles<T> factors;
  factors.factor(system.a, values, 1);
  *singularity = first_zero(factors.diagonal(), tolerance);
  if (*singularity >= 0) return CUSOLVER_STATUS_SUCCESS;
  system.in(b, 0);
  factors.solve(system.b, system.x);
  return system.out(x, 0);
}

#define CALL(NAME, T, FUNCTION, ...)                                                              \
  EXPORT cusolverStatus_t cusolverSp##NAME(cusolverSpHandle_t handle, int n, int nnz,             \
                                           const cusparseMatDescr_t description, const T *values, \
                                           const int *starts, const int *columns, const T *b,     \
                                           T tolerance, int reorder, T *x, int *singularity) {    \
    return FUNCTION(handle, n, nnz, description, values, starts, columns, b, tolerance, reorder,  \
                    x, singularity, ##__VA_ARGS__);                                               \
  }
#define CALLS(S, T)                                       \
  CALL(S##csrlsvluHost, T, solve_lu)                      \
  CALL(S##csrlsvqr, T, (solve<Orthogonal, T>), true)      \
  CALL(S##csrlsvqrHost, T, (solve<Orthogonal, T>), false) \
  CALL(S##csrlsvchol, T, (solve<Cholesky, T>), true)      \
  CALL(S##csrlsvcholHost, T, (solve<Cholesky, T>), false)
CALLS(S, float)
CALLS(D, double)
