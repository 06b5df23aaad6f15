// SPDX-License-Identifier: MIT
// Kernels of level 2, and of level 3 for what is no product of two general matrices. Matrices
// are stored by columns.
#ifndef CUBLAS_MATRICES_H
#define CUBLAS_MATRICES_H

#include "context.h"

enum { THREADS = 128 };

// Element (i, j) of op(A).
template <typename T>
struct Matrix {
  const T *first;
  long long ld;
  bool is_transposed, is_conjugated;
  __device__ T get(long long i, long long j) const {
    return conjugate_if(is_conjugated, is_transposed ? first[j + i * ld] : first[i + j * ld]);
  }
};

template <typename T>
Matrix<T> matrix_of(const T *a, int lda, cublasOperation_t operation) {
  return Matrix<T>{a, lda, operation != CUBLAS_OP_N, operation == CUBLAS_OP_C};
}

// Without an imaginary part.
template <typename T>
__device__ T real_part(T a) {
  return a;
}
template <typename T>
__device__ Complex<T> real_part(Complex<T> a) {
  return Complex<T>(a.x);
}

// Of a symmetric or triangular matrix only one half is stored.
template <typename T>
struct Half {
  Matrix<T> matrix;
  bool is_upper, is_hermitian;
  __device__ T get(long long i, long long j) const {
    bool is_stored = is_upper ? i <= j : i >= j;
    if (is_hermitian && i == j) return real_part(matrix.get(i, j));
    return is_stored ? matrix.get(i, j) : conjugate_if(is_hermitian, matrix.get(j, i));
  }
};

template <typename T>
Half<T> half_of(const T *a, int lda, cublasFillMode_t fill, bool is_hermitian) {
  return Half<T>{matrix_of(a, lda, CUBLAS_OP_N), fill == CUBLAS_FILL_MODE_UPPER, is_hermitian};
}

template <typename T>
__device__ T sum_of_block(T mine) {
  __shared__ T values[THREADS];
  for (int step = THREADS / 2; step; step /= 2) {
    values[threadIdx.x] = mine;
    __syncthreads();
    if (threadIdx.x < step) mine += values[threadIdx.x + step];
    __syncthreads();
  }
  return mine;
}

// With a factor of 0 the old value is not read: it may be anything.
template <typename T>
__device__ T updated(T product, T beta, const T &before) {
  return beta == T(0) ? product : product + beta * before;
}

// ---- matrix and vector

// y = alpha A x + beta y: a thread for each row, so that loads are coalesced.
template <typename T>
__global__ void gemv(int m, int n, Scalar<T> alpha, Matrix<T> a, Vector<const T> x, Scalar<T> beta,
                     Vector<T> y) {
  long long i = blockIdx.x * (long long)THREADS + threadIdx.x;
  if (i >= m) return;
  T sum = 0, factor = alpha.get();
  for (int j = 0; j < n && factor != T(0); j++) sum += a.get(i, j) * x[j];
  y[i] = updated(factor * sum, beta.get(), y[i]);
}

// y = alpha A' x + beta y: a block for each column.
template <typename T>
__global__ void gemv_transposed(int m, int n, Scalar<T> alpha, Matrix<T> a, Vector<const T> x,
                                Scalar<T> beta, Vector<T> y) {
  for (long long j = blockIdx.x; j < n; j += gridDim.x) {
    T sum = 0, factor = alpha.get();
    for (long long i = threadIdx.x; i < m && factor != T(0); i += THREADS)
      sum += a.get(i, j) * x[i];
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) y[j] = updated(factor * sum, beta.get(), y[j]);
  }
}

template <typename T>
__global__ void symv(int n, Scalar<T> alpha, Half<T> a, Vector<const T> x, Scalar<T> beta,
                     Vector<T> y) {
  long long i = blockIdx.x * (long long)THREADS + threadIdx.x;
  if (i >= n) return;
  T sum = 0, factor = alpha.get();
  for (int j = 0; j < n && factor != T(0); j++) sum += a.get(i, j) * x[j];
  y[i] = updated(factor * sum, beta.get(), y[i]);
}

enum Part { ALL, LOWER, UPPER };

static __device__ bool is_in(Part part, long long i, long long j) {
  return part == ALL || (part == LOWER ? i >= j : i <= j);
}

#define FOR_ELEMENTS(i, j, m, n)                                                     \
  for (long long at_ = blockIdx.x * (long long)THREADS + threadIdx.x, i = at_ % (m), \
                 j = at_ / (m);                                                      \
       at_ < (long long)(m) * (n);                                                   \
       at_ += (long long)gridDim.x * THREADS, i = at_ % (m), j = at_ / (m))

// A += alpha x y', all of it or a half; is_both: and the same with x and y exchanged.
struct Outer {
  Part part;
  bool is_both, is_conjugated, is_hermitian;
};
template <typename T>
__global__ void ger(int m, int n, Outer outer, Scalar<T> alpha, Vector<const T> x,
                    Vector<const T> y, T *a, long long lda) {
  FOR_ELEMENTS(i, j, m, n) {
    if (!is_in(outer.part, i, j)) continue;
    T factor = alpha.get(), sum = factor * x[i] * conjugate_if(outer.is_conjugated, y[j]);
    if (outer.is_both)
      sum += conjugate_if(outer.is_conjugated, factor) * y[i] *
             conjugate_if(outer.is_conjugated, x[j]);
    T value = a[i + j * lda] + sum;
    a[i + j * lda] = outer.is_hermitian && i == j ? real_part(value) : value;
  }
}

// ---- triangular matrices

template <typename T>
struct Triangle {
  Matrix<T> matrix;
  bool is_lower;  // op(A)
  bool is_unit;
  int n;
  __device__ T get(long long i, long long j) const {
    if (i == j) return is_unit ? T(1) : matrix.get(i, j);
    return (is_lower ? i > j : i < j) ? matrix.get(i, j) : T(0);
  }
};

template <typename T>
Triangle<T> triangle_of(const T *a, int lda, int n, cublasFillMode_t fill,
                        cublasOperation_t operation, cublasDiagType_t diagonal) {
  return Triangle<T>{matrix_of(a, lda, operation),
                     (fill == CUBLAS_FILL_MODE_LOWER) != (operation != CUBLAS_OP_N),
                     diagonal == CUBLAS_DIAG_UNIT, n};
}

// op(A) x = alpha b, b in x: a block for each vector. Each element, once known, is subtracted
// from the rest.
template <typename T>
__global__ void solve(Triangle<T> a, Scalar<T> alpha, T *vectors, int count, long long stride,
                      long long distance) {
  for (int v = blockIdx.x; v < count; v += gridDim.x) {
    Vector<T> x = {vectors + v * distance, stride};
    T factor = alpha.get();
    for (int i = threadIdx.x; i < a.n; i += THREADS) x[i] = factor == T(0) ? T(0) : factor * x[i];
    __syncthreads();
    for (int step = 0; step < a.n; step++) {
      int j = a.is_lower ? step : a.n - 1 - step;
      if (threadIdx.x == 0 && !a.is_unit) x[j] /= a.matrix.get(j, j);
      __syncthreads();
      T known = x[j];
      int first = a.is_lower ? j + 1 : 0, end = a.is_lower ? a.n : j;
      for (int i = first + threadIdx.x; i < end; i += THREADS) x[i] -= known * a.matrix.get(i, j);
      __syncthreads();
    }
  }
}

// x = op(A) x, in one block: an element depends on those that are not yet replaced.
template <typename T>
__global__ void trmv(Triangle<T> a, Vector<T> x) {
  for (int step = 0; step < a.n; step++) {
    int i = a.is_lower ? a.n - 1 - step : step;
    int first = a.is_lower ? 0 : i + 1, end = a.is_lower ? i : a.n;
    T sum = 0;
    for (int j = first + threadIdx.x; j < end; j += THREADS) sum += a.matrix.get(i, j) * x[j];
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) x[i] = sum + (a.is_unit ? x[i] : a.matrix.get(i, i) * x[i]);
    __syncthreads();
  }
}

// ---- matrices

// C = alpha op(A) op(B)' + beta C, one half: a thread for each element. is_both: and the
// same with A and B exchanged.
template <typename T>
__global__ void syrk(int n, int k, Outer outer, Scalar<T> alpha, Matrix<T> a, Matrix<T> b,
                     Scalar<T> beta, T *c, long long ldc) {
  FOR_ELEMENTS(i, j, n, n) {
    if (!is_in(outer.part, i, j)) continue;
    T sum = 0, other = 0, factor = alpha.get();
    for (int l = 0; l < k && factor != T(0); l++) {
      sum += a.get(i, l) * conjugate_if(outer.is_conjugated, b.get(j, l));
      if (outer.is_both) other += b.get(i, l) * conjugate_if(outer.is_conjugated, a.get(j, l));
    }
    sum = factor * sum + conjugate_if(outer.is_conjugated, factor) * other;
    T value = updated(sum, beta.get(), c[i + j * ldc]);
    c[i + j * ldc] = outer.is_hermitian && i == j ? real_part(value) : value;
  }
}

// C = alpha A B + beta C, or B A; A is symmetric or a triangle.
template <typename T, typename Special>
__global__ void special_product(int m, int n, bool is_left, Scalar<T> alpha, Special a, Matrix<T> b,
                                Scalar<T> beta, T *c, long long ldc) {
  FOR_ELEMENTS(i, j, m, n) {
    T sum = 0, factor = alpha.get();
    for (int l = 0; l < (is_left ? m : n) && factor != T(0); l++)
      sum += is_left ? a.get(i, l) * b.get(l, j) : b.get(i, l) * a.get(l, j);
    c[i + j * ldc] = updated(factor * sum, beta.get(), c[i + j * ldc]);
  }
}

template <typename T>
__global__ void geam(int m, int n, Scalar<T> alpha, Matrix<T> a, Scalar<T> beta, Matrix<T> b, T *c,
                     long long ldc) {
  FOR_ELEMENTS(i, j, m, n) {
    T x = alpha.get() == T(0) ? T(0) : alpha.get() * a.get(i, j);
    T y = beta.get() == T(0) ? T(0) : beta.get() * b.get(i, j);
    c[i + j * ldc] = x + y;
  }
}

template <typename T>
__global__ void dgmm(int m, int n, bool is_left, Matrix<T> a, Vector<const T> x, T *c,
                     long long ldc) {
  FOR_ELEMENTS(i, j, m, n) c[i + j * ldc] = a.get(i, j) * x[is_left ? i : j];
}

#endif
