// SPDX-License-Identifier: MIT
// The calls of cublas.h: those with a handle, with one of the library's own.
#include <cublas.h>

#define EXPORT extern "C" __attribute__((visibility("default")))

static cublasHandle_t own;
static cublasStatus_t last;

// The handle; made when it is first needed.
static cublasHandle_t handle() {
  if (!own) {
    cublasStatus_t status = cublasCreate_v2(&own);
    if (status != CUBLAS_STATUS_SUCCESS) last = status;
  }
  return own;
}

static void note(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) last = status;
}

static cublasStatus_t of_runtime(cudaError_t error, cublasStatus_t otherwise) {
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : otherwise;
}

EXPORT cublasStatus cublasInit(void) {
  return handle() ? CUBLAS_STATUS_SUCCESS : last;
}

EXPORT cublasStatus cublasShutdown(void) {
  cublasStatus_t status = own ? cublasDestroy_v2(own) : CUBLAS_STATUS_NOT_INITIALIZED;
  own = nullptr;
  return status;
}

EXPORT cublasStatus cublasGetError(void) {
  cublasStatus_t status = last;
  last = CUBLAS_STATUS_SUCCESS;
  return status;
}

EXPORT cublasStatus cublasAlloc(int count, int size, void **pointer) {
  if (count <= 0 || size <= 0 || !pointer) return CUBLAS_STATUS_INVALID_VALUE;
  return of_runtime(cudaMalloc(pointer, (size_t)count * size), CUBLAS_STATUS_ALLOC_FAILED);
}

EXPORT cublasStatus cublasFree(void *pointer) {
  return of_runtime(cudaFree(pointer), CUBLAS_STATUS_INTERNAL_ERROR);
}

EXPORT cublasStatus cublasSetKernelStream(cudaStream_t stream) {
  return cublasSetStream_v2(handle(), stream);
}

// ---- characters

static bool is(char given, char capital) {
  return given == capital || given == capital + ('a' - 'A');
}

static cublasOperation_t operation_of(char c) {
  return is(c, 'N') ? CUBLAS_OP_N : is(c, 'C') ? CUBLAS_OP_C : CUBLAS_OP_T;
}

static cublasFillMode_t part_of(char c) {
  return is(c, 'U') ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
}

static cublasSideMode_t side_of(char c) {
  return is(c, 'R') ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT;
}

static cublasDiagType_t diagonal_of(char c) {
  return is(c, 'U') ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
}

// ---- vectors and matrices

#define CALLS(S, s, T)                                                                             \
  EXPORT void cublas##S##axpy(int n, T alpha, const T *x, int incx, T *y, int incy) {              \
    note(cublas##S##axpy_v2(handle(), n, &alpha, x, incx, y, incy));                               \
  }                                                                                                \
  EXPORT void cublas##S##scal(int n, T alpha, T *x, int incx) {                                    \
    note(cublas##S##scal_v2(handle(), n, &alpha, x, incx));                                        \
  }                                                                                                \
  EXPORT void cublas##S##copy(int n, const T *x, int incx, T *y, int incy) {                       \
    note(cublas##S##copy_v2(handle(), n, x, incx, y, incy));                                       \
  }                                                                                                \
  EXPORT void cublas##S##swap(int n, T *x, int incx, T *y, int incy) {                             \
    note(cublas##S##swap_v2(handle(), n, x, incx, y, incy));                                       \
  }                                                                                                \
  EXPORT T cublas##S##dot(int n, const T *x, int incx, const T *y, int incy) {                     \
    T result = 0;                                                                                  \
    note(cublas##S##dot_v2(handle(), n, x, incx, y, incy, &result));                               \
    return result;                                                                                 \
  }                                                                                                \
  EXPORT T cublas##S##nrm2(int n, const T *x, int incx) {                                          \
    T result = 0;                                                                                  \
    note(cublas##S##nrm2_v2(handle(), n, x, incx, &result));                                       \
    return result;                                                                                 \
  }                                                                                                \
  EXPORT T cublas##S##asum(int n, const T *x, int incx) {                                          \
    T result = 0;                                                                                  \
    note(cublas##S##asum_v2(handle(), n, x, incx, &result));                                       \
    return result;                                                                                 \
  }                                                                                                \
  EXPORT int cublasI##s##amax(int n, const T *x, int incx) {                                       \
    int result = 0;                                                                                \
    note(cublasI##s##amax_v2(handle(), n, x, incx, &result));                                      \
    return result;                                                                                 \
  }                                                                                                \
  EXPORT int cublasI##s##amin(int n, const T *x, int incx) {                                       \
    int result = 0;                                                                                \
    note(cublasI##s##amin_v2(handle(), n, x, incx, &result));                                      \
    return result;                                                                                 \
  }                                                                                                \
  EXPORT void cublas##S##gemv(char operation, int m, int n, T alpha, const T *a, int lda,          \
                              const T *x, int incx, T beta, T *y, int incy) {                      \
    note(cublas##S##gemv_v2(handle(), operation_of(operation), m, n, &alpha, a, lda, x, incx,      \
                            &beta, y, incy));                                                      \
  }                                                                                                \
  EXPORT void cublas##S##ger(int m, int n, T alpha, const T *x, int incx, const T *y, int incy,    \
                             T *a, int lda) {                                                      \
    note(cublas##S##ger_v2(handle(), m, n, &alpha, x, incx, y, incy, a, lda));                     \
  }                                                                                                \
  EXPORT void cublas##S##gemm(char operation_a, char operation_b, int m, int n, int k, T alpha,    \
                              const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc) {   \
    note(cublas##S##gemm_v2(handle(), operation_of(operation_a), operation_of(operation_b), m, n,  \
                            k, &alpha, a, lda, b, ldb, &beta, c, ldc));                            \
  }                                                                                                \
  EXPORT void cublas##S##syrk(char part, char operation, int n, int k, T alpha, const T *a,        \
                              int lda, T beta, T *c, int ldc) {                                    \
    note(cublas##S##syrk_v2(handle(), part_of(part), operation_of(operation), n, k, &alpha, a,     \
                            lda, &beta, c, ldc));                                                  \
  }                                                                                                \
  EXPORT void cublas##S##trsm(char side, char part, char operation, char diagonal, int m, int n,   \
                              T alpha, const T *a, int lda, T *b, int ldb) {                       \
    note(cublas##S##trsm_v2(handle(), side_of(side), part_of(part), operation_of(operation),       \
                            diagonal_of(diagonal), m, n, &alpha, a, lda, b, ldb));                 \
  }
CALLS(S, s, float)
CALLS(D, d, double)
