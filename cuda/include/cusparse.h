// SPDX-License-Identifier: MIT
// cuSPARSE for the simulated GPU: the generic interface and common older calls
// (docs/libraries.md).
#ifndef HEDDLE_CUSPARSE_H
#define HEDDLE_CUSPARSE_H
#define CUSPARSE_H_ 1  // what programs ask for to know that it was read

#include <stdint.h>

#include "cuComplex.h"
#include "cuda_runtime_api.h"
#include "library_types.h"

#define CUSPARSEAPI
#define CUSPARSE_VER_MAJOR 11
#define CUSPARSE_VER_MINOR 7
#define CUSPARSE_VER_PATCH 0
#define CUSPARSE_VER_BUILD 0
#define CUSPARSE_VERSION 11700

typedef enum {
  CUSPARSE_STATUS_SUCCESS = 0,
  CUSPARSE_STATUS_NOT_INITIALIZED = 1,
  CUSPARSE_STATUS_ALLOC_FAILED = 2,
  CUSPARSE_STATUS_INVALID_VALUE = 3,
  CUSPARSE_STATUS_ARCH_MISMATCH = 4,
  CUSPARSE_STATUS_MAPPING_ERROR = 5,
  CUSPARSE_STATUS_EXECUTION_FAILED = 6,
  CUSPARSE_STATUS_INTERNAL_ERROR = 7,
  CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
  CUSPARSE_STATUS_ZERO_PIVOT = 9,
  CUSPARSE_STATUS_NOT_SUPPORTED = 10,
  CUSPARSE_STATUS_INSUFFICIENT_RESOURCES = 11
} cusparseStatus_t;
typedef enum {
  CUSPARSE_POINTER_MODE_HOST = 0,
  CUSPARSE_POINTER_MODE_DEVICE = 1
} cusparsePointerMode_t;
typedef enum { CUSPARSE_ACTION_SYMBOLIC = 0, CUSPARSE_ACTION_NUMERIC = 1 } cusparseAction_t;
typedef enum {
  CUSPARSE_MATRIX_TYPE_GENERAL = 0,
  CUSPARSE_MATRIX_TYPE_SYMMETRIC = 1,
  CUSPARSE_MATRIX_TYPE_HERMITIAN = 2,
  CUSPARSE_MATRIX_TYPE_TRIANGULAR = 3
} cusparseMatrixType_t;
typedef enum { CUSPARSE_FILL_MODE_LOWER = 0, CUSPARSE_FILL_MODE_UPPER = 1 } cusparseFillMode_t;
typedef enum { CUSPARSE_DIAG_TYPE_NON_UNIT = 0, CUSPARSE_DIAG_TYPE_UNIT = 1 } cusparseDiagType_t;
typedef enum { CUSPARSE_INDEX_BASE_ZERO = 0, CUSPARSE_INDEX_BASE_ONE = 1 } cusparseIndexBase_t;
typedef enum {
  CUSPARSE_OPERATION_NON_TRANSPOSE = 0,
  CUSPARSE_OPERATION_TRANSPOSE = 1,
  CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE = 2
} cusparseOperation_t;
typedef enum { CUSPARSE_DIRECTION_ROW = 0, CUSPARSE_DIRECTION_COLUMN = 1 } cusparseDirection_t;
typedef enum {
  CUSPARSE_SOLVE_POLICY_NO_LEVEL = 0,
  CUSPARSE_SOLVE_POLICY_USE_LEVEL = 1
} cusparseSolvePolicy_t;
typedef enum { CUSPARSE_CSR2CSC_ALG_DEFAULT = 1, CUSPARSE_CSR2CSC_ALG1 = 1, CUSPARSE_CSR2CSC_ALG2 = 2 } cusparseCsr2CscAlg_t;
typedef enum {
  CUSPARSE_FORMAT_CSR = 1,
  CUSPARSE_FORMAT_CSC = 2,
  CUSPARSE_FORMAT_COO = 3,
  CUSPARSE_FORMAT_BLOCKED_ELL = 5,
  CUSPARSE_FORMAT_BSR = 6,
  CUSPARSE_FORMAT_SLICED_ELLPACK = 7
} cusparseFormat_t;
typedef enum { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW = 2 } cusparseOrder_t;
typedef enum {
  CUSPARSE_INDEX_16U = 1,
  CUSPARSE_INDEX_32I = 2,
  CUSPARSE_INDEX_64I = 3
} cusparseIndexType_t;
typedef enum { CUSPARSE_SPMAT_FILL_MODE, CUSPARSE_SPMAT_DIAG_TYPE } cusparseSpMatAttribute_t;
// There is one algorithm for each operation.
typedef enum { CUSPARSE_SPARSETODENSE_ALG_DEFAULT = 0 } cusparseSparseToDenseAlg_t;
typedef enum { CUSPARSE_DENSETOSPARSE_ALG_DEFAULT = 0 } cusparseDenseToSparseAlg_t;
typedef enum {
  CUSPARSE_MV_ALG_DEFAULT = 0,
  CUSPARSE_COOMV_ALG = 1,
  CUSPARSE_CSRMV_ALG1 = 2,
  CUSPARSE_CSRMV_ALG2 = 3,
  CUSPARSE_SPMV_ALG_DEFAULT = 0,
  CUSPARSE_SPMV_COO_ALG1 = 1,
  CUSPARSE_SPMV_CSR_ALG1 = 2,
  CUSPARSE_SPMV_CSR_ALG2 = 3,
  CUSPARSE_SPMV_COO_ALG2 = 4
} cusparseSpMVAlg_t;
typedef enum { CUSPARSE_SPSV_ALG_DEFAULT = 0 } cusparseSpSVAlg_t;
typedef enum { CUSPARSE_SPSM_ALG_DEFAULT = 0 } cusparseSpSMAlg_t;
typedef enum {
  CUSPARSE_SPMM_ALG_DEFAULT = 0,
  CUSPARSE_SPMM_COO_ALG1 = 1,
  CUSPARSE_SPMM_COO_ALG2 = 2,
  CUSPARSE_SPMM_COO_ALG3 = 3,
  CUSPARSE_SPMM_CSR_ALG1 = 4,
  CUSPARSE_SPMM_COO_ALG4 = 5,
  CUSPARSE_SPMM_CSR_ALG2 = 6,
  CUSPARSE_SPMM_CSR_ALG3 = 12
} cusparseSpMMAlg_t;
typedef enum {
  CUSPARSE_SPGEMM_DEFAULT = 0,
  CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC = 1,
  CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINITIC = 2,
  CUSPARSE_SPGEMM_ALG1 = 3,
  CUSPARSE_SPGEMM_ALG2 = 4,
  CUSPARSE_SPGEMM_ALG3 = 5
} cusparseSpGEMMAlg_t;
typedef enum { CUSPARSE_SDDMM_ALG_DEFAULT = 0 } cusparseSDDMMAlg_t;

typedef struct cusparseContext *cusparseHandle_t;
typedef struct cusparseMatDescr *cusparseMatDescr_t;
typedef struct cusparseSpVecDescr *cusparseSpVecDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t;
typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;
typedef const struct cusparseSpVecDescr *cusparseConstSpVecDescr_t;
typedef const struct cusparseDnVecDescr *cusparseConstDnVecDescr_t;
typedef const struct cusparseSpMatDescr *cusparseConstSpMatDescr_t;
typedef const struct cusparseDnMatDescr *cusparseConstDnMatDescr_t;
typedef struct cusparseSolveDescr *cusparseSpSVDescr_t, *cusparseSpSMDescr_t;
typedef struct cusparseSpGEMMDescr *cusparseSpGEMMDescr_t;
typedef struct cusparseFactorInfo *csrilu02Info_t, *csric02Info_t;

#ifdef __cplusplus
extern "C" {
#endif
cusparseStatus_t cusparseCreate(cusparseHandle_t *handle);
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle);
cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version);
cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value);
const char *cusparseGetErrorName(cusparseStatus_t status);
const char *cusparseGetErrorString(cusparseStatus_t status);
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream);
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *stream);
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode);
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode);

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descr);
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t descr, cusparseMatrixType_t type);
cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t descr, cusparseFillMode_t fill);
cusparseFillMode_t cusparseGetMatFillMode(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t descr, cusparseDiagType_t type);
cusparseDiagType_t cusparseGetMatDiagType(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t descr, cusparseIndexBase_t base);
cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t descr);

// ---- descriptions of vectors and matrices

cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *descr, int64_t size, int64_t nnz,
                                     void *indices, void *values, cusparseIndexType_t index_type,
                                     cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t descr);
cusparseStatus_t cusparseSpVecGetValues(cusparseSpVecDescr_t descr, void **values);
cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t descr, void *values);
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *descr, int64_t size, void *values,
                                     cudaDataType type);
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t descr);
cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t descr, int64_t *size, void **values,
                                  cudaDataType *type);
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t descr, void **values);
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t descr, void *values);
cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *descr, int64_t rows, int64_t cols,
                                   int64_t nnz, void *row_offsets, void *columns, void *values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *descr, int64_t rows, int64_t cols,
                                   int64_t nnz, void *column_offsets, void *rows_of, void *values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *descr, int64_t rows, int64_t cols,
                                   int64_t nnz, void *rows_of, void *columns, void *values,
                                   cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                   cudaDataType type);
cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t *descr, int64_t rows,
                                        int64_t cols, int64_t nnz, const void *row_offsets,
                                        const void *columns, const void *values,
                                        cusparseIndexType_t offset_type,
                                        cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                        cudaDataType type);
cusparseStatus_t cusparseCreateConstCsc(cusparseConstSpMatDescr_t *descr, int64_t rows,
                                        int64_t cols, int64_t nnz, const void *column_offsets,
                                        const void *rows_of, const void *values,
                                        cusparseIndexType_t offset_type,
                                        cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                        cudaDataType type);
cusparseStatus_t cusparseCreateConstCoo(cusparseConstSpMatDescr_t *descr, int64_t rows,
                                        int64_t cols, int64_t nnz, const void *rows_of,
                                        const void *columns, const void *values,
                                        cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                        cudaDataType type);
cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *descr, int64_t size,
                                          const void *values, cudaDataType type);
cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *descr, int64_t rows,
                                          int64_t cols, int64_t ld, const void *values,
                                          cudaDataType type, cusparseOrder_t order);
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t descr);
cusparseStatus_t cusparseCsrGet(cusparseSpMatDescr_t descr, int64_t *rows, int64_t *cols,
                                int64_t *nnz, void **row_offsets, void **columns, void **values,
                                cusparseIndexType_t *offset_type, cusparseIndexType_t *index_type,
                                cusparseIndexBase_t *base, cudaDataType *type);
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t descr, void *row_offsets,
                                        void *columns, void *values);
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t descr, void *column_offsets,
                                        void *rows_of, void *values);
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t descr, void *rows_of, void *columns,
                                        void *values);
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t descr, int64_t *rows,
                                      int64_t *cols, int64_t *nnz);
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t descr, cusparseFormat_t *format);
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t descr,
                                           cusparseIndexBase_t *base);
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t descr, void **values);
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t descr, void *values);
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t descr,
                                           cusparseSpMatAttribute_t attribute, void *value,
                                           size_t bytes);
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t descr,
                                           cusparseSpMatAttribute_t attribute, void *value,
                                           size_t bytes);
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t descr, int count,
                                            int64_t offsets_stride, int64_t values_stride);
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t descr, int count, int64_t stride);
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *descr, int64_t rows, int64_t cols,
                                     int64_t ld, void *values, cudaDataType type,
                                     cusparseOrder_t order);
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t descr);
cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t descr, int64_t *rows, int64_t *cols,
                                  int64_t *ld, void **values, cudaDataType *type,
                                  cusparseOrder_t *order);
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t descr, void **values);
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t descr, void *values);
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t descr, int count,
                                              int64_t stride);

// ---- vectors

cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha,
                               cusparseConstSpVecDescr_t x, const void *beta,
                               cusparseDnVecDescr_t y);
cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y,
                                cusparseSpVecDescr_t x);
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x,
                                 cusparseDnVecDescr_t y);
cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void *c, const void *s,
                             cusparseSpVecDescr_t x, cusparseDnVecDescr_t y);
cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t operation,
                                         cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                                         const void *result, cudaDataType compute, size_t *bytes);
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t operation,
                              cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                              void *result, cudaDataType compute, void *buffer);

// ---- products

#define HEDDLE_SPMV                                                                            \
  cusparseHandle_t handle, cusparseOperation_t operation, const void *alpha,                   \
      cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta,              \
      cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t algorithm
cusparseStatus_t cusparseSpMV_bufferSize(HEDDLE_SPMV, size_t *bytes);
cusparseStatus_t cusparseSpMV_preprocess(HEDDLE_SPMV, void *buffer);
cusparseStatus_t cusparseSpMV(HEDDLE_SPMV, void *buffer);
#define HEDDLE_SPMM                                                                            \
  cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,                 \
      const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,             \
      const void *beta, cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpMMAlg_t algorithm
cusparseStatus_t cusparseSpMM_bufferSize(HEDDLE_SPMM, size_t *bytes);
cusparseStatus_t cusparseSpMM_preprocess(HEDDLE_SPMM, void *buffer);
cusparseStatus_t cusparseSpMM(HEDDLE_SPMM, void *buffer);
#define HEDDLE_SDDMM                                                                           \
  cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,                 \
      const void *alpha, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,             \
      const void *beta, cusparseSpMatDescr_t c, cudaDataType compute, cusparseSDDMMAlg_t algorithm
cusparseStatus_t cusparseSDDMM_bufferSize(HEDDLE_SDDMM, size_t *bytes);
cusparseStatus_t cusparseSDDMM_preprocess(HEDDLE_SDDMM, void *buffer);
cusparseStatus_t cusparseSDDMM(HEDDLE_SDDMM, void *buffer);

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *descr);
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr);
#define HEDDLE_SPGEMM                                                                          \
  cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,                 \
      const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,             \
      const void *beta, cusparseSpMatDescr_t c, cudaDataType compute,                          \
      cusparseSpGEMMAlg_t algorithm, cusparseSpGEMMDescr_t descr
cusparseStatus_t cusparseSpGEMM_workEstimation(HEDDLE_SPGEMM, size_t *bytes, void *buffer);
cusparseStatus_t cusparseSpGEMM_compute(HEDDLE_SPGEMM, size_t *bytes, void *buffer);
cusparseStatus_t cusparseSpGEMM_copy(HEDDLE_SPGEMM);

// ---- triangular systems

cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *descr);
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descr);
#define HEDDLE_SPSV                                                                            \
  cusparseHandle_t handle, cusparseOperation_t operation, const void *alpha,                   \
      cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,        \
      cudaDataType compute, cusparseSpSVAlg_t algorithm, cusparseSpSVDescr_t descr
cusparseStatus_t cusparseSpSV_bufferSize(HEDDLE_SPSV, size_t *bytes);
cusparseStatus_t cusparseSpSV_analysis(HEDDLE_SPSV, void *buffer);
cusparseStatus_t cusparseSpSV_solve(HEDDLE_SPSV);
cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t *descr);
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descr);
#define HEDDLE_SPSM                                                                            \
  cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,                 \
      const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,             \
      cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpSMAlg_t algorithm,               \
      cusparseSpSMDescr_t descr
cusparseStatus_t cusparseSpSM_bufferSize(HEDDLE_SPSM, size_t *bytes);
cusparseStatus_t cusparseSpSM_analysis(HEDDLE_SPSM, void *buffer);
cusparseStatus_t cusparseSpSM_solve(HEDDLE_SPSM);

// ---- incomplete factors

cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t *info);
cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info);
cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info,
                                             int *position);
cusparseStatus_t cusparseCreateCsric02Info(csric02Info_t *info);
cusparseStatus_t cusparseDestroyCsric02Info(csric02Info_t info);
cusparseStatus_t cusparseXcsric02_zeroPivot(cusparseHandle_t handle, csric02Info_t info,
                                            int *position);
#define HEDDLE_FACTOR(T)                                                                       \
  cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descr, T *values,          \
      const int *offsets, const int *columns
#define HEDDLE_FACTORS(S, T)                                                                       \
  cusparseStatus_t cusparse##S##csrilu02_bufferSize(HEDDLE_FACTOR(T), csrilu02Info_t info,         \
                                                    int *bytes);                                   \
  cusparseStatus_t cusparse##S##csrilu02_analysis(HEDDLE_FACTOR(const T), csrilu02Info_t info,     \
                                                  cusparseSolvePolicy_t policy, void *buffer);     \
  cusparseStatus_t cusparse##S##csrilu02(HEDDLE_FACTOR(T), csrilu02Info_t info,                    \
                                         cusparseSolvePolicy_t policy, void *buffer);              \
  cusparseStatus_t cusparse##S##csric02_bufferSize(HEDDLE_FACTOR(T), csric02Info_t info,           \
                                                   int *bytes);                                    \
  cusparseStatus_t cusparse##S##csric02_analysis(HEDDLE_FACTOR(const T), csric02Info_t info,       \
                                                 cusparseSolvePolicy_t policy, void *buffer);      \
  cusparseStatus_t cusparse##S##csric02(HEDDLE_FACTOR(T), csric02Info_t info,                      \
                                        cusparseSolvePolicy_t policy, void *buffer);
HEDDLE_FACTORS(S, float)
HEDDLE_FACTORS(D, double)

// ---- conversions

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle,
                                                  cusparseConstSpMatDescr_t a,
                                                  cusparseDnMatDescr_t b,
                                                  cusparseSparseToDenseAlg_t algorithm,
                                                  size_t *bytes);
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a,
                                       cusparseDnMatDescr_t b,
                                       cusparseSparseToDenseAlg_t algorithm, void *buffer);
cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle,
                                                  cusparseConstDnMatDescr_t a,
                                                  cusparseSpMatDescr_t b,
                                                  cusparseDenseToSparseAlg_t algorithm,
                                                  size_t *bytes);
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle,
                                                cusparseConstDnMatDescr_t a,
                                                cusparseSpMatDescr_t b,
                                                cusparseDenseToSparseAlg_t algorithm, void *buffer);
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle,
                                               cusparseConstDnMatDescr_t a, cusparseSpMatDescr_t b,
                                               cusparseDenseToSparseAlg_t algorithm, void *buffer);
cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *rows_of, int nnz, int m,
                                  int *offsets, cusparseIndexBase_t base);
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *offsets, int nnz, int m,
                                  int *rows_of, cusparseIndexBase_t base);
cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *order);
cusparseStatus_t cusparseCsr2cscEx2_bufferSize(
    cusparseHandle_t handle, int m, int n, int nnz, const void *values, const int *row_offsets,
    const int *columns, void *csc_values, int *column_offsets, int *rows_of, cudaDataType type,
    cusparseAction_t action, cusparseIndexBase_t base, cusparseCsr2CscAlg_t algorithm,
    size_t *bytes);
cusparseStatus_t cusparseCsr2cscEx2(
    cusparseHandle_t handle, int m, int n, int nnz, const void *values, const int *row_offsets,
    const int *columns, void *csc_values, int *column_offsets, int *rows_of, cudaDataType type,
    cusparseAction_t action, cusparseIndexBase_t base, cusparseCsr2CscAlg_t algorithm,
    void *buffer);
#ifdef __cplusplus
}
#endif

#endif
