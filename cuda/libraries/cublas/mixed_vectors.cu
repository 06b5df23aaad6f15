// SPDX-License-Identifier: MIT
// Level 1 with the types given at run time: sums of f16 and bf16 are f32.
#include "reductions.h"

template <typename T>
__device__ float widen(T x) {
  return float(x);
}

template <typename T>
__global__ void axpy_narrow(int n, Scalar<float> alpha, Vector<const T> x, Vector<T> y) {
  GRID_LOOP(i, n) y[i] = T(alpha.get() * widen(x[i]) + widen(y[i]));
}
template <typename T>
__global__ void scal_narrow(int n, Scalar<float> alpha, Vector<T> x) {
  GRID_LOOP(i, n) x[i] = T(alpha.get() * widen(x[i]));
}

static cublasStatus_t other_types(const char *call) {
  char what[64];
  snprintf(what, sizeof what, "%s with these types", call);
  return not_supported(what);
}

// Calls a function for the type of the numbers, and that of sums.
#define BY_TYPE(type, call)                              \
  switch (type) {                                        \
    case CUDA_R_16F: return call(__half, float);         \
    case CUDA_R_16BF: return call(__nv_bfloat16, float); \
    case CUDA_R_32F: return call(float, float);          \
    case CUDA_R_64F: return call(double, double);        \
    default: break;                                      \
  }

EXPORT cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void *x, cudaDataType x_type,
                                  int incx, const void *y, cudaDataType y_type, int incy,
                                  void *result, cudaDataType result_type, cudaDataType) {
  if (x_type != y_type || x_type != result_type) return other_types("cublasDotEx");
#define DOT_OF(T, V)                                                                   \
  sum<PRODUCT, V>(handle, n, static_cast<const T *>(x), incx, static_cast<const T *>(y), incy, \
                  static_cast<T *>(result))
  BY_TYPE(x_type, DOT_OF)
  return other_types("cublasDotEx");
}

// Of real numbers the same.
EXPORT cublasStatus_t cublasDotcEx(cublasHandle_t handle, int n, const void *x, cudaDataType x_type,
                                   int incx, const void *y, cudaDataType y_type, int incy,
                                   void *result, cudaDataType result_type, cudaDataType sums) {
  return cublasDotEx(handle, n, x, x_type, incx, y, y_type, incy, result, result_type, sums);
}

EXPORT cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void *x, cudaDataType x_type,
                                   int incx, void *result, cudaDataType result_type, cudaDataType) {
  if (x_type != result_type) return other_types("cublasNrm2Ex");
#define NORM_OF(T, V) \
  norm<V>(handle, n, static_cast<const T *>(x), incx, static_cast<T *>(result))
  BY_TYPE(x_type, NORM_OF)
  return other_types("cublasNrm2Ex");
}

template <typename T>
cublasStatus_t axpy_of(cublasHandle_t handle, int n, const void *alpha, const void *x, int incx,
                       void *y, int incy) {
  NEED_HANDLE(handle);
  NEED(alpha);
  if (n > 0)
    axpy_narrow<T><<<blocks_for(n, THREADS), THREADS, 0, handle->stream>>>(
        n, scalar(handle, static_cast<const float *>(alpha)),
        vector_of(static_cast<const T *>(x), n, incx), vector_of(static_cast<T *>(y), n, incy));
  return launched();
}

EXPORT cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void *alpha,
                                   cudaDataType alpha_type, const void *x, cudaDataType x_type,
                                   int incx, void *y, cudaDataType y_type, int incy, cudaDataType) {
  bool is_narrow = alpha_type == CUDA_R_32F && x_type == y_type;
  if (is_narrow && x_type == CUDA_R_16F)
    return axpy_of<__half>(handle, n, alpha, x, incx, y, incy);
  if (is_narrow && x_type == CUDA_R_16BF)
    return axpy_of<__nv_bfloat16>(handle, n, alpha, x, incx, y, incy);
  if (is_narrow && x_type == CUDA_R_32F)
    return cublasSaxpy_v2(handle, n, static_cast<const float *>(alpha),
                          static_cast<const float *>(x), incx, static_cast<float *>(y), incy);
  if (alpha_type == CUDA_R_64F && x_type == CUDA_R_64F && y_type == CUDA_R_64F)
    return cublasDaxpy_v2(handle, n, static_cast<const double *>(alpha),
                          static_cast<const double *>(x), incx, static_cast<double *>(y), incy);
  return other_types("cublasAxpyEx");
}

template <typename T>
cublasStatus_t scal_of(cublasHandle_t handle, int n, const void *alpha, void *x, int incx) {
  NEED_HANDLE(handle);
  NEED(alpha);
  if (n > 0 && incx > 0)
    scal_narrow<T><<<blocks_for(n, THREADS), THREADS, 0, handle->stream>>>(
        n, scalar(handle, static_cast<const float *>(alpha)),
        vector_of(static_cast<T *>(x), n, incx));
  return launched();
}

EXPORT cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void *alpha,
                                   cudaDataType alpha_type, void *x, cudaDataType x_type, int incx,
                                   cudaDataType) {
  if (alpha_type == CUDA_R_32F && x_type == CUDA_R_16F)
    return scal_of<__half>(handle, n, alpha, x, incx);
  if (alpha_type == CUDA_R_32F && x_type == CUDA_R_16BF)
    return scal_of<__nv_bfloat16>(handle, n, alpha, x, incx);
  if (alpha_type == CUDA_R_32F && x_type == CUDA_R_32F)
    return cublasSscal_v2(handle, n, static_cast<const float *>(alpha), static_cast<float *>(x),
                          incx);
  if (alpha_type == CUDA_R_64F && x_type == CUDA_R_64F)
    return cublasDscal_v2(handle, n, static_cast<const double *>(alpha), static_cast<double *>(x),
                          incx);
  return other_types("cublasScalEx");
}
