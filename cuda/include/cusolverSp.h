// SPDX-License-Identifier: MIT
// cuSOLVER for the simulated GPU: sparse systems (docs/libraries.md).
#ifndef HEDDLE_CUSOLVERSP_H
#define HEDDLE_CUSOLVERSP_H

#include <stdint.h>

#include "cusolver_common.h"
#include "cusparse.h"

typedef struct cusolverSpContext *cusolverSpHandle_t;
typedef struct csrqrInfo *csrqrInfo_t;

#ifdef __cplusplus
extern "C" {
#endif
cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t *handle);
cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle);
cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverSpGetStream(cusolverSpHandle_t handle, cudaStream_t *stream);

cusolverStatus_t cusolverSpXcsrissymHost(cusolverSpHandle_t handle, int m, int nnz,
                                         const cusparseMatDescr_t description, const int *starts,
                                         const int *ends, const int *columns, int *is_symmetric);
cusolverStatus_t cusolverSpXcsrsymrcmHost(cusolverSpHandle_t handle, int n, int nnz,
                                          const cusparseMatDescr_t description, const int *starts,
                                          const int *columns, int *p);
cusolverStatus_t cusolverSpXcsrsymmdqHost(cusolverSpHandle_t handle, int n, int nnz,
                                          const cusparseMatDescr_t description, const int *starts,
                                          const int *columns, int *p);
cusolverStatus_t cusolverSpXcsrsymamdHost(cusolverSpHandle_t handle, int n, int nnz,
                                          const cusparseMatDescr_t description, const int *starts,
                                          const int *columns, int *p);
cusolverStatus_t cusolverSpXcsrmetisndHost(cusolverSpHandle_t handle, int n, int nnz,
                                           const cusparseMatDescr_t description, const int *starts,
                                           const int *columns, const int64_t *options, int *p);
cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int m, int n, int nnz,
                                                   const cusparseMatDescr_t description,
                                                   const int *starts, const int *columns,
                                                   const int *p, const int *q, size_t *bytes);
cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int m, int n, int nnz,
                                        const cusparseMatDescr_t description, int *starts,
                                        int *columns, const int *p, const int *q, int *map,
                                        void *buffer);

cusolverStatus_t cusolverSpCreateCsrqrInfo(csrqrInfo_t *info);
cusolverStatus_t cusolverSpDestroyCsrqrInfo(csrqrInfo_t info);
cusolverStatus_t cusolverSpXcsrqrAnalysisBatched(cusolverSpHandle_t handle, int m, int n, int nnz,
                                                 const cusparseMatDescr_t description,
                                                 const int *starts, const int *columns,
                                                 csrqrInfo_t info);

#define HEDDLE_SOLVE(NAME, T)                                                              \
  cusolverStatus_t cusolverSp##NAME(cusolverSpHandle_t handle, int n, int nnz,             \
                                    const cusparseMatDescr_t description, const T *values, \
                                    const int *starts, const int *columns, const T *b,     \
                                    T tolerance, int reorder, T *x, int *singularity);
#define HEDDLE_SPARSE(S, T)                                                                   \
  HEDDLE_SOLVE(S##csrlsvluHost, T)                                                            \
  HEDDLE_SOLVE(S##csrlsvqr, T)                                                                \
  HEDDLE_SOLVE(S##csrlsvqrHost, T)                                                            \
  HEDDLE_SOLVE(S##csrlsvchol, T)                                                              \
  HEDDLE_SOLVE(S##csrlsvcholHost, T)                                                          \
  cusolverStatus_t cusolverSp##S##csrqrBufferInfoBatched(                                     \
      cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t description, \
      const T *values, const int *starts, const int *columns, int count, csrqrInfo_t info,    \
      size_t *internal, size_t *bytes);                                                       \
  cusolverStatus_t cusolverSp##S##csrqrsvBatched(                                             \
      cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t description, \
      const T *values, const int *starts, const int *columns, const T *b, T *x, int count,    \
      csrqrInfo_t info, void *buffer);
HEDDLE_SPARSE(S, float)
HEDDLE_SPARSE(D, double)
#undef HEDDLE_SPARSE
#undef HEDDLE_SOLVE
#ifdef __cplusplus
}
#endif

#endif
