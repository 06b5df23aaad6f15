// SPDX-License-Identifier: MIT
// cuBLASXt as of CUDA's header: products of matrices in memory of the host, on the one device.
#ifndef CUBLASXT_H
#define CUBLASXT_H

#include "cublas_v2.h"

struct cublasXtContext;
typedef struct cublasXtContext *cublasXtHandle_t;

typedef enum {
  CUBLASXT_PINNING_DISABLED = 0,
  CUBLASXT_PINNING_ENABLED = 1,
} cublasXtPinnedMemMode_t;

#ifdef __cplusplus
extern "C" {
#endif
cublasStatus_t cublasXtCreate(cublasXtHandle_t *handle);
cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle);
cublasStatus_t cublasXtGetNumBoards(int count, int devices[], int *boards);
cublasStatus_t cublasXtMaxBoards(int *boards);
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count, int devices[]);
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int size);
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int *size);
cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t mode);
cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t *mode);

#define HEDDLE_XT_GEMM(S, T)                                                                       \
  cublasStatus_t cublasXt##S##gemm(cublasXtHandle_t handle, cublasOperation_t op_a,                \
                                   cublasOperation_t op_b, size_t m, size_t n, size_t k,           \
                                   const T *alpha, const T *a, size_t lda, const T *b, size_t ldb, \
                                   const T *beta, T *c, size_t ldc);
HEDDLE_XT_GEMM(S, float)
HEDDLE_XT_GEMM(D, double)
HEDDLE_XT_GEMM(C, cuComplex)
HEDDLE_XT_GEMM(Z, cuDoubleComplex)
#undef HEDDLE_XT_GEMM
#ifdef __cplusplus
}
#endif

#endif
