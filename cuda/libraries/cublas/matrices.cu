// SPDX-License-Identifier: MIT
// Level 2, and of level 3 what is no product of two general matrices. Matrices are stored by
// columns.
#include "context.h"

enum { THREADS = 128 };

// Element (i, j) of op(A).
template <typename T>
struct Matrix {
  const T *first;
  long long ld;
  bool is_transposed;
  __device__ T get(long long i, long long j) const {
    return is_transposed ? first[j + i * ld] : first[i + j * ld];
  }
};

// Of a symmetric or triangular matrix only one half is stored.
template <typename T>
struct Half {
  Matrix<T> matrix;
  bool is_upper;
  __device__ T symmetric(long long i, long long j) const {
    bool is_stored = is_upper ? i <= j : i >= j;
    return is_stored ? matrix.get(i, j) : matrix.get(j, i);
  }
};

template <typename T>
Half<T> half_of(const T *a, int lda, cublasFillMode_t fill) {
  return Half<T>{Matrix<T>{a, lda, false}, fill == CUBLAS_FILL_MODE_UPPER};
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
  for (int j = 0; j < n && factor != T(0); j++) sum += a.symmetric(i, j) * x[j];
  y[i] = updated(factor * sum, beta.get(), y[i]);
}

enum Part { ALL, LOWER, UPPER };

static __device__ bool is_in(Part part, long long i, long long j) {
  return part == ALL || (part == LOWER ? i >= j : i <= j);
}

#define FOR_ELEMENTS(i, j, m, n)                                                          \
  for (long long at_ = blockIdx.x * (long long)THREADS + threadIdx.x, i = at_ % (m),      \
                 j = at_ / (m);                                                           \
       at_ < (long long)(m) * (n);                                                        \
       at_ += (long long)gridDim.x * THREADS, i = at_ % (m), j = at_ / (m))

// A += alpha x y', all of it or a half.
template <typename T>
__global__ void ger(int m, int n, Part part, Scalar<T> alpha, Vector<const T> x, Vector<const T> y,
                    T *a, long long lda) {
  FOR_ELEMENTS(i, j, m, n) {
    if (is_in(part, i, j)) a[i + j * lda] += alpha.get() * x[i] * y[j];
  }
}

// ---- triangular matrices

template <typename T>
struct Triangle {
  Matrix<T> matrix;
  bool is_lower;  // op(A)
  bool is_unit;
  int n;
};

template <typename T>
Triangle<T> triangle_of(const T *a, int lda, int n, cublasFillMode_t fill, bool is_transposed,
                        cublasDiagType_t diagonal) {
  return Triangle<T>{Matrix<T>{a, lda, is_transposed},
                     (fill == CUBLAS_FILL_MODE_LOWER) != is_transposed,
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

// C = alpha op(A) op(A)' + beta C, one half: a thread for each element.
template <typename T>
__global__ void syrk(int n, int k, Part part, Scalar<T> alpha, Matrix<T> a, Scalar<T> beta, T *c,
                     long long ldc) {
  FOR_ELEMENTS(i, j, n, n) {
    if (!is_in(part, i, j)) continue;
    T sum = 0, factor = alpha.get();
    for (int l = 0; l < k && factor != T(0); l++) sum += a.get(i, l) * a.get(j, l);
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

// ---- calls

static bool is_operation(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N || operation == CUBLAS_OP_T || operation == CUBLAS_OP_C;
}
static bool is_fill(cublasFillMode_t fill) {
  return fill == CUBLAS_FILL_MODE_LOWER || fill == CUBLAS_FILL_MODE_UPPER;
}
static Part part_of(cublasFillMode_t fill) {
  return fill == CUBLAS_FILL_MODE_UPPER ? UPPER : LOWER;
}
static bool is_ld(int ld, int rows) {
  return ld >= (rows > 1 ? rows : 1);
}

#define LAUNCH(count, kernel, ...)                                                                \
  if ((count) > 0)                                                                                \
    kernel<<<blocks_for(count, THREADS), THREADS, 0, handle->stream>>>(__VA_ARGS__);              \
  return launched()
#define LAUNCH_BLOCKS(count, kernel, ...)                                                         \
  if ((count) > 0) kernel<<<blocks_for(count, 1), THREADS, 0, handle->stream>>>(__VA_ARGS__);     \
  return launched()

template <typename T>
cublasStatus_t call_gemv(cublasHandle_t handle, cublasOperation_t operation, int m, int n,
                         const T *alpha, const T *a, int lda, const T *x, int incx, const T *beta,
                         T *y, int incy) {
  NEED_HANDLE(handle);
  NEED(m >= 0 && n >= 0 && is_operation(operation) && is_ld(lda, m) && incx && incy);
  NEED(alpha && beta);
  if (!m || !n) return CUBLAS_STATUS_SUCCESS;
  Matrix<T> matrix = {a, lda, false};
  bool is_transposed = operation != CUBLAS_OP_N;
  Vector<const T> in = vector_of(x, is_transposed ? m : n, incx);
  Vector<T> out = vector_of(y, is_transposed ? n : m, incy);
  if (is_transposed) {
    LAUNCH_BLOCKS(n, gemv_transposed<T>, m, n, scalar(handle, alpha), matrix, in,
                  scalar(handle, beta), out);
  }
  LAUNCH(m, gemv<T>, m, n, scalar(handle, alpha), matrix, in, scalar(handle, beta), out);
}

// B X = op(A)' is solved as op(A)' with the rows of B.
template <typename T>
cublasStatus_t call_trsm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,
                         cublasOperation_t operation, cublasDiagType_t diagonal, int m, int n,
                         const T *alpha, const T *a, int lda, T *b, int ldb) {
  NEED_HANDLE(handle);
  bool is_left = side == CUBLAS_SIDE_LEFT;
  int size = is_left ? m : n, count = is_left ? n : m;
  NEED(m >= 0 && n >= 0 && is_fill(fill) && is_operation(operation) && alpha);
  NEED(is_ld(lda, size) && is_ld(ldb, m));
  if (!m || !n) return CUBLAS_STATUS_SUCCESS;
  bool is_transposed = (operation != CUBLAS_OP_N) == is_left;
  Triangle<T> triangle = triangle_of(a, lda, size, fill, is_transposed, diagonal);
  long long stride = is_left ? 1 : ldb, distance = is_left ? ldb : 1;
  LAUNCH_BLOCKS(count, solve<T>, triangle, scalar(handle, alpha), b, count, stride, distance);
}

template <typename T>
cublasStatus_t call_trsv(cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t operation,
                         cublasDiagType_t diagonal, int n, const T *a, int lda, T *x, int incx) {
  NEED_HANDLE(handle);
  NEED(n >= 0 && is_fill(fill) && is_operation(operation) && is_ld(lda, n) && incx);
  Triangle<T> triangle = triangle_of(a, lda, n, fill, operation != CUBLAS_OP_N, diagonal);
  Vector<T> vector = vector_of(x, n, incx);
  LAUNCH_BLOCKS(n > 0, solve<T>, triangle, Scalar<T>{1, nullptr}, vector.first, 1, vector.stride,
                0);
}

#define CALLS(S, T)                                                                               \
  EXPORT cublasStatus_t cublas##S##gemv_v2(                                                       \
      cublasHandle_t handle, cublasOperation_t operation, int m, int n, const T *alpha,           \
      const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy) {                 \
    return call_gemv(handle, operation, m, n, alpha, a, lda, x, incx, beta, y, incy);             \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##ger_v2(cublasHandle_t handle, int m, int n, const T *alpha,    \
                                          const T *x, int incx, const T *y, int incy, T *a,       \
                                          int lda) {                                              \
    NEED_HANDLE(handle);                                                                          \
    NEED(m >= 0 && n >= 0 && alpha && incx && incy && is_ld(lda, m));                             \
    LAUNCH((long long)m *n, ger<T>, m, n, ALL, scalar(handle, alpha), vector_of(x, m, incx),      \
           vector_of(y, n, incy), a, lda);                                                        \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##syr_v2(cublasHandle_t handle, cublasFillMode_t fill, int n,    \
                                          const T *alpha, const T *x, int incx, T *a, int lda) {  \
    NEED_HANDLE(handle);                                                                          \
    NEED(n >= 0 && is_fill(fill) && alpha && incx && is_ld(lda, n));                              \
    LAUNCH((long long)n *n, ger<T>, n, n, part_of(fill), scalar(handle, alpha),                   \
           vector_of(x, n, incx), vector_of(x, n, incx), a, lda);                                 \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##symv_v2(                                                       \
      cublasHandle_t handle, cublasFillMode_t fill, int n, const T *alpha, const T *a, int lda,   \
      const T *x, int incx, const T *beta, T *y, int incy) {                                      \
    NEED_HANDLE(handle);                                                                          \
    NEED(n >= 0 && is_fill(fill) && alpha && beta && incx && incy && is_ld(lda, n));              \
    LAUNCH(n, symv<T>, n, scalar(handle, alpha), half_of(a, lda, fill), vector_of(x, n, incx),    \
           scalar(handle, beta), vector_of(y, n, incy));                                          \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##trsv_v2(                                                       \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t operation,                  \
      cublasDiagType_t diagonal, int n, const T *a, int lda, T *x, int incx) {                    \
    return call_trsv(handle, fill, operation, diagonal, n, a, lda, x, incx);                      \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##trmv_v2(                                                       \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t operation,                  \
      cublasDiagType_t diagonal, int n, const T *a, int lda, T *x, int incx) {                    \
    NEED_HANDLE(handle);                                                                          \
    NEED(n >= 0 && is_fill(fill) && is_operation(operation) && is_ld(lda, n) && incx);            \
    LAUNCH_BLOCKS(n > 0, trmv<T>,                                                                 \
                  triangle_of(a, lda, n, fill, operation != CUBLAS_OP_N, diagonal),               \
                  vector_of(x, n, incx));                                                         \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##syrk_v2(                                                       \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t operation, int n, int k,    \
      const T *alpha, const T *a, int lda, const T *beta, T *c, int ldc) {                        \
    NEED_HANDLE(handle);                                                                          \
    bool is_transposed = operation != CUBLAS_OP_N;                                                \
    NEED(n >= 0 && k >= 0 && is_fill(fill) && is_operation(operation) && alpha && beta);          \
    NEED(is_ld(lda, is_transposed ? k : n) && is_ld(ldc, n));                                     \
    LAUNCH((long long)n *n, syrk<T>, n, k, part_of(fill), scalar(handle, alpha),                  \
           Matrix<T>{a, lda, is_transposed}, scalar(handle, beta), c, ldc);                       \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##trsm_v2(                                                       \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,                        \
      cublasOperation_t operation, cublasDiagType_t diagonal, int m, int n, const T *alpha,       \
      const T *a, int lda, T *b, int ldb) {                                                       \
    return call_trsm(handle, side, fill, operation, diagonal, m, n, alpha, a, lda, b, ldb);       \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##geam(                                                          \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,        \
      const T *alpha, const T *a, int lda, const T *beta, const T *b, int ldb, T *c, int ldc) {   \
    NEED_HANDLE(handle);                                                                          \
    NEED(m >= 0 && n >= 0 && is_operation(op_a) && is_operation(op_b) && alpha && beta);          \
    NEED(is_ld(lda, op_a == CUBLAS_OP_N ? m : n) && is_ld(ldb, op_b == CUBLAS_OP_N ? m : n));     \
    NEED(is_ld(ldc, m));                                                                          \
    LAUNCH((long long)m *n, geam<T>, m, n, scalar(handle, alpha),                                 \
           Matrix<T>{a, lda, op_a != CUBLAS_OP_N}, scalar(handle, beta),                          \
           Matrix<T>{b, ldb, op_b != CUBLAS_OP_N}, c, ldc);                                       \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##dgmm(cublasHandle_t handle, cublasSideMode_t side, int m,      \
                                        int n, const T *a, int lda, const T *x, int incx, T *c,   \
                                        int ldc) {                                                \
    NEED_HANDLE(handle);                                                                          \
    NEED(m >= 0 && n >= 0 && is_ld(lda, m) && is_ld(ldc, m));                                     \
    bool is_left = side == CUBLAS_SIDE_LEFT;                                                      \
    LAUNCH((long long)m *n, dgmm<T>, m, n, is_left, Matrix<T>{a, lda, false},                     \
           vector_of(x, is_left ? m : n, incx), c, ldc);                                          \
  }
CALLS(S, float)
CALLS(D, double)
