// SPDX-License-Identifier: MIT
// Handles, their settings, and copies of vectors and matrices between host and device.
#include "context.h"

EXPORT cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
  NEED(handle);
  cublasContext *context = new cublasContext();
  context->atomics = CUBLAS_ATOMICS_NOT_ALLOWED;
  if (cudaMalloc(&context->scratch, SCRATCH_BYTES) != cudaSuccess) {
    delete context;
    return CUBLAS_STATUS_ALLOC_FAILED;
  }
  *handle = context;
  return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  NEED_HANDLE(handle);
  cudaFree(handle->scratch);
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version) {
  NEED(version);
  (void)handle;
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value) {
  static const int values[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};
  NEED(value && type <= PATCH_LEVEL);
  *value = values[type];
  return CUBLAS_STATUS_SUCCESS;
}

EXPORT size_t cublasGetCudartVersion(void) {
  return CUDART_VERSION;
}

// The library needs none.
EXPORT cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes) {
  (void)workspace, (void)bytes;
  NEED_HANDLE(handle);
  return CUBLAS_STATUS_SUCCESS;
}

#define SETTING(suffix, Type, field)                                            \
  EXPORT cublasStatus_t cublasSet##suffix(cublasHandle_t handle, Type value) {  \
    NEED_HANDLE(handle);                                                        \
    handle->field = value;                                                      \
    return CUBLAS_STATUS_SUCCESS;                                               \
  }                                                                             \
  EXPORT cublasStatus_t cublasGet##suffix(cublasHandle_t handle, Type *value) { \
    NEED_HANDLE(handle);                                                        \
    NEED(value);                                                                \
    *value = handle->field;                                                     \
    return CUBLAS_STATUS_SUCCESS;                                               \
  }
SETTING(Stream_v2, cudaStream_t, stream)
SETTING(PointerMode_v2, cublasPointerMode_t, pointers)
SETTING(AtomicsMode, cublasAtomicsMode_t, atomics)
SETTING(MathMode, cublasMath_t, math)

EXPORT const char *cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
#define NAME(name) \
  case name: return #name;
    NAME(CUBLAS_STATUS_SUCCESS)
    NAME(CUBLAS_STATUS_NOT_INITIALIZED)
    NAME(CUBLAS_STATUS_ALLOC_FAILED)
    NAME(CUBLAS_STATUS_INVALID_VALUE)
    NAME(CUBLAS_STATUS_ARCH_MISMATCH)
    NAME(CUBLAS_STATUS_MAPPING_ERROR)
    NAME(CUBLAS_STATUS_EXECUTION_FAILED)
    NAME(CUBLAS_STATUS_INTERNAL_ERROR)
    NAME(CUBLAS_STATUS_NOT_SUPPORTED)
    NAME(CUBLAS_STATUS_LICENSE_ERROR)
#undef NAME
  }
  return "unknown status";
}

EXPORT const char *cublasGetStatusString(cublasStatus_t status) {
  return cublasGetStatusName(status);
}

// ---- copies

// Elements of a vector are rows of one element.
static cublasStatus_t copy(int rows, int cols, int size, const void *a, int lda, void *b, int ldb,
                           cudaMemcpyKind kind, cudaStream_t stream, bool is_async) {
  NEED(rows >= 0 && cols >= 0 && size > 0 && lda >= rows && ldb >= rows && lda > 0 && ldb > 0);
  if (!rows || !cols) return CUBLAS_STATUS_SUCCESS;
  size_t width = (size_t)rows * size;
  cudaError_t error =
      is_async ? cudaMemcpy2DAsync(b, (size_t)ldb * size, a, (size_t)lda * size, width, cols, kind,
                                   stream)
               : cudaMemcpy2D(b, (size_t)ldb * size, a, (size_t)lda * size, width, cols, kind);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

#define COPIES(Word, kind)                                                                        \
  EXPORT cublasStatus_t cublas##Word##Vector(int n, int size, const void *x, int incx, void *y,   \
                                             int incy) {                                          \
    return copy(1, n, size, x, incx, y, incy, kind, 0, false);                                    \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##Word##VectorAsync(int n, int size, const void *x, int incx,       \
                                                  void *y, int incy, cudaStream_t stream) {       \
    return copy(1, n, size, x, incx, y, incy, kind, stream, true);                                \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##Word##Matrix(int rows, int cols, int size, const void *a,         \
                                             int lda, void *b, int ldb) {                         \
    return copy(rows, cols, size, a, lda, b, ldb, kind, 0, false);                                \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##Word##MatrixAsync(int rows, int cols, int size, const void *a,    \
                                                  int lda, void *b, int ldb,                      \
                                                  cudaStream_t stream) {                          \
    return copy(rows, cols, size, a, lda, b, ldb, kind, stream, true);                            \
  }
COPIES(Set, cudaMemcpyHostToDevice)
COPIES(Get, cudaMemcpyDeviceToHost)
