// SPDX-License-Identifier: MIT
// What the calls of cuBLAS share: the handle, scalars that are on the host or on the device,
// vectors with a stride, and checks.
#ifndef CUBLAS_CONTEXT_H
#define CUBLAS_CONTEXT_H

#include <cublas_v2.h>
#include <stdio.h>

#include "../numbers.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

struct cublasContext {
  cudaStream_t stream;
  cublasPointerMode_t pointers;
  cublasAtomicsMode_t atomics;
  cublasMath_t math;
  void *scratch;  // for reductions, on the device
};
enum { SCRATCH_BYTES = 16384 };

// A factor: read on the device if it is there. is_real: a real one of complex numbers.
template <typename T>
struct Scalar {
  T value;
  const T *device;
  bool is_real;
  __device__ T get() const {
    if (!device) return value;
    return is_real ? T(*reinterpret_cast<const Real<T> *>(device)) : *device;
  }
};

template <typename T>
Scalar<T> scalar(const cublasContext *context, const T *pointer) {
  if (context->pointers == CUBLAS_POINTER_MODE_DEVICE) return Scalar<T>{T(), pointer, false};
  return Scalar<T>{*pointer, nullptr, false};
}
template <typename T>
Scalar<T> real_scalar(const cublasContext *context, const Real<T> *pointer) {
  bool is_there = context->pointers == CUBLAS_POINTER_MODE_DEVICE;
  if (is_there) return Scalar<T>{T(), reinterpret_cast<const T *>(pointer), true};
  return Scalar<T>{T(*pointer), nullptr, true};
}

// Pointers to the complex numbers of programs as pointers to those of kernels.
template <typename U>
struct Kernels {
  typedef U Type;
};
template <>
struct Kernels<cuComplex> {
  typedef Complex<float> Type;
};
template <>
struct Kernels<cuDoubleComplex> {
  typedef Complex<double> Type;
};
template <typename U>
using Native = typename Kernels<U>::Type;
template <typename U>
Native<U> *native(U *pointer) {
  return reinterpret_cast<Native<U> *>(pointer);
}
template <typename U>
const Native<U> *native(const U *pointer) {
  return reinterpret_cast<const Native<U> *>(pointer);
}

// Element i of a vector of n; as in BLAS, one with a negative stride begins at its far end.
template <typename T>
struct Vector {
  T *first;
  long long stride;
  __device__ T &operator[](long long i) const { return first[i * stride]; }
};

template <typename T>
Vector<T> vector_of(T *x, int n, int stride) {
  return Vector<T>{stride < 0 ? x + (long long)(1 - n) * stride : x, stride};
}

#define NEED(condition) \
  if (!(condition)) return CUBLAS_STATUS_INVALID_VALUE
#define NEED_HANDLE(handle) \
  if (!(handle)) return CUBLAS_STATUS_NOT_INITIALIZED

inline cublasStatus_t launched() {
  return cudaPeekAtLastError() == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                              : CUBLAS_STATUS_EXECUTION_FAILED;
}

inline unsigned blocks_for(long long count, int threads, unsigned most = 65535) {
  long long blocks = (count + threads - 1) / threads;
  return blocks < 1 ? 1 : blocks > most ? most : (unsigned)blocks;
}

inline cublasStatus_t not_supported(const char *what) {
  fprintf(stderr, "heddle: cuBLAS: %s is not supported\n", what);
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

#endif
