// SPDX-License-Identifier: MIT
// Level 1: vectors with vectors, all of one type.
#include "reductions.h"

// ---- element by element

template <typename T>
__global__ void axpy(int n, Scalar<T> alpha, Vector<const T> x, Vector<T> y) {
  GRID_LOOP(i, n) y[i] += alpha.get() * x[i];
}
template <typename T>
__global__ void scal(int n, Scalar<T> alpha, Vector<T> x) {
  GRID_LOOP(i, n) x[i] *= alpha.get();
}
template <typename T>
__global__ void copy(int n, Vector<const T> x, Vector<T> y) {
  GRID_LOOP(i, n) y[i] = x[i];
}
template <typename T>
__global__ void swap(int n, Vector<T> x, Vector<T> y) {
  GRID_LOOP(i, n) {
    T kept = x[i];
    x[i] = y[i], y[i] = kept;
  }
}
template <typename T>
__global__ void rot(int n, Vector<T> x, Vector<T> y, Scalar<T> c, Scalar<T> s) {
  GRID_LOOP(i, n) {
    T a = x[i], b = y[i];
    x[i] = c.get() * a + s.get() * b;
    y[i] = c.get() * b - s.get() * a;
  }
}

// ---- calls

#define LAUNCH(n, kernel, ...)                                                              \
  if ((n) > 0) kernel<<<blocks_for(n, THREADS), THREADS, 0, handle->stream>>>(__VA_ARGS__); \
  return launched()

// U: numbers of programs, T: of kernels, R: their absolute values; A: the letters of norms.
#define CALLS(S, I, A, U, R)                                                                      \
  EXPORT cublasStatus_t cublas##S##axpy_v2(cublasHandle_t handle, int n, const U *alpha,          \
                                           const U *x, int incx, U *y, int incy) {                \
    NEED_HANDLE(handle);                                                                          \
    NEED(alpha);                                                                                  \
    LAUNCH(n, axpy<Native<U>>, n, scalar(handle, native(alpha)), vector_of(native(x), n, incx),   \
           vector_of(native(y), n, incy));                                                        \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##scal_v2(cublasHandle_t handle, int n, const U *alpha, U *x,    \
                                           int incx) {                                            \
    NEED_HANDLE(handle);                                                                          \
    NEED(alpha);                                                                                  \
    if (incx <= 0) return CUBLAS_STATUS_SUCCESS;                                                  \
    LAUNCH(n, scal<Native<U>>, n, scalar(handle, native(alpha)), vector_of(native(x), n, incx));  \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##copy_v2(cublasHandle_t handle, int n, const U *x, int incx,    \
                                           U *y, int incy) {                                      \
    NEED_HANDLE(handle);                                                                          \
    LAUNCH(n, copy<Native<U>>, n, vector_of(native(x), n, incx), vector_of(native(y), n, incy));  \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##swap_v2(cublasHandle_t handle, int n, U *x, int incx, U *y,    \
                                           int incy) {                                            \
    NEED_HANDLE(handle);                                                                          \
    LAUNCH(n, swap<Native<U>>, n, vector_of(native(x), n, incx), vector_of(native(y), n, incy));  \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##A##asum_v2(cublasHandle_t handle, int n, const U *x, int incx,    \
                                           R *result) {                                           \
    return sum<ABSOLUTE, R>(handle, incx > 0 ? n : 0, native(x), incx, native(x), incx, result);     \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##A##nrm2_v2(cublasHandle_t handle, int n, const U *x, int incx,    \
                                           R *result) {                                           \
    return norm<R>(handle, n, native(x), incx, result);                                           \
  }                                                                                               \
  EXPORT cublasStatus_t cublasI##I##amax_v2(cublasHandle_t handle, int n, const U *x, int incx,   \
                                            int *result) {                                        \
    return place<LARGEST>(handle, n, native(x), incx, result);                                    \
  }                                                                                               \
  EXPORT cublasStatus_t cublasI##I##amin_v2(cublasHandle_t handle, int n, const U *x, int incx,   \
                                            int *result) {                                        \
    return place<SMALLEST>(handle, n, native(x), incx, result);                                   \
  }
CALLS(S, s, S, float, float)
CALLS(D, d, D, double, double)
CALLS(C, c, Sc, cuComplex, float)
CALLS(Z, z, Dz, cuDoubleComplex, double)

#define DOT(name, term, U)                                                                        \
  EXPORT cublasStatus_t name(cublasHandle_t handle, int n, const U *x, int incx, const U *y,      \
                             int incy, U *result) {                                               \
    return sum<term, Native<U>>(handle, n, native(x), incx, native(y), incy, native(result));     \
  }
DOT(cublasSdot_v2, PRODUCT, float)
DOT(cublasDdot_v2, PRODUCT, double)
DOT(cublasCdotu_v2, PRODUCT, cuComplex)
DOT(cublasZdotu_v2, PRODUCT, cuDoubleComplex)
DOT(cublasCdotc_v2, CONJUGATE_PRODUCT, cuComplex)
DOT(cublasZdotc_v2, CONJUGATE_PRODUCT, cuDoubleComplex)

#define ROTATION(name, U, R)                                                                      \
  EXPORT cublasStatus_t name(cublasHandle_t handle, int n, U *x, int incx, U *y, int incy,        \
                             const R *c, const R *s) {                                            \
    NEED_HANDLE(handle);                                                                          \
    NEED(c &&s);                                                                                  \
    LAUNCH(n, rot<Native<U>>, n, vector_of(native(x), n, incx), vector_of(native(y), n, incy),    \
           real_scalar<Native<U>>(handle, c), real_scalar<Native<U>>(handle, s));                 \
  }
ROTATION(cublasSrot_v2, float, float)
ROTATION(cublasDrot_v2, double, double)
ROTATION(cublasCsrot_v2, cuComplex, float)
ROTATION(cublasZdrot_v2, cuDoubleComplex, double)

#define REAL_SCALE(name, U, R)                                                                    \
  EXPORT cublasStatus_t name(cublasHandle_t handle, int n, const R *alpha, U *x, int incx) {      \
    NEED_HANDLE(handle);                                                                          \
    NEED(alpha);                                                                                  \
    if (incx <= 0) return CUBLAS_STATUS_SUCCESS;                                                  \
    LAUNCH(n, scal<Native<U>>, n, real_scalar<Native<U>>(handle, alpha),                          \
           vector_of(native(x), n, incx));                                                        \
  }
REAL_SCALE(cublasCsscal_v2, cuComplex, float)
REAL_SCALE(cublasZdscal_v2, cuDoubleComplex, double)
