// SPDX-License-Identifier: MIT
// Batches of small systems: factors with pivots, solutions and inverses. A block per matrix.
#include "context.h"

enum { THREADS = 128 };

template <typename T>
__device__ Real<T> size_of(T x) {
  return x < 0 ? -x : x;
}
template <typename T>
__device__ T size_of(Complex<T> x) {
  return size_of(x.x) + size_of(x.y);
}

// The row of the largest element of column k, from the diagonal on.
template <typename T>
__device__ int find_pivot(const T *a, int lda, int n, int k) {
  __shared__ Real<T> sizes[THREADS];
  __shared__ int rows[THREADS];
  int best = k;
  for (int i = k + (int)threadIdx.x; i < n; i += THREADS)
    if (i == k + (int)threadIdx.x || size_of(a[i + k * lda]) > size_of(a[best + k * lda])) best = i;
  bool has_row = k + (int)threadIdx.x < n;
  sizes[threadIdx.x] = has_row ? size_of(a[best + k * lda]) : Real<T>(-1), rows[threadIdx.x] = best;
  __syncthreads();
  for (int step = THREADS / 2; step; step /= 2) {
    int other = threadIdx.x + step;
    if (threadIdx.x < step) {
      bool is_tied = sizes[other] == sizes[threadIdx.x] && rows[other] < rows[threadIdx.x];
      if (sizes[other] > sizes[threadIdx.x] || is_tied)
        sizes[threadIdx.x] = sizes[other], rows[threadIdx.x] = rows[other];
    }
    __syncthreads();
  }
  int row = rows[0];
  __syncthreads();
  return row;
}

// A = P L U in place. pivots: rows from 1, or NULL; infos: 0, or the first zero on U's diagonal.
template <typename T>
__global__ void __launch_bounds__(THREADS)
    factor(int n, T *const *matrices, int lda, int *pivots, int *infos) {
  T *a = matrices[blockIdx.x];
  int info = 0;
  for (int k = 0; k < n; k++) {
    int row = pivots ? find_pivot(a, lda, n, k) : k;
    if (pivots && threadIdx.x == 0) pivots[blockIdx.x * n + k] = row + 1;
    for (int j = threadIdx.x; row != k && j < n; j += THREADS) {
      T kept = a[k + j * lda];
      a[k + j * lda] = a[row + j * lda], a[row + j * lda] = kept;
    }
    __syncthreads();
    T diagonal = a[k + k * lda];
    if (diagonal == T(0)) {
      info = info ? info : k + 1;
      continue;
    }
    for (int i = k + 1 + threadIdx.x; i < n; i += THREADS) a[i + k * lda] /= diagonal;
    __syncthreads();
    int left = n - k - 1;
    for (int at = threadIdx.x; at < left * left; at += THREADS) {
      int i = k + 1 + at % left, j = k + 1 + at / left;
      a[i + j * lda] -= a[i + k * lda] * a[k + j * lda];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) infos[blockIdx.x] = info;
}

// Column b of a right-hand side, solved by one thread with the factors of A: L and U, or for
// the transposed A U' and L'.
template <typename T>
__device__ void solve(int n, const T *a, int lda, const int *pivots, cublasOperation_t operation,
                      T *b) {
  bool is_conjugated = operation == CUBLAS_OP_C, is_plain = operation == CUBLAS_OP_N;
  for (int k = 0; is_plain && pivots && k < n; k++) {
    T kept = b[k];
    b[k] = b[pivots[k] - 1], b[pivots[k] - 1] = kept;
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++)
      b[i] -= (is_plain ? a[i + j * lda] : conjugate_if(is_conjugated, a[j + i * lda])) * b[j];
    if (!is_plain) b[i] /= conjugate_if(is_conjugated, a[i + i * lda]);
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++)
      b[i] -= (is_plain ? a[i + j * lda] : conjugate_if(is_conjugated, a[j + i * lda])) * b[j];
    if (is_plain) b[i] /= a[i + i * lda];
  }
  for (int k = n - 1; !is_plain && pivots && k >= 0; k--) {
    T kept = b[k];
    b[k] = b[pivots[k] - 1], b[pivots[k] - 1] = kept;
  }
}
template <typename T>
__global__ void solve_columns(int n, int columns, const T *const *matrices, int lda,
                              const int *pivots, cublasOperation_t operation, T *const *sides,
                              int ldb) {
  const int *mine = pivots ? pivots + blockIdx.x * n : nullptr;
  for (int j = threadIdx.x; j < columns; j += THREADS)
    solve(n, matrices[blockIdx.x], lda, mine, operation, sides[blockIdx.x] + j * ldb);
}
// C = the inverse: columns of the identity, solved. infos as of the factors.
template <typename T>
__global__ void invert(int n, const T *const *matrices, int lda, const int *pivots,
                       T *const *inverses, int ldc, int *infos) {
  const T *a = matrices[blockIdx.x];
  T *c = inverses[blockIdx.x];
  for (int j = threadIdx.x; j < n; j += THREADS) {
    for (int i = 0; i < n; i++) c[i + j * ldc] = T(i == j);
    solve(n, a, lda, pivots ? pivots + blockIdx.x * n : nullptr, CUBLAS_OP_N, c + j * ldc);
  }
  if (threadIdx.x) return;
  int info = 0;
  for (int k = n - 1; k >= 0; k--) info = a[k + k * lda] == T(0) ? k + 1 : info;
  infos[blockIdx.x] = info;
}

// ---- calls

static bool is_shape(int n, int ld, int count) {
  return n >= 0 && count >= 0 && ld >= (n > 1 ? n : 1);
}

#define CALLS(S, U)                                                                               \
  EXPORT cublasStatus_t cublas##S##getrfBatched(cublasHandle_t handle, int n, U *const a[],       \
                                                int lda, int *pivots, int *info, int count) {     \
    NEED_HANDLE(handle);                                                                          \
    NEED(is_shape(n, lda, count) && info && (a || !count));                                       \
    if (count)                                                                                    \
      factor<Native<U>><<<count, THREADS, 0, handle->stream>>>(                                   \
          n, reinterpret_cast<Native<U> *const *>(a), lda, pivots, info);                         \
    return launched();                                                                            \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##getrsBatched(                                                  \
      cublasHandle_t handle, cublasOperation_t operation, int n, int columns, const U *const a[], \
      int lda, const int *pivots, U *const b[], int ldb, int *info, int count) {                  \
    NEED_HANDLE(handle);                                                                          \
    NEED(info);                                                                                   \
    bool is_valid = is_shape(n, lda, count) && is_shape(n, ldb, count) && columns >= 0;           \
    *info = is_valid ? 0 : -1;                                                                    \
    NEED(is_valid && operation <= CUBLAS_OP_C);                                                   \
    if (count && n && columns)                                                                    \
      solve_columns<Native<U>><<<count, THREADS, 0, handle->stream>>>(                            \
          n, columns, reinterpret_cast<const Native<U> *const *>(a), lda, pivots, operation,      \
          reinterpret_cast<Native<U> *const *>(b), ldb);                                          \
    return launched();                                                                            \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##getriBatched(                                                  \
      cublasHandle_t handle, int n, const U *const a[], int lda, const int *pivots,               \
      U *const c[], int ldc, int *info, int count) {                                              \
    NEED_HANDLE(handle);                                                                          \
    NEED(is_shape(n, lda, count) && is_shape(n, ldc, count) && info);                             \
    if (count)                                                                                    \
      invert<Native<U>><<<count, THREADS, 0, handle->stream>>>(                                   \
          n, reinterpret_cast<const Native<U> *const *>(a), lda, pivots,                          \
          reinterpret_cast<Native<U> *const *>(c), ldc, info);                                    \
    return launched();                                                                            \
  }
CALLS(S, float)
CALLS(D, double)
CALLS(C, cuComplex)
CALLS(Z, cuDoubleComplex)
