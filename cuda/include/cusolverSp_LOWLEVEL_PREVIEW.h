// SPDX-License-Identifier: MIT
// cuSOLVER for the simulated GPU: sparse factors in steps (docs/libraries.md).
#ifndef HEDDLE_CUSOLVERSP_LOWLEVEL_H
#define HEDDLE_CUSOLVERSP_LOWLEVEL_H

#include "cusolverSp.h"

typedef struct csrluInfoHost *csrluInfoHost_t;
typedef struct csrqrInfoHost *csrqrInfoHost_t;
typedef struct csrcholInfoHost *csrcholInfoHost_t;
typedef struct csrcholInfo *csrcholInfo_t;

#ifdef __cplusplus
extern "C" {
#endif
cusolverStatus_t cusolverSpCreateCsrluInfoHost(csrluInfoHost_t *info);
cusolverStatus_t cusolverSpDestroyCsrluInfoHost(csrluInfoHost_t info);
cusolverStatus_t cusolverSpCreateCsrqrInfoHost(csrqrInfoHost_t *info);
cusolverStatus_t cusolverSpDestroyCsrqrInfoHost(csrqrInfoHost_t info);
cusolverStatus_t cusolverSpCreateCsrcholInfoHost(csrcholInfoHost_t *info);
cusolverStatus_t cusolverSpDestroyCsrcholInfoHost(csrcholInfoHost_t info);
cusolverStatus_t cusolverSpCreateCsrcholInfo(csrcholInfo_t *info);
cusolverStatus_t cusolverSpDestroyCsrcholInfo(csrcholInfo_t info);

cusolverStatus_t cusolverSpXcsrluAnalysisHost(cusolverSpHandle_t handle, int n, int nnz,
                                              const cusparseMatDescr_t description,
                                              const int *starts, const int *columns,
                                              csrluInfoHost_t info);
cusolverStatus_t cusolverSpXcsrluNnzHost(cusolverSpHandle_t handle, int *lower, int *upper,
                                         csrluInfoHost_t info);
cusolverStatus_t cusolverSpXcsrqrAnalysisHost(cusolverSpHandle_t handle, int m, int n, int nnz,
                                              const cusparseMatDescr_t description,
                                              const int *starts, const int *columns,
                                              csrqrInfoHost_t info);
cusolverStatus_t cusolverSpXcsrqrAnalysis(cusolverSpHandle_t handle, int m, int n, int nnz,
                                          const cusparseMatDescr_t description, const int *starts,
                                          const int *columns, csrqrInfo_t info);
cusolverStatus_t cusolverSpXcsrcholAnalysisHost(cusolverSpHandle_t handle, int n, int nnz,
                                                const cusparseMatDescr_t description,
                                                const int *starts, const int *columns,
                                                csrcholInfoHost_t info);
cusolverStatus_t cusolverSpXcsrcholAnalysis(cusolverSpHandle_t handle, int n, int nnz,
                                            const cusparseMatDescr_t description, const int *starts,
                                            const int *columns, csrcholInfo_t info);

#define HEDDLE_QR(S, T, SIDE)                                                                      \
  cusolverStatus_t cusolverSp##S##csrqrBufferInfo##SIDE(                                           \
      cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t description,      \
      const T *values, const int *starts, const int *columns, csrqrInfo##SIDE##_t info,            \
      size_t *internal, size_t *bytes);                                                            \
  cusolverStatus_t cusolverSp##S##csrqrSetup##SIDE(                                                \
      cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t description,      \
      const T *values, const int *starts, const int *columns, T shift, csrqrInfo##SIDE##_t info);  \
  cusolverStatus_t cusolverSp##S##csrqrFactor##SIDE(cusolverSpHandle_t handle, int m, int n,       \
                                                    int nnz, T *b, T *x, csrqrInfo##SIDE##_t info, \
                                                    void *buffer);                                 \
  cusolverStatus_t cusolverSp##S##csrqrZeroPivot##SIDE(                                            \
      cusolverSpHandle_t handle, csrqrInfo##SIDE##_t info, T tolerance, int *position);            \
  cusolverStatus_t cusolverSp##S##csrqrSolve##SIDE(cusolverSpHandle_t handle, int m, int n, T *b,  \
                                                   T *x, csrqrInfo##SIDE##_t info, void *buffer);
#define HEDDLE_CHOLESKY(S, T, SIDE)                                                                \
  cusolverStatus_t cusolverSp##S##csrcholBufferInfo##SIDE(                                         \
      cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t description,             \
      const T *values, const int *starts, const int *columns, csrcholInfo##SIDE##_t info,          \
      size_t *internal, size_t *bytes);                                                            \
  cusolverStatus_t cusolverSp##S##csrcholFactor##SIDE(                                             \
      cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t description,             \
      const T *values, const int *starts, const int *columns, csrcholInfo##SIDE##_t info,          \
      void *buffer);                                                                               \
  cusolverStatus_t cusolverSp##S##csrcholZeroPivot##SIDE(                                          \
      cusolverSpHandle_t handle, csrcholInfo##SIDE##_t info, T tolerance, int *position);          \
  cusolverStatus_t cusolverSp##S##csrcholSolve##SIDE(cusolverSpHandle_t handle, int n, const T *b, \
                                                     T *x, csrcholInfo##SIDE##_t info,             \
                                                     void *buffer);
#define HEDDLE_LU(S, T)                                                                            \
  cusolverStatus_t cusolverSp##S##csrluBufferInfoHost(                                             \
      cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t description,             \
      const T *values, const int *starts, const int *columns, csrluInfoHost_t info,                \
      size_t *internal, size_t *bytes);                                                            \
  cusolverStatus_t cusolverSp##S##csrluFactorHost(                                                 \
      cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t description,             \
      const T *values, const int *starts, const int *columns, csrluInfoHost_t info, T threshold,   \
      void *buffer);                                                                               \
  cusolverStatus_t cusolverSp##S##csrluZeroPivotHost(                                              \
      cusolverSpHandle_t handle, csrluInfoHost_t info, T tolerance, int *position);                \
  cusolverStatus_t cusolverSp##S##csrluSolveHost(cusolverSpHandle_t handle, int n, const T *b,     \
                                                 T *x, csrluInfoHost_t info, void *buffer);        \
  cusolverStatus_t cusolverSp##S##csrluExtractHost(                                                \
      cusolverSpHandle_t handle, int *p, int *q, const cusparseMatDescr_t lower_description,       \
      T *lower, int *lower_starts, int *lower_columns, const cusparseMatDescr_t upper_description, \
      T *upper, int *upper_starts, int *upper_columns, csrluInfoHost_t info, void *buffer);
#define HEDDLE_SPARSE(S, T)   \
  HEDDLE_QR(S, T, Host)       \
  HEDDLE_QR(S, T, )           \
  HEDDLE_CHOLESKY(S, T, Host) \
  HEDDLE_CHOLESKY(S, T, )     \
  HEDDLE_LU(S, T)
HEDDLE_SPARSE(S, float)
HEDDLE_SPARSE(D, double)
#undef HEDDLE_SPARSE
#undef HEDDLE_QR
#undef HEDDLE_CHOLESKY
#undef HEDDLE_LU
cusolverStatus_t cusolverSpScsrcholDiag(cusolverSpHandle_t handle, csrcholInfo_t info,
                                        float *diagonal);
cusolverStatus_t cusolverSpDcsrcholDiag(cusolverSpHandle_t handle, csrcholInfo_t info,
                                        double *diagonal);
#ifdef __cplusplus
}
#endif

#endif
