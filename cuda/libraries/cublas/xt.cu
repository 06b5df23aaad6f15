// SPDX-License-Identifier: MIT
// cuBLASXt: products of matrices that may be larger than the memory of one device, in blocks that
// several share. There is one here, with room for all: matrices are copied to it as a whole.
#include <cublasXt.h>
#include <limits.h>

#include "context.h"

struct cublasXtContext {
  cublasHandle_t blas;
  int block;
  cublasXtPinnedMemMode_t pinning;
};

EXPORT cublasStatus_t cublasXtCreate(cublasXtHandle_t *handle) {
  NEED(handle);
  cublasHandle_t blas;
  cublasStatus_t status = cublasCreate_v2(&blas);
  if (status == CUBLAS_STATUS_SUCCESS)
    *handle = new cublasXtContext{blas, 2048, CUBLASXT_PINNING_DISABLED};
  return status;
}
EXPORT cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle) {
  NEED_HANDLE(handle);
  cublasStatus_t status = cublasDestroy_v2(handle->blas);
  delete handle;
  return status;
}
EXPORT cublasStatus_t cublasXtGetNumBoards(int count, int devices[], int *boards) {
  NEED(count == 1 && devices && boards);
  *boards = 1;
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasXtMaxBoards(int *boards) {
  NEED(boards);
  *boards = 1;
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count, int devices[]) {
  NEED_HANDLE(handle);
  NEED(count == 1 && devices && devices[0] == 0);
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int size) {
  NEED_HANDLE(handle);
  NEED(size > 0);
  handle->block = size;
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int *size) {
  NEED_HANDLE(handle);
  NEED(size);
  *size = handle->block;
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle,
                                                cublasXtPinnedMemMode_t mode) {
  NEED_HANDLE(handle);
  handle->pinning = mode;
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle,
                                                cublasXtPinnedMemMode_t *mode) {
  NEED_HANDLE(handle);
  NEED(mode);
  *mode = handle->pinning;
  return CUBLAS_STATUS_SUCCESS;
}

// ---- products

// A matrix on the device, without gaps between columns.
template <typename T>
struct Copied {
  T *first = nullptr;
  size_t rows, cols;
  Copied(size_t rows, size_t cols) : rows(rows), cols(cols) {}
  ~Copied() { cudaFree(first); }
  size_t width() const { return rows * sizeof(T); }
  int ld() const { return rows ? (int)rows : 1; }
  bool allocate() { return !rows || !cols || cudaMalloc(&first, width() * cols) == cudaSuccess; }
  bool read(const T *from, size_t ld) {
    return !first || cudaMemcpy2D(first, width(), from, ld * sizeof(T), width(), cols,
                                  cudaMemcpyDefault) == cudaSuccess;
  }
  bool write(T *to, size_t ld) const {
    return !first || cudaMemcpy2D(to, ld * sizeof(T), first, width(), width(), cols,
                                  cudaMemcpyDefault) == cudaSuccess;
  }
};

template <typename T, typename Gemm>
static cublasStatus_t multiply(Gemm gemm, cublasXtHandle_t handle, cublasOperation_t op_a,
                               cublasOperation_t op_b, size_t m, size_t n, size_t k, const T *alpha,
                               const T *a, size_t lda, const T *b, size_t ldb, const T *beta, T *c,
                               size_t ldc) {
  NEED_HANDLE(handle);
  NEED(m <= INT_MAX && n <= INT_MAX && k <= INT_MAX && alpha && beta);
  bool is_a = op_a == CUBLAS_OP_N, is_b = op_b == CUBLAS_OP_N;
  Copied<T> on_a(is_a ? m : k, is_a ? k : m), on_b(is_b ? k : n, is_b ? n : k), on_c(m, n);
  NEED(lda >= on_a.rows && ldb >= on_b.rows && ldc >= m);
  if (!on_a.allocate() || !on_b.allocate() || !on_c.allocate()) return CUBLAS_STATUS_ALLOC_FAILED;
  if (!on_a.read(a, lda) || !on_b.read(b, ldb) || !on_c.read(c, ldc))
    return CUBLAS_STATUS_MAPPING_ERROR;
  cublasStatus_t status =
      gemm(handle->blas, op_a, op_b, (int)m, (int)n, (int)k, alpha, on_a.first, on_a.ld(),
           on_b.first, on_b.ld(), beta, on_c.first, on_c.ld());
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  return on_c.write(c, ldc) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

#define CALL(S, T)                                                                                 \
  EXPORT cublasStatus_t cublasXt##S##gemm(                                                         \
      cublasXtHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, size_t m, size_t n, \
      size_t k, const T *alpha, const T *a, size_t lda, const T *b, size_t ldb, const T *beta,     \
      T *c, size_t ldc) {                                                                          \
    return multiply(cublas##S##gemm_v2, handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta,  \
                    c, ldc);                                                                       \
  }
CALL(S, float)
CALL(D, double)
CALL(C, cuComplex)
CALL(Z, cuDoubleComplex)
