// SPDX-License-Identifier: MIT
// Calls of level 2, and of level 3 for what is no product of two general matrices.
#include "matrices.h"

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

// ---- level 2

template <typename T>
static cublasStatus_t call_gemv(cublasHandle_t handle, cublasOperation_t operation, int m, int n,
                                const T *alpha, const T *a, int lda, const T *x, int incx,
                                const T *beta, T *y, int incy) {
  NEED_HANDLE(handle);
  NEED(m >= 0 && n >= 0 && is_operation(operation) && is_ld(lda, m) && incx && incy);
  NEED(alpha && beta);
  if (!m || !n) return CUBLAS_STATUS_SUCCESS;
  Matrix<T> matrix = {a, lda, false, operation == CUBLAS_OP_C};
  bool is_transposed = operation != CUBLAS_OP_N;
  Vector<const T> in = vector_of(x, is_transposed ? m : n, incx);
  Vector<T> out = vector_of(y, is_transposed ? n : m, incy);
  if (is_transposed) {
    LAUNCH_BLOCKS(n, gemv_transposed<T>, m, n, scalar(handle, alpha), matrix, in,
                  scalar(handle, beta), out);
  }
  LAUNCH(m, gemv<T>, m, n, scalar(handle, alpha), matrix, in, scalar(handle, beta), out);
}

// One half with is_half; else all.
template <typename T>
static cublasStatus_t call_ger(cublasHandle_t handle, int m, int n, bool is_valid, Outer outer,
                               Scalar<T> alpha, const T *x, int incx, const T *y, int incy, T *a,
                               int lda) {
  NEED(m >= 0 && n >= 0 && is_valid && incx && incy && is_ld(lda, m));
  LAUNCH((long long)m * n, ger<T>, m, n, outer, alpha, vector_of(x, m, incx),
         vector_of(y, n, incy), a, lda);
}

template <typename T>
static cublasStatus_t call_symv(cublasHandle_t handle, cublasFillMode_t fill, bool is_hermitian,
                                int n, const T *alpha, const T *a, int lda, const T *x, int incx,
                                const T *beta, T *y, int incy) {
  NEED_HANDLE(handle);
  NEED(n >= 0 && is_fill(fill) && alpha && beta && incx && incy && is_ld(lda, n));
  LAUNCH(n, symv<T>, n, scalar(handle, alpha), half_of(a, lda, fill, is_hermitian),
         vector_of(x, n, incx), scalar(handle, beta), vector_of(y, n, incy));
}

template <typename T>
static cublasStatus_t call_trsv(cublasHandle_t handle, cublasFillMode_t fill,
                                cublasOperation_t operation, cublasDiagType_t diagonal, int n,
                                const T *a, int lda, T *x, int incx) {
  NEED_HANDLE(handle);
  NEED(n >= 0 && is_fill(fill) && is_operation(operation) && is_ld(lda, n) && incx);
  Triangle<T> triangle = triangle_of(a, lda, n, fill, operation, diagonal);
  Vector<T> vector = vector_of(x, n, incx);
  Scalar<T> one = {T(1), nullptr, false};
  LAUNCH_BLOCKS(n > 0, solve<T>, triangle, one, vector.first, 1, vector.stride, 0);
}
template <typename T>
static cublasStatus_t call_trmv(cublasHandle_t handle, cublasFillMode_t fill,
                                cublasOperation_t operation, cublasDiagType_t diagonal, int n,
                                const T *a, int lda, T *x, int incx) {
  NEED_HANDLE(handle);
  NEED(n >= 0 && is_fill(fill) && is_operation(operation) && is_ld(lda, n) && incx);
  LAUNCH_BLOCKS(n > 0, trmv<T>, triangle_of(a, lda, n, fill, operation, diagonal),
                vector_of(x, n, incx));
}

// ---- level 3

// B X = op(A)' is solved as op(A)' with the rows of B.
template <typename T>
static cublasStatus_t call_trsm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,
                                cublasOperation_t operation, cublasDiagType_t diagonal, int m,
                                int n, const T *alpha, const T *a, int lda, T *b, int ldb) {
  NEED_HANDLE(handle);
  bool is_left = side == CUBLAS_SIDE_LEFT;
  int size = is_left ? m : n, count = is_left ? n : m;
  NEED(m >= 0 && n >= 0 && is_fill(fill) && is_operation(operation) && alpha);
  NEED(is_ld(lda, size) && is_ld(ldb, m));
  if (!m || !n) return CUBLAS_STATUS_SUCCESS;
  bool is_transposed = (operation != CUBLAS_OP_N) == is_left;
  Triangle<T> triangle = {Matrix<T>{a, lda, is_transposed, operation == CUBLAS_OP_C},
                          (fill == CUBLAS_FILL_MODE_LOWER) != is_transposed,
                          diagonal == CUBLAS_DIAG_UNIT, size};
  long long stride = is_left ? 1 : ldb, distance = is_left ? ldb : 1;
  LAUNCH_BLOCKS(count, solve<T>, triangle, scalar(handle, alpha), b, count, stride, distance);
}

// b is a for one matrix.
template <typename T>
static cublasStatus_t call_syrk(cublasHandle_t handle, cublasFillMode_t fill,
                                cublasOperation_t operation, int n, int k, bool is_both,
                                bool is_hermitian, Scalar<T> alpha, const T *a, int lda, const T *b,
                                int ldb, Scalar<T> beta, T *c, int ldc) {
  int rows = operation == CUBLAS_OP_N ? n : k;
  NEED(n >= 0 && k >= 0 && is_fill(fill) && is_operation(operation));
  NEED(is_ld(lda, rows) && is_ld(ldb, rows) && is_ld(ldc, n));
  // A symmetric product takes both factors as they are.
  cublasOperation_t taken = operation != CUBLAS_OP_N && !is_hermitian ? CUBLAS_OP_T : operation;
  Outer outer = {part_of(fill), is_both, is_hermitian, is_hermitian};
  LAUNCH((long long)n * n, syrk<T>, n, k, outer, alpha, matrix_of(a, lda, taken),
         matrix_of(b, ldb, taken), beta, c, ldc);
}

template <typename T>
static cublasStatus_t call_geam(cublasHandle_t handle, cublasOperation_t op_a,
                                cublasOperation_t op_b, int m, int n, const T *alpha, const T *a,
                                int lda, const T *beta, const T *b, int ldb, T *c, int ldc) {
  NEED_HANDLE(handle);
  NEED(m >= 0 && n >= 0 && is_operation(op_a) && is_operation(op_b) && alpha && beta);
  NEED(is_ld(lda, op_a == CUBLAS_OP_N ? m : n) && is_ld(ldb, op_b == CUBLAS_OP_N ? m : n));
  NEED(is_ld(ldc, m));
  LAUNCH((long long)m * n, geam<T>, m, n, scalar(handle, alpha), matrix_of(a, lda, op_a),
         scalar(handle, beta), matrix_of(b, ldb, op_b), c, ldc);
}

template <typename T>
static cublasStatus_t call_dgmm(cublasHandle_t handle, cublasSideMode_t side, int m, int n,
                                const T *a, int lda, const T *x, int incx, T *c, int ldc) {
  NEED_HANDLE(handle);
  NEED(m >= 0 && n >= 0 && is_ld(lda, m) && is_ld(ldc, m));
  bool is_left = side == CUBLAS_SIDE_LEFT;
  LAUNCH((long long)m * n, dgmm<T>, m, n, is_left, matrix_of(a, lda, CUBLAS_OP_N),
         vector_of(x, is_left ? m : n, incx), c, ldc);
}

template <typename T>
static cublasStatus_t call_symm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,
                                bool is_hermitian, int m, int n, const T *alpha, const T *a,
                                int lda, const T *b, int ldb, const T *beta, T *c, int ldc) {
  NEED_HANDLE(handle);
  bool is_left = side == CUBLAS_SIDE_LEFT;
  NEED(m >= 0 && n >= 0 && is_fill(fill) && alpha && beta);
  NEED(is_ld(lda, is_left ? m : n) && is_ld(ldb, m) && is_ld(ldc, m));
  Half<T> half = half_of(a, lda, fill, is_hermitian);
  if (m && n)
    special_product<T, Half<T>>
        <<<blocks_for((long long)m * n, THREADS), THREADS, 0, handle->stream>>>(
            m, n, is_left, scalar(handle, alpha), half, matrix_of(b, ldb, CUBLAS_OP_N),
            scalar(handle, beta), c, ldc);
  return launched();
}

// A result in place of B needs a copy of B.
template <typename T>
static cublasStatus_t call_trmm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,
                                cublasOperation_t operation, cublasDiagType_t diagonal, int m,
                                int n, const T *alpha, const T *a, int lda, const T *b, int ldb,
                                T *c, int ldc) {
  NEED_HANDLE(handle);
  bool is_left = side == CUBLAS_SIDE_LEFT;
  NEED(m >= 0 && n >= 0 && is_fill(fill) && is_operation(operation) && alpha);
  NEED(is_ld(lda, is_left ? m : n) && is_ld(ldb, m) && is_ld(ldc, m));
  if (!m || !n) return CUBLAS_STATUS_SUCCESS;
  Triangle<T> triangle = triangle_of(a, lda, is_left ? m : n, fill, operation, diagonal);
  Scalar<T> zero = {T(0), nullptr, false};
  T *copy = nullptr;
  if (b == c) {
    size_t bytes = (size_t)ldb * n * sizeof(T);
    if (cudaMallocAsync(reinterpret_cast<void **>(&copy), bytes, handle->stream) != cudaSuccess)
      return CUBLAS_STATUS_ALLOC_FAILED;
    // Not beyond the last element of B.
    cudaMemcpy2DAsync(copy, ldb * sizeof(T), b, ldb * sizeof(T), m * sizeof(T), n,
                      cudaMemcpyDeviceToDevice, handle->stream);
  }
  special_product<T, Triangle<T>>
      <<<blocks_for((long long)m * n, THREADS), THREADS, 0, handle->stream>>>(
          m, n, is_left, scalar(handle, alpha), triangle, matrix_of<T>(copy ? copy : b, ldb, CUBLAS_OP_N),
          zero, c, ldc);
  if (copy) cudaFreeAsync(copy, handle->stream);
  return launched();
}

// ---- calls; U: numbers of programs, R: real ones

#define NEED_FACTOR(pointer) \
  NEED_HANDLE(handle);       \
  NEED(pointer)

#define CALLS(S, U)                                                                               \
  EXPORT cublasStatus_t cublas##S##gemv_v2(                                                       \
      cublasHandle_t handle, cublasOperation_t operation, int m, int n, const U *alpha,           \
      const U *a, int lda, const U *x, int incx, const U *beta, U *y, int incy) {                 \
    return call_gemv(handle, operation, m, n, native(alpha), native(a), lda, native(x), incx,     \
                     native(beta), native(y), incy);                                              \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##symv_v2(                                                       \
      cublasHandle_t handle, cublasFillMode_t fill, int n, const U *alpha, const U *a, int lda,   \
      const U *x, int incx, const U *beta, U *y, int incy) {                                      \
    return call_symv(handle, fill, false, n, native(alpha), native(a), lda, native(x), incx,      \
                     native(beta), native(y), incy);                                              \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##syr_v2(cublasHandle_t handle, cublasFillMode_t fill, int n,    \
                                          const U *alpha, const U *x, int incx, U *a, int lda) {  \
    NEED_FACTOR(alpha);                                                                           \
    return call_ger(handle, n, n, is_fill(fill), Outer{part_of(fill), false, false, false},       \
                    scalar(handle, native(alpha)), native(x), incx, native(x), incx, native(a),   \
                    lda);                                                                         \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##syr2_v2(cublasHandle_t handle, cublasFillMode_t fill, int n,   \
                                           const U *alpha, const U *x, int incx, const U *y,      \
                                           int incy, U *a, int lda) {                             \
    NEED_FACTOR(alpha);                                                                           \
    return call_ger(handle, n, n, is_fill(fill), Outer{part_of(fill), true, false, false},        \
                    scalar(handle, native(alpha)), native(x), incx, native(y), incy, native(a),   \
                    lda);                                                                         \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##trsv_v2(                                                       \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t operation,                  \
      cublasDiagType_t diagonal, int n, const U *a, int lda, U *x, int incx) {                    \
    return call_trsv(handle, fill, operation, diagonal, n, native(a), lda, native(x), incx);      \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##trmv_v2(                                                       \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t operation,                  \
      cublasDiagType_t diagonal, int n, const U *a, int lda, U *x, int incx) {                    \
    return call_trmv(handle, fill, operation, diagonal, n, native(a), lda, native(x), incx);      \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##syrk_v2(                                                       \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t operation, int n, int k,    \
      const U *alpha, const U *a, int lda, const U *beta, U *c, int ldc) {                        \
    NEED_FACTOR(alpha &&beta);                                                                    \
    return call_syrk(handle, fill, operation, n, k, false, false, scalar(handle, native(alpha)),  \
                     native(a), lda, native(a), lda, scalar(handle, native(beta)), native(c),     \
                     ldc);                                                                        \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##syr2k_v2(                                                      \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t operation, int n, int k,    \
      const U *alpha, const U *a, int lda, const U *b, int ldb, const U *beta, U *c, int ldc) {   \
    NEED_FACTOR(alpha &&beta);                                                                    \
    return call_syrk(handle, fill, operation, n, k, true, false, scalar(handle, native(alpha)),   \
                     native(a), lda, native(b), ldb, scalar(handle, native(beta)), native(c),     \
                     ldc);                                                                        \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##trsm_v2(                                                       \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,                        \
      cublasOperation_t operation, cublasDiagType_t diagonal, int m, int n, const U *alpha,       \
      const U *a, int lda, U *b, int ldb) {                                                       \
    return call_trsm(handle, side, fill, operation, diagonal, m, n, native(alpha), native(a),     \
                     lda, native(b), ldb);                                                        \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##trmm_v2(                                                       \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,                        \
      cublasOperation_t operation, cublasDiagType_t diagonal, int m, int n, const U *alpha,       \
      const U *a, int lda, const U *b, int ldb, U *c, int ldc) {                                  \
    return call_trmm(handle, side, fill, operation, diagonal, m, n, native(alpha), native(a),     \
                     lda, native(b), ldb, native(c), ldc);                                        \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##symm_v2(                                                       \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill, int m, int n,          \
      const U *alpha, const U *a, int lda, const U *b, int ldb, const U *beta, U *c, int ldc) {   \
    return call_symm(handle, side, fill, false, m, n, native(alpha), native(a), lda, native(b),   \
                     ldb, native(beta), native(c), ldc);                                          \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##geam(                                                          \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,        \
      const U *alpha, const U *a, int lda, const U *beta, const U *b, int ldb, U *c, int ldc) {   \
    return call_geam(handle, op_a, op_b, m, n, native(alpha), native(a), lda, native(beta),       \
                     native(b), ldb, native(c), ldc);                                             \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##dgmm(cublasHandle_t handle, cublasSideMode_t side, int m,      \
                                        int n, const U *a, int lda, const U *x, int incx, U *c,   \
                                        int ldc) {                                                \
    return call_dgmm(handle, side, m, n, native(a), lda, native(x), incx, native(c), ldc);        \
  }
CALLS(S, float)
CALLS(D, double)
CALLS(C, cuComplex)
CALLS(Z, cuDoubleComplex)

#define GER(name, U, is_conjugated)                                                               \
  EXPORT cublasStatus_t name(cublasHandle_t handle, int m, int n, const U *alpha, const U *x,     \
                             int incx, const U *y, int incy, U *a, int lda) {                     \
    NEED_FACTOR(alpha);                                                                           \
    return call_ger(handle, m, n, true, Outer{ALL, false, is_conjugated, false},                  \
                    scalar(handle, native(alpha)), native(x), incx, native(y), incy, native(a),   \
                    lda);                                                                         \
  }
GER(cublasSger_v2, float, false)
GER(cublasDger_v2, double, false)
GER(cublasCgeru_v2, cuComplex, false)
GER(cublasZgeru_v2, cuDoubleComplex, false)
GER(cublasCgerc_v2, cuComplex, true)
GER(cublasZgerc_v2, cuDoubleComplex, true)

#define HERMITIAN(S, U, R)                                                                        \
  EXPORT cublasStatus_t cublas##S##hemv_v2(                                                       \
      cublasHandle_t handle, cublasFillMode_t fill, int n, const U *alpha, const U *a, int lda,   \
      const U *x, int incx, const U *beta, U *y, int incy) {                                      \
    return call_symv(handle, fill, true, n, native(alpha), native(a), lda, native(x), incx,       \
                     native(beta), native(y), incy);                                              \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##her_v2(cublasHandle_t handle, cublasFillMode_t fill, int n,    \
                                          const R *alpha, const U *x, int incx, U *a, int lda) {  \
    NEED_FACTOR(alpha);                                                                           \
    return call_ger(handle, n, n, is_fill(fill), Outer{part_of(fill), false, true, true},         \
                    real_scalar<Native<U>>(handle, alpha), native(x), incx, native(x), incx,      \
                    native(a), lda);                                                              \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##her2_v2(cublasHandle_t handle, cublasFillMode_t fill, int n,   \
                                           const U *alpha, const U *x, int incx, const U *y,      \
                                           int incy, U *a, int lda) {                             \
    NEED_FACTOR(alpha);                                                                           \
    return call_ger(handle, n, n, is_fill(fill), Outer{part_of(fill), true, true, true},          \
                    scalar(handle, native(alpha)), native(x), incx, native(y), incy, native(a),   \
                    lda);                                                                         \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##herk_v2(                                                       \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t operation, int n, int k,    \
      const R *alpha, const U *a, int lda, const R *beta, U *c, int ldc) {                        \
    NEED_FACTOR(alpha &&beta && operation != CUBLAS_OP_T);                                        \
    return call_syrk(handle, fill, operation, n, k, false, true,                                  \
                     real_scalar<Native<U>>(handle, alpha), native(a), lda, native(a), lda,       \
                     real_scalar<Native<U>>(handle, beta), native(c), ldc);                       \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##her2k_v2(                                                      \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t operation, int n, int k,    \
      const U *alpha, const U *a, int lda, const U *b, int ldb, const R *beta, U *c, int ldc) {   \
    NEED_FACTOR(alpha &&beta && operation != CUBLAS_OP_T);                                        \
    return call_syrk(handle, fill, operation, n, k, true, true, scalar(handle, native(alpha)),    \
                     native(a), lda, native(b), ldb, real_scalar<Native<U>>(handle, beta),        \
                     native(c), ldc);                                                             \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##hemm_v2(                                                       \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill, int m, int n,          \
      const U *alpha, const U *a, int lda, const U *b, int ldb, const U *beta, U *c, int ldc) {   \
    return call_symm(handle, side, fill, true, m, n, native(alpha), native(a), lda, native(b),    \
                     ldb, native(beta), native(c), ldc);                                          \
  }
HERMITIAN(C, cuComplex, float)
HERMITIAN(Z, cuDoubleComplex, double)
