// SPDX-License-Identifier: MIT
// cuBLAS for the simulated GPU: real matrices and vectors of float and double, and products of
// smaller types. Calls are as of CUDA 11 and later; what is missing returns
// CUBLAS_STATUS_NOT_SUPPORTED and says so (docs/libraries.md).
#ifndef HEDDLE_CUBLAS_API_H
#define HEDDLE_CUBLAS_API_H
#define CUBLAS_API_H_ 1  // what programs ask for to know that it was read

#include <stddef.h>
#include <stdint.h>

#include "cuComplex.h"
#include "cuda_runtime_api.h"
#include "library_types.h"
#ifdef __cplusplus
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#endif

#define CUBLAS_VER_MAJOR 11
#define CUBLAS_VER_MINOR 7
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VER_BUILD 0
#define CUBLAS_VERSION 110700

typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum {
  CUBLAS_FILL_MODE_LOWER = 0,
  CUBLAS_FILL_MODE_UPPER = 1,
  CUBLAS_FILL_MODE_FULL = 2
} cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum {
  CUBLAS_OP_N = 0,
  CUBLAS_OP_T = 1,
  CUBLAS_OP_C = 2,
  CUBLAS_OP_HERMITAN = 2,
  CUBLAS_OP_CONJG = 3
} cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
// All compute the same way.
typedef enum {
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_ALGO0 = 0,
  CUBLAS_GEMM_ALGO1,
  CUBLAS_GEMM_ALGO2,
  CUBLAS_GEMM_ALGO3,
  CUBLAS_GEMM_ALGO4,
  CUBLAS_GEMM_ALGO5,
  CUBLAS_GEMM_ALGO6,
  CUBLAS_GEMM_ALGO7,
  CUBLAS_GEMM_ALGO23 = 23,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
  CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
  CUBLAS_GEMM_ALGO15_TENSOR_OP = 115
} cublasGemmAlgo_t;
typedef cudaDataType cublasDataType_t;
typedef struct cublasContext *cublasHandle_t;

#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasSaxpy cublasSaxpy_v2
#define cublasDaxpy cublasDaxpy_v2
#define cublasSscal cublasSscal_v2
#define cublasDscal cublasDscal_v2
#define cublasScopy cublasScopy_v2
#define cublasDcopy cublasDcopy_v2
#define cublasSswap cublasSswap_v2
#define cublasDswap cublasDswap_v2
#define cublasSrot cublasSrot_v2
#define cublasDrot cublasDrot_v2
#define cublasSdot cublasSdot_v2
#define cublasDdot cublasDdot_v2
#define cublasSnrm2 cublasSnrm2_v2
#define cublasDnrm2 cublasDnrm2_v2
#define cublasSasum cublasSasum_v2
#define cublasDasum cublasDasum_v2
#define cublasIsamax cublasIsamax_v2
#define cublasIdamax cublasIdamax_v2
#define cublasIsamin cublasIsamin_v2
#define cublasIdamin cublasIdamin_v2
#define cublasSgemv cublasSgemv_v2
#define cublasDgemv cublasDgemv_v2
#define cublasSger cublasSger_v2
#define cublasDger cublasDger_v2
#define cublasSsymv cublasSsymv_v2
#define cublasDsymv cublasDsymv_v2
#define cublasSsyr cublasSsyr_v2
#define cublasDsyr cublasDsyr_v2
#define cublasStrsv cublasStrsv_v2
#define cublasDtrsv cublasDtrsv_v2
#define cublasStrmv cublasStrmv_v2
#define cublasDtrmv cublasDtrmv_v2
#define cublasSgemm cublasSgemm_v2
#define cublasDgemm cublasDgemm_v2
#define cublasSsyrk cublasSsyrk_v2
#define cublasDsyrk cublasDsyrk_v2
#define cublasStrsm cublasStrsm_v2
#define cublasDtrsm cublasDtrsm_v2
#define cublasCaxpy cublasCaxpy_v2
#define cublasCscal cublasCscal_v2
#define cublasCcopy cublasCcopy_v2
#define cublasCswap cublasCswap_v2
#define cublasCdotu cublasCdotu_v2
#define cublasCdotc cublasCdotc_v2
#define cublasCgemv cublasCgemv_v2
#define cublasCgeru cublasCgeru_v2
#define cublasCgerc cublasCgerc_v2
#define cublasCsymv cublasCsymv_v2
#define cublasCsyr cublasCsyr_v2
#define cublasCsyr2 cublasCsyr2_v2
#define cublasChemv cublasChemv_v2
#define cublasCher cublasCher_v2
#define cublasCher2 cublasCher2_v2
#define cublasCtrsv cublasCtrsv_v2
#define cublasCtrmv cublasCtrmv_v2
#define cublasCgemm cublasCgemm_v2
#define cublasCsyrk cublasCsyrk_v2
#define cublasCsyr2k cublasCsyr2k_v2
#define cublasCherk cublasCherk_v2
#define cublasCher2k cublasCher2k_v2
#define cublasCtrsm cublasCtrsm_v2
#define cublasCtrmm cublasCtrmm_v2
#define cublasCsymm cublasCsymm_v2
#define cublasChemm cublasChemm_v2
#define cublasCsscal cublasCsscal_v2
#define cublasCsrot cublasCsrot_v2
#define cublasZaxpy cublasZaxpy_v2
#define cublasZscal cublasZscal_v2
#define cublasZcopy cublasZcopy_v2
#define cublasZswap cublasZswap_v2
#define cublasZdotu cublasZdotu_v2
#define cublasZdotc cublasZdotc_v2
#define cublasZgemv cublasZgemv_v2
#define cublasZgeru cublasZgeru_v2
#define cublasZgerc cublasZgerc_v2
#define cublasZsymv cublasZsymv_v2
#define cublasZsyr cublasZsyr_v2
#define cublasZsyr2 cublasZsyr2_v2
#define cublasZhemv cublasZhemv_v2
#define cublasZher cublasZher_v2
#define cublasZher2 cublasZher2_v2
#define cublasZtrsv cublasZtrsv_v2
#define cublasZtrmv cublasZtrmv_v2
#define cublasZgemm cublasZgemm_v2
#define cublasZsyrk cublasZsyrk_v2
#define cublasZsyr2k cublasZsyr2k_v2
#define cublasZherk cublasZherk_v2
#define cublasZher2k cublasZher2k_v2
#define cublasZtrsm cublasZtrsm_v2
#define cublasZtrmm cublasZtrmm_v2
#define cublasZsymm cublasZsymm_v2
#define cublasZhemm cublasZhemm_v2
#define cublasZdscal cublasZdscal_v2
#define cublasZdrot cublasZdrot_v2
#define cublasScasum cublasScasum_v2
#define cublasDzasum cublasDzasum_v2
#define cublasScnrm2 cublasScnrm2_v2
#define cublasDznrm2 cublasDznrm2_v2
#define cublasIcamax cublasIcamax_v2
#define cublasIcamin cublasIcamin_v2
#define cublasIzamax cublasIzamax_v2
#define cublasIzamin cublasIzamin_v2
#define cublasSsyr2 cublasSsyr2_v2
#define cublasSsyr2k cublasSsyr2k_v2
#define cublasStrmm cublasStrmm_v2
#define cublasSsymm cublasSsymm_v2
#define cublasDsyr2 cublasDsyr2_v2
#define cublasDsyr2k cublasDsyr2k_v2
#define cublasDtrmm cublasDtrmm_v2
#define cublasDsymm cublasDsymm_v2

#ifdef __cplusplus
extern "C" {
#endif
cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);
size_t cublasGetCudartVersion(void);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasSetVector(int n, int size, const void *x, int incx, void *to, int incy);
cublasStatus_t cublasGetVector(int n, int size, const void *x, int incx, void *to, int incy);
cublasStatus_t cublasSetMatrix(int rows, int cols, int size, const void *a, int lda, void *b,
                               int ldb);
cublasStatus_t cublasGetMatrix(int rows, int cols, int size, const void *a, int lda, void *b,
                               int ldb);
cublasStatus_t cublasSetVectorAsync(int n, int size, const void *x, int incx, void *to, int incy,
                                    cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int n, int size, const void *x, int incx, void *to, int incy,
                                    cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int size, const void *a, int lda, void *b,
                                    int ldb, cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int size, const void *a, int lda, void *b,
                                    int ldb, cudaStream_t stream);

// S, T: S and float, C and cuComplex; I: the letter of amax and amin; A, R: of norms, which
// are real.
#define HEDDLE_CUBLAS_CALLS(S, I, A, T, R)                                                               \
  cublasStatus_t cublas##S##axpy_v2(cublasHandle_t, int n, const T *alpha, const T *x, int incx,   \
                                    T *y, int incy);                                               \
  cublasStatus_t cublas##S##scal_v2(cublasHandle_t, int n, const T *alpha, T *x, int incx);        \
  cublasStatus_t cublas##S##copy_v2(cublasHandle_t, int n, const T *x, int incx, T *y, int incy);  \
  cublasStatus_t cublas##S##swap_v2(cublasHandle_t, int n, T *x, int incx, T *y, int incy);        \
  cublasStatus_t cublas##A##nrm2_v2(cublasHandle_t, int n, const T *x, int incx, R *result);       \
  cublasStatus_t cublas##A##asum_v2(cublasHandle_t, int n, const T *x, int incx, R *result);       \
  cublasStatus_t cublasI##I##amax_v2(cublasHandle_t, int n, const T *x, int incx, int *result);    \
  cublasStatus_t cublasI##I##amin_v2(cublasHandle_t, int n, const T *x, int incx, int *result);    \
  cublasStatus_t cublas##S##gemv_v2(cublasHandle_t, cublasOperation_t, int m, int n,               \
                                    const T *alpha, const T *a, int lda, const T *x, int incx,     \
                                    const T *beta, T *y, int incy);                                \
  cublasStatus_t cublas##S##symv_v2(cublasHandle_t, cublasFillMode_t, int n, const T *alpha,       \
                                    const T *a, int lda, const T *x, int incx, const T *beta,      \
                                    T *y, int incy);                                               \
  cublasStatus_t cublas##S##syr_v2(cublasHandle_t, cublasFillMode_t, int n, const T *alpha,        \
                                   const T *x, int incx, T *a, int lda);                           \
  cublasStatus_t cublas##S##trsv_v2(cublasHandle_t, cublasFillMode_t, cublasOperation_t,           \
                                    cublasDiagType_t, int n, const T *a, int lda, T *x, int incx); \
  cublasStatus_t cublas##S##trmv_v2(cublasHandle_t, cublasFillMode_t, cublasOperation_t,           \
                                    cublasDiagType_t, int n, const T *a, int lda, T *x, int incx); \
  cublasStatus_t cublas##S##gemm_v2(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m,   \
                                    int n, int k, const T *alpha, const T *a, int lda, const T *b, \
                                    int ldb, const T *beta, T *c, int ldc);                        \
  cublasStatus_t cublas##S##gemmBatched(                                                           \
      cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const T *alpha,   \
      const T *const a[], int lda, const T *const b[], int ldb, const T *beta, T *const c[],       \
      int ldc, int count);                                                                         \
  cublasStatus_t cublas##S##gemmStridedBatched(                                                    \
      cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const T *alpha,   \
      const T *a, int lda, long long int stride_a, const T *b, int ldb, long long int stride_b,    \
      const T *beta, T *c, int ldc, long long int stride_c, int count);                            \
  cublasStatus_t cublas##S##syrk_v2(cublasHandle_t, cublasFillMode_t, cublasOperation_t, int n,    \
                                    int k, const T *alpha, const T *a, int lda, const T *beta,     \
                                    T *c, int ldc);                                                \
  cublasStatus_t cublas##S##trsm_v2(cublasHandle_t, cublasSideMode_t, cublasFillMode_t,            \
                                    cublasOperation_t, cublasDiagType_t, int m, int n,             \
                                    const T *alpha, const T *a, int lda, T *b, int ldb);           \
  cublasStatus_t cublas##S##geam(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m,      \
                                 int n, const T *alpha, const T *a, int lda, const T *beta,        \
                                 const T *b, int ldb, T *c, int ldc);                              \
  cublasStatus_t cublas##S##dgmm(cublasHandle_t, cublasSideMode_t, int m, int n, const T *a,       \
                                 int lda, const T *x, int incx, T *c, int ldc);                         \
  cublasStatus_t cublas##S##syr2_v2(cublasHandle_t, cublasFillMode_t, int n, const T *alpha,       \
                                    const T *x, int incx, const T *y, int incy, T *a, int lda);    \
  cublasStatus_t cublas##S##syr2k_v2(cublasHandle_t, cublasFillMode_t, cublasOperation_t, int n,   \
                                     int k, const T *alpha, const T *a, int lda, const T *b,       \
                                     int ldb, const T *beta, T *c, int ldc);                       \
  cublasStatus_t cublas##S##trmm_v2(cublasHandle_t, cublasSideMode_t, cublasFillMode_t,            \
                                    cublasOperation_t, cublasDiagType_t, int m, int n,             \
                                    const T *alpha, const T *a, int lda, const T *b, int ldb,      \
                                    T *c, int ldc);                                                \
  cublasStatus_t cublas##S##symm_v2(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, int m,     \
                                    int n, const T *alpha, const T *a, int lda, const T *b,        \
                                    int ldb, const T *beta, T *c, int ldc);
#define HEDDLE_CUBLAS_DOT(name, T)                                                               \
  cublasStatus_t name(cublasHandle_t, int n, const T *x, int incx, const T *y, int incy, T *result);
#define HEDDLE_CUBLAS_GER(name, T)                                                               \
  cublasStatus_t name(cublasHandle_t, int m, int n, const T *alpha, const T *x, int incx,        \
                      const T *y, int incy, T *a, int lda);
#define HEDDLE_CUBLAS_ROT(name, T, R)                                                            \
  cublasStatus_t name(cublasHandle_t, int n, T *x, int incx, T *y, int incy, const R *c, const R *s);
#define HEDDLE_CUBLAS_HERMITIAN(S, T, R)                                                           \
  cublasStatus_t cublas##S##hemv_v2(cublasHandle_t, cublasFillMode_t, int n, const T *alpha,       \
                                    const T *a, int lda, const T *x, int incx, const T *beta,      \
                                    T *y, int incy);                                               \
  cublasStatus_t cublas##S##her_v2(cublasHandle_t, cublasFillMode_t, int n, const R *alpha,        \
                                   const T *x, int incx, T *a, int lda);                           \
  cublasStatus_t cublas##S##her2_v2(cublasHandle_t, cublasFillMode_t, int n, const T *alpha,       \
                                    const T *x, int incx, const T *y, int incy, T *a, int lda);    \
  cublasStatus_t cublas##S##herk_v2(cublasHandle_t, cublasFillMode_t, cublasOperation_t, int n,    \
                                    int k, const R *alpha, const T *a, int lda, const R *beta,     \
                                    T *c, int ldc);                                                \
  cublasStatus_t cublas##S##her2k_v2(cublasHandle_t, cublasFillMode_t, cublasOperation_t, int n,   \
                                     int k, const T *alpha, const T *a, int lda, const T *b,       \
                                     int ldb, const R *beta, T *c, int ldc);                       \
  cublasStatus_t cublas##S##hemm_v2(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, int m,     \
                                    int n, const T *alpha, const T *a, int lda, const T *b,        \
                                    int ldb, const T *beta, T *c, int ldc);
HEDDLE_CUBLAS_CALLS(S, s, S, float, float)
HEDDLE_CUBLAS_CALLS(D, d, D, double, double)
HEDDLE_CUBLAS_CALLS(C, c, Sc, cuComplex, float)
HEDDLE_CUBLAS_CALLS(Z, z, Dz, cuDoubleComplex, double)
HEDDLE_CUBLAS_DOT(cublasSdot_v2, float)
HEDDLE_CUBLAS_DOT(cublasDdot_v2, double)
HEDDLE_CUBLAS_DOT(cublasCdotu_v2, cuComplex)
HEDDLE_CUBLAS_DOT(cublasCdotc_v2, cuComplex)
HEDDLE_CUBLAS_DOT(cublasZdotu_v2, cuDoubleComplex)
HEDDLE_CUBLAS_DOT(cublasZdotc_v2, cuDoubleComplex)
HEDDLE_CUBLAS_GER(cublasSger_v2, float)
HEDDLE_CUBLAS_GER(cublasDger_v2, double)
HEDDLE_CUBLAS_GER(cublasCgeru_v2, cuComplex)
HEDDLE_CUBLAS_GER(cublasCgerc_v2, cuComplex)
HEDDLE_CUBLAS_GER(cublasZgeru_v2, cuDoubleComplex)
HEDDLE_CUBLAS_GER(cublasZgerc_v2, cuDoubleComplex)
HEDDLE_CUBLAS_ROT(cublasSrot_v2, float, float)
HEDDLE_CUBLAS_ROT(cublasDrot_v2, double, double)
HEDDLE_CUBLAS_ROT(cublasCsrot_v2, cuComplex, float)
HEDDLE_CUBLAS_ROT(cublasZdrot_v2, cuDoubleComplex, double)
HEDDLE_CUBLAS_HERMITIAN(C, cuComplex, float)
HEDDLE_CUBLAS_HERMITIAN(Z, cuDoubleComplex, double)
#define HEDDLE_CUBLAS_FACTORS(S, T)                                                                \
  cublasStatus_t cublas##S##getrfBatched(cublasHandle_t, int n, T *const a[], int lda,             \
                                         int *pivots, int *info, int count);                       \
  cublasStatus_t cublas##S##getrsBatched(cublasHandle_t, cublasOperation_t, int n, int columns,    \
                                         const T *const a[], int lda, const int *pivots,           \
                                         T *const b[], int ldb, int *info, int count);             \
  cublasStatus_t cublas##S##getriBatched(cublasHandle_t, int n, const T *const a[], int lda,       \
                                         const int *pivots, T *const c[], int ldc, int *info,      \
                                         int count);
HEDDLE_CUBLAS_FACTORS(S, float)
HEDDLE_CUBLAS_FACTORS(D, double)
HEDDLE_CUBLAS_FACTORS(C, cuComplex)
HEDDLE_CUBLAS_FACTORS(Z, cuDoubleComplex)
#undef HEDDLE_CUBLAS_FACTORS
cublasStatus_t cublasCsscal_v2(cublasHandle_t, int n, const float *alpha, cuComplex *x, int incx);
cublasStatus_t cublasZdscal_v2(cublasHandle_t, int n, const double *alpha, cuDoubleComplex *x,
                               int incx);
#undef HEDDLE_CUBLAS_DOT
#undef HEDDLE_CUBLAS_GER
#undef HEDDLE_CUBLAS_ROT
#undef HEDDLE_CUBLAS_HERMITIAN
#undef HEDDLE_CUBLAS_CALLS

#ifdef __cplusplus
cublasStatus_t cublasHgemm(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n,
                           int k, const __half *alpha, const __half *a, int lda, const __half *b,
                           int ldb, const __half *beta, __half *c, int ldc);
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t, cublasOperation_t, cublasOperation_t,
                                         int m, int n, int k, const __half *alpha, const __half *a,
                                         int lda, long long int stride_a, const __half *b, int ldb,
                                         long long int stride_b, const __half *beta, __half *c,
                                         int ldc, long long int stride_c, int count);
#endif
// Types of vectors at run time: all the same, f16, bf16, f32 or f64.
cublasStatus_t cublasDotEx(cublasHandle_t, int n, const void *x, cudaDataType, int incx,
                           const void *y, cudaDataType, int incy, void *result, cudaDataType,
                           cudaDataType sums);
cublasStatus_t cublasDotcEx(cublasHandle_t, int n, const void *x, cudaDataType, int incx,
                            const void *y, cudaDataType, int incy, void *result, cudaDataType,
                            cudaDataType sums);
cublasStatus_t cublasNrm2Ex(cublasHandle_t, int n, const void *x, cudaDataType, int incx,
                            void *result, cudaDataType, cudaDataType sums);
cublasStatus_t cublasAxpyEx(cublasHandle_t, int n, const void *alpha, cudaDataType, const void *x,
                            cudaDataType, int incx, void *y, cudaDataType, int incy,
                            cudaDataType sums);
cublasStatus_t cublasScalEx(cublasHandle_t, int n, const void *alpha, cudaDataType, void *x,
                            cudaDataType, int incx, cudaDataType sums);
cublasStatus_t cublasSgemmEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n,
                             int k, const float *alpha, const void *a, cudaDataType type_a, int lda,
                             const void *b, cudaDataType type_b, int ldb, const float *beta,
                             void *c, cudaDataType type_c, int ldc);
cublasStatus_t cublasGemmEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n,
                            int k, const void *alpha, const void *a, cudaDataType type_a, int lda,
                            const void *b, cudaDataType type_b, int ldb, const void *beta, void *c,
                            cudaDataType type_c, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m,
                                   int n, int k, const void *alpha, const void *const a[],
                                   cudaDataType type_a, int lda, const void *const b[],
                                   cudaDataType type_b, int ldb, const void *beta, void *const c[],
                                   cudaDataType type_c, int ldc, int count,
                                   cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const void *alpha,
    const void *a, cudaDataType type_a, int lda, long long int stride_a, const void *b,
    cudaDataType type_b, int ldb, long long int stride_b, const void *beta, void *c,
    cudaDataType type_c, int ldc, long long int stride_c, int count, cublasComputeType_t compute,
    cublasGemmAlgo_t algorithm);
#ifdef __cplusplus
}

// Before CUDA 11 the type of the sum was a type of data.
static inline cublasComputeType_t heddle_cublas_compute_type(cudaDataType type) {
  return type == CUDA_R_64F || type == CUDA_C_64F ? CUBLAS_COMPUTE_64F
         : type == CUDA_R_16F ? CUBLAS_COMPUTE_16F
         : type == CUDA_R_32I ? CUBLAS_COMPUTE_32I
                              : CUBLAS_COMPUTE_32F;
}
static inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a,
                                          cublasOperation_t op_b, int m, int n, int k,
                                          const void *alpha, const void *a, cudaDataType type_a,
                                          int lda, const void *b, cudaDataType type_b, int ldb,
                                          const void *beta, void *c, cudaDataType type_c, int ldc,
                                          cudaDataType compute, cublasGemmAlgo_t algorithm) {
  return cublasGemmEx(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c,
                      type_c, ldc, heddle_cublas_compute_type(compute), algorithm);
}
static inline cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
    const void *alpha, const void *a, cudaDataType type_a, int lda, long long int stride_a,
    const void *b, cudaDataType type_b, int ldb, long long int stride_b, const void *beta, void *c,
    cudaDataType type_c, int ldc, long long int stride_c, int count, cudaDataType compute,
    cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, stride_a, b,
                                    type_b, ldb, stride_b, beta, c, type_c, ldc, stride_c, count,
                                    heddle_cublas_compute_type(compute), algorithm);
}
#endif

#endif
