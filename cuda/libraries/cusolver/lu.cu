// SPDX-License-Identifier: MIT
// Factors with pivots, in panels: a panel in one CTA, exchanged rows and the rows of U by a thread
// per column, then what is left of the matrix.
#include "context.h"

// The row of the largest element of a column, from `from` on.
template <typename T>
__device__ int find_pivot(const T *column, int from, int rows) {
  __shared__ T sizes[THREADS];
  __shared__ int places[THREADS];
  T size = -1;
  int best = from;
  for (int i = from + threadIdx.x; i < rows; i += THREADS)
    if (fabs(column[i]) > size) size = fabs(column[i]), best = i;
  sizes[threadIdx.x] = size, places[threadIdx.x] = best;
  __syncthreads();
  for (int step = THREADS / 2; step; step /= 2) {
    int other = threadIdx.x + step;
    if (threadIdx.x < step &&
        (sizes[other] > sizes[threadIdx.x] ||
         (sizes[other] == sizes[threadIdx.x] && places[other] < places[threadIdx.x])))
      sizes[threadIdx.x] = sizes[other], places[threadIdx.x] = places[other];
    __syncthreads();
  }
  int place = places[0];
  __syncthreads();
  return place;
}

template <typename T>
__device__ void exchange(T &a, T &b) {
  T kept = a;
  a = b, b = kept;
}

// Columns at to at + size. pivots: rows from 1, or NULL. *info: the first zero on the diagonal.
template <typename T>
__global__ void __launch_bounds__(THREADS)
    factor_panel(T *a, int lda, int rows, int at, int size, int *pivots, int *info) {
  for (int k = at; k < at + size && k < rows; k++) {
    T *column = a + (long long)k * lda;
    int row = pivots ? find_pivot(column, k, rows) : k;
    if (pivots && threadIdx.x == 0) pivots[k] = row + 1;
    int mine = at + threadIdx.x;
    if (row != k && mine < at + size)
      exchange(a[k + (long long)mine * lda], a[row + (long long)mine * lda]);
    __syncthreads();
    T diagonal = column[k];
    if (diagonal == 0) {
      if (threadIdx.x == 0 && !*info) *info = k + 1;
      continue;
    }
    for (int i = k + 1 + threadIdx.x; i < rows; i += THREADS) {
      T factor = column[i] /= diagonal;
      for (int j = k + 1; j < at + size; j++)
        a[i + (long long)j * lda] -= factor * a[k + (long long)j * lda];
    }
    __syncthreads();
  }
}

// Columns outside of the panel: its exchanges of rows; those to the right: L x = a.
template <typename T>
__global__ void finish_columns(T *a, int lda, int columns, int at, int size, const int *pivots) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns || (j >= at && j < at + size)) return;
  T *column = a + (long long)j * lda;
  for (int k = at; pivots && k < at + size; k++)
    if (pivots[k] - 1 != k) exchange(column[k], column[pivots[k] - 1]);
  for (int k = at; j >= at + size && k < at + size; k++)
    for (int i = k + 1; i < at + size; i++) column[i] -= a[i + (long long)k * lda] * column[k];
}

template <typename T>
static cusolverStatus_t factor(cusolverDnHandle_t handle, int rows, int columns, T *a, int lda,
                               int *pivots, int *info) {
  cudaStream_t stream = handle->stream;
  int least = rows < columns ? rows : columns;
  cudaMemsetAsync(info, 0, sizeof *info, stream);
  for (int at = 0; at < least; at += WIDTH) {
    int size = least - at < WIDTH ? least - at : WIDTH, next = at + size;
    factor_panel<<<1, THREADS, 0, stream>>>(a, lda, rows, at, size, pivots, info);
    finish_columns<<<blocks_for(columns, 64), 64, 0, stream>>>(a, lda, columns, at, size, pivots);
    if (next >= rows || next >= columns) continue;
    Matrix<T> c = {a + next + (long long)next * lda, lda, false};
    Matrix<T> left = {a + next + (long long)at * lda, lda, false};
    Matrix<T> right = {a + at + (long long)next * lda, lda, false};
    dim3 tiles(blocks_for(rows - next, WIDTH), blocks_for(columns - next, WIDTH));
    subtract_product<<<tiles, THREADS, 0, stream>>>(c, left, right, rows - next, columns - next,
                                                    size, false, info);
  }
  return launched();
}

// L U x = P b, or U' L' P x = b.
template <typename T>
__global__ void __launch_bounds__(THREADS)
    solve_column(Matrix<T> a, int n, const int *pivots, bool is_transposed, T *b, int ldb) {
  T *column = b + (long long)blockIdx.x * ldb;
  for (int k = 0; threadIdx.x == 0 && pivots && !is_transposed && k < n; k++)
    exchange(column[k], column[pivots[k] - 1]);
  __syncthreads();
  solve_lower(a, n, !is_transposed, column);
  solve_upper(a, n, is_transposed, column);
  for (int k = n - 1; threadIdx.x == 0 && pivots && is_transposed && k >= 0; k--)
    exchange(column[k], column[pivots[k] - 1]);
}

#define CALLS(S, T)                                                                              \
  EXPORT cusolverStatus_t cusolverDn##S##getrf_bufferSize(                                       \
      cusolverDnHandle_t handle, int rows, int columns, T *a, int lda, int *elements) {          \
    NEED_HANDLE(handle);                                                                         \
    NEED(rows >= 0 && columns >= 0 && is_ld(lda, rows) && elements);                             \
    *elements = 1;                                                                               \
    return CUSOLVER_STATUS_SUCCESS;                                                              \
  }                                                                                              \
  EXPORT cusolverStatus_t cusolverDn##S##getrf(cusolverDnHandle_t handle, int rows, int columns, \
                                               T *a, int lda, T *work, int *pivots, int *info) { \
    NEED_HANDLE(handle);                                                                         \
    NEED(rows >= 0 && columns >= 0 && is_ld(lda, rows) && info);                                 \
    return factor(handle, rows, columns, a, lda, pivots, info);                                  \
  }                                                                                              \
  EXPORT cusolverStatus_t cusolverDn##S##getrs(                                                  \
      cusolverDnHandle_t handle, cublasOperation_t operation, int n, int columns, const T *a,    \
      int lda, const int *pivots, T *b, int ldb, int *info) {                                    \
    NEED_HANDLE(handle);                                                                         \
    NEED(n >= 0 && columns >= 0 && is_ld(lda, n) && is_ld(ldb, n) && info);                      \
    cudaMemsetAsync(info, 0, sizeof *info, handle->stream);                                      \
    Matrix<T> factors = {const_cast<T *>(a), lda, operation != CUBLAS_OP_N};                     \
    if (n && columns)                                                                            \
      solve_column<<<columns, THREADS, 0, handle->stream>>>(factors, n, pivots,                  \
                                                            factors.is_transposed, b, ldb);      \
    return launched();                                                                           \
  }
CALLS(S, float)
CALLS(D, double)
