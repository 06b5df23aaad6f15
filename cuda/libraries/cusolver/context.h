// SPDX-License-Identifier: MIT
// What the calls of cuSOLVER share: the handle, matrices by columns, and checks.
#ifndef CUSOLVER_CONTEXT_H
#define CUSOLVER_CONTEXT_H

#include <cusolverDn.h>

#define EXPORT extern "C" __attribute__((visibility("default")))

struct cusolverDnContext {
  cudaStream_t stream;
};

enum { THREADS = 256, WIDTH = 32 };  // WIDTH: columns of a panel

#define NEED(condition) \
  if (!(condition)) return CUSOLVER_STATUS_INVALID_VALUE
#define NEED_HANDLE(handle) \
  if (!(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED

inline cusolverStatus_t launched() {
  return cudaPeekAtLastError() == cudaSuccess ? CUSOLVER_STATUS_SUCCESS
                                              : CUSOLVER_STATUS_EXECUTION_FAILED;
}

inline bool is_ld(int ld, int rows) {
  return ld >= (rows > 1 ? rows : 1);
}

inline int blocks_for(int count, int size) {
  return (count + size - 1) / size;
}

// A matrix by columns, or the transpose of one.
template <typename T>
struct Matrix {
  T *first;
  int ld;
  bool is_transposed;
  __device__ T &operator()(int i, int j) const {
    long long row = is_transposed ? j : i, column = is_transposed ? i : j;
    return first[row + column * ld];
  }
};

// The sum of a value over the threads of a CTA, for all of them.
template <typename T>
__device__ T sum_of_block(T value) {
  __shared__ T sums[THREADS];
  sums[threadIdx.x] = value;
  __syncthreads();
  for (int step = THREADS / 2; step; step /= 2) {
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
  T sum = sums[0];
  __syncthreads();
  return sum;
}

// C -= A B, where A has `depth` columns, at most WIDTH: a CTA per tile of WIDTH x WIDTH. is_lower:
// only on and below the diagonal, and not after a failure.
template <typename T>
__global__ void __launch_bounds__(THREADS)
    subtract_product(Matrix<T> c, Matrix<T> a, Matrix<T> b, int rows, int columns, int depth,
                     bool is_lower, const int *info) {
  __shared__ T left[WIDTH][WIDTH + 1], right[WIDTH][WIDTH + 1];
  if (is_lower && (*info || blockIdx.y > blockIdx.x)) return;
  int column = threadIdx.x / WIDTH, row = threadIdx.x % WIDTH;
  int i = blockIdx.x * WIDTH + row, j = blockIdx.y * WIDTH;
  for (int k = column; k < WIDTH; k += THREADS / WIDTH) {
    left[k][row] = k < depth && i < rows ? a(i, k) : T(0);
    right[k][row] = k < depth && j + row < columns ? b(k, j + row) : T(0);
  }
  __syncthreads();
  for (int y = column; y < WIDTH; y += THREADS / WIDTH) {
    if (i >= rows || j + y >= columns || (is_lower && i < j + y)) continue;
    T sum = 0;
    for (int k = 0; k < WIDTH; k++) sum += left[k][row] * right[k][y];
    c(i, j + y) -= sum;
  }
}

// b becomes the solution of A x = b, with the lower or upper triangle of A; by all threads of a
// CTA. is_unit: ones on the diagonal.
template <typename T>
__device__ void solve_lower(Matrix<T> a, int n, bool is_unit, T *b) {
  for (int k = 0; k < n; k++) {
    if (threadIdx.x == 0 && !is_unit) b[k] /= a(k, k);
    __syncthreads();
    for (int i = k + 1 + threadIdx.x; i < n; i += THREADS) b[i] -= a(i, k) * b[k];
    __syncthreads();
  }
}
template <typename T>
__device__ void solve_upper(Matrix<T> a, int n, bool is_unit, T *b) {
  for (int k = n - 1; k >= 0; k--) {
    if (threadIdx.x == 0 && !is_unit) b[k] /= a(k, k);
    __syncthreads();
    for (int i = threadIdx.x; i < k; i += THREADS) b[i] -= a(i, k) * b[k];
    __syncthreads();
  }
}

#endif
