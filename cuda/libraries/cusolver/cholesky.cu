// SPDX-License-Identifier: MIT
// Cholesky's factors, in panels: the block on the diagonal in one CTA, the rows below it by a thread
// each, then what is left of the matrix. An upper factor is the lower one of the transpose.
#include "context.h"

// The block at `at`. *info: the first minor that is not positive; nothing more is done then.
template <typename T>
__global__ void factor_diagonal(Matrix<T> a, int at, int size, int *info) {
  if (*info) return;
  int i = at + threadIdx.x;
  for (int k = at; k < at + size; k++) {
    T square = a(k, k);
    __syncthreads();
    if (!(square > 0)) {
      if (i == at) *info = k + 1;
      return;
    }
    T root = sqrt(square);
    if (i == k) a(k, k) = root;
    if (i > k && i < at + size) a(i, k) /= root;
    __syncthreads();
    for (int j = k + 1; j <= i && i < at + size; j++) a(i, j) -= a(i, k) * a(j, k);
    __syncthreads();
  }
}

// Rows below it: x L' = a.
template <typename T>
__global__ void solve_rows(Matrix<T> a, int at, int size, int n, const int *info) {
  int i = at + size + blockIdx.x * blockDim.x + threadIdx.x;
  if (*info || i >= n) return;
  for (int k = at; k < at + size; k++) {
    T value = a(i, k);
    for (int j = at; j < k; j++) value -= a(i, j) * a(k, j);
    a(i, k) = value / a(k, k);
  }
}

template <typename T>
static cusolverStatus_t factor(cusolverDnHandle_t handle, cublasFillMode_t half, int n, T *first,
                               int lda, int *info) {
  Matrix<T> a = {first, lda, half == CUBLAS_FILL_MODE_UPPER};
  cudaStream_t stream = handle->stream;
  cudaMemsetAsync(info, 0, sizeof *info, stream);
  for (int at = 0; at < n; at += WIDTH) {
    int size = n - at < WIDTH ? n - at : WIDTH, left = n - at - size, next = at + size;
    factor_diagonal<<<1, WIDTH, 0, stream>>>(a, at, size, info);
    if (!left) break;
    solve_rows<<<blocks_for(left, 64), 64, 0, stream>>>(a, at, size, n, info);
    T *rest = first + next + (long long)next * lda;
    T *panel = first + (a.is_transposed ? at + (long long)next * lda : next + (long long)at * lda);
    Matrix<T> c = {rest, lda, a.is_transposed}, rows = {panel, lda, a.is_transposed};
    Matrix<T> columns = {panel, lda, !a.is_transposed};
    dim3 tiles(blocks_for(left, WIDTH), blocks_for(left, WIDTH));
    subtract_product<<<tiles, THREADS, 0, stream>>>(c, rows, columns, left, left, size, true, info);
  }
  return launched();
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    solve_both(Matrix<T> lower, Matrix<T> upper, int n, T *b, int ldb) {
  T *column = b + (long long)blockIdx.x * ldb;
  solve_lower(lower, n, false, column);
  solve_upper(upper, n, false, column);
}

template <typename T>
static cusolverStatus_t solve(cusolverDnHandle_t handle, cublasFillMode_t half, int n, int columns,
                              const T *first, int lda, T *b, int ldb, int *info) {
  bool is_upper = half == CUBLAS_FILL_MODE_UPPER;
  Matrix<T> lower = {const_cast<T *>(first), lda, is_upper};
  Matrix<T> upper = {const_cast<T *>(first), lda, !is_upper};
  cudaMemsetAsync(info, 0, sizeof *info, handle->stream);
  if (n && columns)
    solve_both<<<columns, THREADS, 0, handle->stream>>>(lower, upper, n, b, ldb);
  return launched();
}

#define CALLS(S, T)                                                                               \
  EXPORT cusolverStatus_t cusolverDn##S##potrf_bufferSize(                                        \
      cusolverDnHandle_t handle, cublasFillMode_t half, int n, T *a, int lda, int *elements) {    \
    NEED_HANDLE(handle);                                                                          \
    NEED(n >= 0 && is_ld(lda, n) && elements && half <= CUBLAS_FILL_MODE_UPPER);                  \
    *elements = 1;                                                                                \
    return CUSOLVER_STATUS_SUCCESS;                                                               \
  }                                                                                               \
  EXPORT cusolverStatus_t cusolverDn##S##potrf(cusolverDnHandle_t handle, cublasFillMode_t half,  \
                                               int n, T *a, int lda, T *work, int elements,       \
                                               int *info) {                                       \
    NEED_HANDLE(handle);                                                                          \
    NEED(n >= 0 && is_ld(lda, n) && info && half <= CUBLAS_FILL_MODE_UPPER);                      \
    return factor(handle, half, n, a, lda, info);                                                 \
  }                                                                                               \
  EXPORT cusolverStatus_t cusolverDn##S##potrs(cusolverDnHandle_t handle, cublasFillMode_t half,  \
                                               int n, int columns, const T *a, int lda, T *b,     \
                                               int ldb, int *info) {                              \
    NEED_HANDLE(handle);                                                                          \
    NEED(n >= 0 && columns >= 0 && is_ld(lda, n) && is_ld(ldb, n) && info);                       \
    return solve(handle, half, n, columns, a, lda, b, ldb, info);                                 \
  }
CALLS(S, float)
CALLS(D, double)
