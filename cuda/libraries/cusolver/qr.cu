// SPDX-License-Identifier: MIT
// Householder's reflections, as LAPACK stores them: I - tau v v', v with a one on the diagonal of A
// and the rest below it. One is found in one CTA and applied by a CTA per column.
#include "context.h"

// Column k: R on the diagonal, v below it.
template <typename T>
__global__ void __launch_bounds__(THREADS) find_reflection(T *a, int lda, int rows, int k, T *taus) {
  T *column = a + (long long)k * lda;
  T part = 0;
  for (int i = k + 1 + threadIdx.x; i < rows; i += THREADS) part += column[i] * column[i];
  T squares = sum_of_block(part), head = column[k];
  __syncthreads();
  T norm = sqrt(head * head + squares), diagonal = head >= 0 ? -norm : norm;
  bool is_done = squares == 0;
  for (int i = k + 1 + threadIdx.x; !is_done && i < rows; i += THREADS)
    column[i] /= head - diagonal;
  if (threadIdx.x) return;
  taus[k] = is_done ? T(0) : (diagonal - head) / diagonal;
  if (!is_done) column[k] = diagonal;
}

// Reflection k on a vector.
template <typename T>
__device__ void reflect(const T *a, int lda, int rows, int k, T tau, T *x, long long stride) {
  const T *v = a + (long long)k * lda;
  T part = 0;
  for (int i = k + threadIdx.x; i < rows; i += THREADS) part += (i == k ? T(1) : v[i]) * x[i * stride];
  T product = tau * sum_of_block(part);
  for (int i = k + threadIdx.x; i < rows; i += THREADS)
    x[i * stride] -= product * (i == k ? T(1) : v[i]);
  __syncthreads();
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    reflect_columns(T *a, int lda, int rows, int k, const T *taus) {
  reflect(a, lda, rows, k, taus[k], a + (long long)(k + 1 + blockIdx.x) * lda, 1);
}

// All reflections on vector blockIdx.x of C: a column, or a row.
template <typename T>
__global__ void __launch_bounds__(THREADS)
    reflect_by_all(const T *a, int lda, int rows, int count, const T *taus, T *c, int ldc,
                   bool is_row, bool is_forward) {
  T *x = is_row ? c + blockIdx.x : c + (long long)blockIdx.x * ldc;
  for (int step = 0; step < count; step++) {
    int k = is_forward ? step : count - 1 - step;
    reflect(a, lda, rows, k, taus[k], x, is_row ? ldc : 1);
  }
}

template <typename T>
__global__ void set_identity(T *a, int lda, int rows) {
  for (int i = threadIdx.x; i < rows; i += blockDim.x)
    a[i + (long long)blockIdx.x * lda] = i == (int)blockIdx.x;
}

template <typename T>
static cusolverStatus_t factor(cusolverDnHandle_t handle, int rows, int columns, T *a, int lda,
                               T *taus, int *info) {
  cudaStream_t stream = handle->stream;
  cudaMemsetAsync(info, 0, sizeof *info, stream);
  for (int k = 0; k < rows && k < columns; k++) {
    find_reflection<<<1, THREADS, 0, stream>>>(a, lda, rows, k, taus);
    int left = columns - k - 1;
    if (left) reflect_columns<<<left, THREADS, 0, stream>>>(a, lda, rows, k, taus);
  }
  return launched();
}

// C = Q C, Q' C, C Q or C Q'. Q is the first reflection times the second and so on.
template <typename T>
static cusolverStatus_t multiply(cusolverDnHandle_t handle, cublasSideMode_t side,
                                 cublasOperation_t operation, int rows, int columns, int count,
                                 const T *a, int lda, const T *taus, T *c, int ldc, int *info) {
  bool is_row = side == CUBLAS_SIDE_RIGHT;
  bool is_forward = is_row == (operation == CUBLAS_OP_N);
  int length = is_row ? columns : rows, vectors = is_row ? rows : columns;
  cudaMemsetAsync(info, 0, sizeof *info, handle->stream);
  if (vectors && count)
    reflect_by_all<<<vectors, THREADS, 0, handle->stream>>>(a, lda, length, count, taus, c, ldc,
                                                            is_row, is_forward);
  return launched();
}

// The first columns of Q in place of the reflections, which are kept in `work`.
template <typename T>
static cusolverStatus_t form(cusolverDnHandle_t handle, int rows, int columns, int count, T *a,
                             int lda, const T *taus, T *work, int *info) {
  cudaStream_t stream = handle->stream;
  if (rows && count)
    cudaMemcpy2DAsync(work, rows * sizeof(T), a, lda * sizeof(T), rows * sizeof(T), count,
                      cudaMemcpyDeviceToDevice, stream);
  if (columns) set_identity<<<columns, THREADS, 0, stream>>>(a, lda, rows);
  return multiply(handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_N, rows, columns, count, work, rows, taus, a,
                  lda, info);
}

#define CALLS(S, T)                                                                                \
  EXPORT cusolverStatus_t cusolverDn##S##geqrf_bufferSize(                                         \
      cusolverDnHandle_t handle, int rows, int columns, T *a, int lda, int *elements) {            \
    NEED_HANDLE(handle);                                                                           \
    NEED(rows >= 0 && columns >= 0 && is_ld(lda, rows) && elements);                               \
    *elements = 1;                                                                                 \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  EXPORT cusolverStatus_t cusolverDn##S##geqrf(cusolverDnHandle_t handle, int rows, int columns,   \
                                               T *a, int lda, T *taus, T *work, int elements,      \
                                               int *info) {                                        \
    NEED_HANDLE(handle);                                                                           \
    NEED(rows >= 0 && columns >= 0 && is_ld(lda, rows) && info);                                   \
    return factor(handle, rows, columns, a, lda, taus, info);                                      \
  }                                                                                                \
  EXPORT cusolverStatus_t cusolverDn##S##ormqr_bufferSize(                                         \
      cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t operation, int rows,     \
      int columns, int count, const T *a, int lda, const T *taus, const T *c, int ldc,             \
      int *elements) {                                                                             \
    NEED_HANDLE(handle);                                                                           \
    NEED(elements);                                                                                \
    *elements = 1;                                                                                 \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  EXPORT cusolverStatus_t cusolverDn##S##ormqr(                                                    \
      cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t operation, int rows,     \
      int columns, int count, const T *a, int lda, const T *taus, T *c, int ldc, T *work,          \
      int elements, int *info) {                                                                   \
    NEED_HANDLE(handle);                                                                           \
    int length = side == CUBLAS_SIDE_LEFT ? rows : columns;                                        \
    NEED(rows >= 0 && columns >= 0 && count >= 0 && count <= length);                              \
    NEED(is_ld(lda, length) && is_ld(ldc, rows) && info);                                          \
    return multiply(handle, side, operation, rows, columns, count, a, lda, taus, c, ldc, info);    \
  }                                                                                                \
  EXPORT cusolverStatus_t cusolverDn##S##orgqr_bufferSize(cusolverDnHandle_t handle, int rows,     \
                                                          int columns, int count, const T *a,      \
                                                          int lda, const T *taus, int *elements) { \
    NEED_HANDLE(handle);                                                                           \
    NEED(rows >= columns && columns >= count && count >= 0 && elements);                           \
    *elements = rows * count + 1;                                                                  \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  EXPORT cusolverStatus_t cusolverDn##S##orgqr(cusolverDnHandle_t handle, int rows, int columns,   \
                                               int count, T *a, int lda, const T *taus, T *work,   \
                                               int elements, int *info) {                          \
    NEED_HANDLE(handle);                                                                           \
    NEED(rows >= columns && columns >= count && count >= 0 && is_ld(lda, rows) && info);           \
    NEED(elements >= rows * count);                                                                \
    return form(handle, rows, columns, count, a, lda, taus, work, info);                           \
  }
CALLS(S, float)
CALLS(D, double)
