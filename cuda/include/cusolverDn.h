// SPDX-License-Identifier: MIT
// cuSOLVER for the simulated GPU: dense systems (docs/libraries.md).
#ifndef HEDDLE_CUSOLVERDN_H
#define HEDDLE_CUSOLVERDN_H

#include "cublas_v2.h"
#include "cusolver_common.h"

typedef struct cusolverDnContext *cusolverDnHandle_t;

#ifdef __cplusplus
extern "C" {
#endif
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *stream);

#define HEDDLE_DENSE(S, T)                                                                       \
  cusolverStatus_t cusolverDn##S##potrf_bufferSize(                                              \
      cusolverDnHandle_t handle, cublasFillMode_t half, int n, T *a, int lda, int *elements);    \
  cusolverStatus_t cusolverDn##S##potrf(cusolverDnHandle_t handle, cublasFillMode_t half, int n, \
                                        T *a, int lda, T *work, int elements, int *info);        \
  cusolverStatus_t cusolverDn##S##potrs(cusolverDnHandle_t handle, cublasFillMode_t half, int n, \
                                        int columns, const T *a, int lda, T *b, int ldb,         \
                                        int *info);                                              \
  cusolverStatus_t cusolverDn##S##getrf_bufferSize(cusolverDnHandle_t handle, int rows,          \
                                                   int columns, T *a, int lda, int *elements);   \
  cusolverStatus_t cusolverDn##S##getrf(cusolverDnHandle_t handle, int rows, int columns, T *a,  \
                                        int lda, T *work, int *pivots, int *info);               \
  cusolverStatus_t cusolverDn##S##getrs(cusolverDnHandle_t handle, cublasOperation_t operation,  \
                                        int n, int columns, const T *a, int lda,                 \
                                        const int *pivots, T *b, int ldb, int *info);            \
  cusolverStatus_t cusolverDn##S##geqrf_bufferSize(cusolverDnHandle_t handle, int rows,          \
                                                   int columns, T *a, int lda, int *elements);   \
  cusolverStatus_t cusolverDn##S##geqrf(cusolverDnHandle_t handle, int rows, int columns, T *a,  \
                                        int lda, T *taus, T *work, int elements, int *info);     \
  cusolverStatus_t cusolverDn##S##ormqr_bufferSize(                                              \
      cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t operation, int rows,   \
      int columns, int count, const T *a, int lda, const T *taus, const T *c, int ldc,           \
      int *elements);                                                                            \
  cusolverStatus_t cusolverDn##S##ormqr(cusolverDnHandle_t handle, cublasSideMode_t side,        \
                                        cublasOperation_t operation, int rows, int columns,      \
                                        int count, const T *a, int lda, const T *taus, T *c,     \
                                        int ldc, T *work, int elements, int *info);              \
  cusolverStatus_t cusolverDn##S##orgqr_bufferSize(cusolverDnHandle_t handle, int rows,          \
                                                   int columns, int count, const T *a, int lda,  \
                                                   const T *taus, int *elements);                \
  cusolverStatus_t cusolverDn##S##orgqr(cusolverDnHandle_t handle, int rows, int columns,        \
                                        int count, T *a, int lda, const T *taus, T *work,        \
                                        int elements, int *info);
HEDDLE_DENSE(S, float)
HEDDLE_DENSE(D, double)
#undef HEDDLE_DENSE
#ifdef __cplusplus
}
#endif

#endif
