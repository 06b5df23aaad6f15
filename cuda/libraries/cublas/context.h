// SPDX-License-Identifier: MIT
// What the calls of cuBLAS share: the handle, scalars that are on the host or on the device,
// vectors with a stride, and checks.
#ifndef CUBLAS_CONTEXT_H
#define CUBLAS_CONTEXT_H

#include <cublas_v2.h>
#include <stdio.h>

#define EXPORT extern "C" __attribute__((visibility("default")))

struct cublasContext {
  cudaStream_t stream;
  cublasPointerMode_t pointers;
  cublasAtomicsMode_t atomics;
  cublasMath_t math;
  void *scratch;  // for reductions, on the device
};
enum { SCRATCH_BYTES = 16384 };

// A factor: read on the device if it is there.
template <typename T>
struct Scalar {
  T value;
  const T *device;
  __device__ T get() const { return device ? *device : value; }
};

template <typename T>
Scalar<T> scalar(const cublasContext *context, const T *pointer) {
  if (context->pointers == CUBLAS_POINTER_MODE_DEVICE) return Scalar<T>{T(), pointer};
  return Scalar<T>{*pointer, nullptr};
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
