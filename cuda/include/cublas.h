// SPDX-License-Identifier: MIT
// cuBLAS as it was before handles: a default one, characters for operations, results returned.
// Real numbers only.
#ifndef HEDDLE_CUBLAS_H
#define HEDDLE_CUBLAS_H
#ifdef CUBLAS_V2_H_
#error "cublas.h and cublas_v2.h cannot be used together"
#endif
#define CUBLAS_H_ 1  // what programs ask for to know that it was read

#include "cublas_api.h"
#include "heddle/cublas_names.h"

typedef cublasStatus_t cublasStatus;

#ifdef __cplusplus
extern "C" {
#endif

cublasStatus cublasInit(void);
cublasStatus cublasShutdown(void);
cublasStatus cublasGetError(void);  // of the calls since the last such question
cublasStatus cublasAlloc(int count, int size, void **pointer);
cublasStatus cublasFree(void *pointer);
cublasStatus cublasSetKernelStream(cudaStream_t stream);

#define HEDDLE_CUBLAS_LEGACY(S, s, T)                                                              \
  void cublas##S##axpy(int n, T alpha, const T *x, int incx, T *y, int incy);                      \
  void cublas##S##scal(int n, T alpha, T *x, int incx);                                            \
  void cublas##S##copy(int n, const T *x, int incx, T *y, int incy);                               \
  void cublas##S##swap(int n, T *x, int incx, T *y, int incy);                                     \
  T cublas##S##dot(int n, const T *x, int incx, const T *y, int incy);                             \
  T cublas##S##nrm2(int n, const T *x, int incx);                                                  \
  T cublas##S##asum(int n, const T *x, int incx);                                                  \
  int cublasI##s##amax(int n, const T *x, int incx);                                               \
  int cublasI##s##amin(int n, const T *x, int incx);                                               \
  void cublas##S##gemv(char operation, int m, int n, T alpha, const T *a, int lda, const T *x,     \
                       int incx, T beta, T *y, int incy);                                          \
  void cublas##S##ger(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a,     \
                      int lda);                                                                    \
  void cublas##S##gemm(char operation_a, char operation_b, int m, int n, int k, T alpha,           \
                       const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc);           \
  void cublas##S##syrk(char part, char operation, int n, int k, T alpha, const T *a, int lda,      \
                       T beta, T *c, int ldc);                                                     \
  void cublas##S##trsm(char side, char part, char operation, char diagonal, int m, int n, T alpha, \
                       const T *a, int lda, T *b, int ldb);
HEDDLE_CUBLAS_LEGACY(S, s, float)
HEDDLE_CUBLAS_LEGACY(D, d, double)
#undef HEDDLE_CUBLAS_LEGACY

#ifdef __cplusplus
}
#endif
#endif
