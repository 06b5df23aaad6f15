// SPDX-License-Identifier: MIT
// The calls of cuBLAS that multiply matrices.
#include "products.h"

static bool is_operation(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N || operation == CUBLAS_OP_T || operation == CUBLAS_OP_C;
}

static bool is_ld(long long ld, int rows) {
  return ld >= (rows > 1 ? rows : 1);
}

static Operand strided(const void *first, int ld, long long distance = 0) {
  return Operand{first, nullptr, ld, distance};
}

static Operand listed(const void *const *list, int ld) {
  return Operand{nullptr, list, ld, 0};
}

// What the handle allows, of f32: rounding of factors, or none.
static cublasComputeType_t with_math(cublasComputeType_t compute, cublasMath_t math) {
  if (compute != CUBLAS_COMPUTE_32F) return compute;
  switch (math & 3) {
    case CUBLAS_PEDANTIC_MATH: return CUBLAS_COMPUTE_32F_PEDANTIC;
    case CUBLAS_TF32_TENSOR_OP_MATH: return CUBLAS_COMPUTE_32F_FAST_TF32;
    default: return compute;
  }
}

static cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                           int m, int n, int k, const void *alpha, Operand a, Operand b,
                           const void *beta, Operand c, int count, ProductTypes types) {
  NEED_HANDLE(handle);
  NEED(m >= 0 && n >= 0 && k >= 0 && count >= 0 && alpha && beta);
  NEED(is_operation(op_a) && is_operation(op_b));
  NEED(is_ld(a.ld, op_a == CUBLAS_OP_N ? m : k) && is_ld(b.ld, op_b == CUBLAS_OP_N ? k : n));
  NEED(is_ld(c.ld, m));
  Product product = {};
  product.m = m, product.n = n, product.k = k, product.count = count;
  product.transpose_a = op_a != CUBLAS_OP_N, product.transpose_b = op_b != CUBLAS_OP_N;
  product.conjugate_a = op_a == CUBLAS_OP_C, product.conjugate_b = op_b == CUBLAS_OP_C;
  product.a = a, product.b = b, product.c = product.d = c;
  product.alpha = alpha, product.beta = beta;
  product.is_scalar_on_device = handle->pointers == CUBLAS_POINTER_MODE_DEVICE;
  types.compute = with_math(types.compute, handle->math);
  return multiply(product, types, handle->stream);
}

#define CALLS(name, S, T, type, compute)                                                          \
  EXPORT cublasStatus_t name(cublasHandle_t handle, cublasOperation_t op_a,                       \
                             cublasOperation_t op_b, int m, int n, int k, const T *alpha,         \
                             const T *a, int lda, const T *b, int ldb, const T *beta, T *c,       \
                             int ldc) {                                                           \
    return gemm(handle, op_a, op_b, m, n, k, alpha, strided(a, lda), strided(b, ldb), beta,       \
                strided(c, ldc), 1, ProductTypes{type, type, type, compute});                     \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##gemmStridedBatched(                                            \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, \
      const T *alpha, const T *a, int lda, long long int stride_a, const T *b, int ldb,           \
      long long int stride_b, const T *beta, T *c, int ldc, long long int stride_c, int count) {  \
    return gemm(handle, op_a, op_b, m, n, k, alpha, strided(a, lda, stride_a),                    \
                strided(b, ldb, stride_b), beta, strided(c, ldc, stride_c), count,                \
                ProductTypes{type, type, type, compute});                                         \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##gemmBatched(                                                   \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, \
      const T *alpha, const T *const a[], int lda, const T *const b[], int ldb, const T *beta,    \
      T *const c[], int ldc, int count) {                                                         \
    return gemm(handle, op_a, op_b, m, n, k, alpha, listed((const void *const *)a, lda),          \
                listed((const void *const *)b, ldb), beta, listed((const void *const *)c, ldc),   \
                count, ProductTypes{type, type, type, compute});                                  \
  }
CALLS(cublasSgemm_v2, S, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
CALLS(cublasDgemm_v2, D, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
CALLS(cublasCgemm_v2, C, cuComplex, CUDA_C_32F, CUBLAS_COMPUTE_32F)
CALLS(cublasZgemm_v2, Z, cuDoubleComplex, CUDA_C_64F, CUBLAS_COMPUTE_64F)
CALLS(cublasHgemm, H, __half, CUDA_R_16F, CUBLAS_COMPUTE_16F)

EXPORT cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a,
                                   cublasOperation_t op_b, int m, int n, int k, const void *alpha,
                                   const void *a, cudaDataType type_a, int lda, const void *b,
                                   cudaDataType type_b, int ldb, const void *beta, void *c,
                                   cudaDataType type_c, int ldc, cublasComputeType_t compute,
                                   cublasGemmAlgo_t algorithm) {
  (void)algorithm;
  return gemm(handle, op_a, op_b, m, n, k, alpha, strided(a, lda), strided(b, ldb), beta,
              strided(c, ldc), 1, ProductTypes{type_a, type_b, type_c, compute});
}

EXPORT cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t op_a,
                                    cublasOperation_t op_b, int m, int n, int k,
                                    const float *alpha, const void *a, cudaDataType type_a, int lda,
                                    const void *b, cudaDataType type_b, int ldb, const float *beta,
                                    void *c, cudaDataType type_c, int ldc) {
  return gemm(handle, op_a, op_b, m, n, k, alpha, strided(a, lda), strided(b, ldb), beta,
              strided(c, ldc), 1, ProductTypes{type_a, type_b, type_c, CUBLAS_COMPUTE_32F});
}

EXPORT cublasStatus_t cublasGemmBatchedEx(
    cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
    const void *alpha, const void *const a[], cudaDataType type_a, int lda, const void *const b[],
    cudaDataType type_b, int ldb, const void *beta, void *const c[], cudaDataType type_c, int ldc,
    int count, cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
  (void)algorithm;
  return gemm(handle, op_a, op_b, m, n, k, alpha, listed(a, lda), listed(b, ldb), beta,
              listed(c, ldc), count, ProductTypes{type_a, type_b, type_c, compute});
}

EXPORT cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
    const void *alpha, const void *a, cudaDataType type_a, int lda, long long int stride_a,
    const void *b, cudaDataType type_b, int ldb, long long int stride_b, const void *beta, void *c,
    cudaDataType type_c, int ldc, long long int stride_c, int count, cublasComputeType_t compute,
    cublasGemmAlgo_t algorithm) {
  (void)algorithm;
  return gemm(handle, op_a, op_b, m, n, k, alpha, strided(a, lda, stride_a),
              strided(b, ldb, stride_b), beta, strided(c, ldc, stride_c), count,
              ProductTypes{type_a, type_b, type_c, compute});
}
