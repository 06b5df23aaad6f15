// SPDX-License-Identifier: MIT
// What the calls of cuSPARSE share: the handle, descriptions, and how kernels see arrays whose
// types are known only at run time.
#ifndef CUSPARSE_CONTEXT_H
#define CUSPARSE_CONTEXT_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cusparse.h>
#include <stdio.h>

#include "../numbers.h"
#include "description.h"

#define EXPORT extern "C" __attribute__((visibility("default")))
#define NEED(condition) \
  if (!(condition)) return CUSPARSE_STATUS_INVALID_VALUE
#define NEED_HANDLE(handle) \
  if (!(handle)) return CUSPARSE_STATUS_NOT_INITIALIZED

enum { THREADS = 128 };

struct cusparseContext {
  cudaStream_t stream;
  cusparsePointerMode_t pointers;
};

// ---- arrays

struct Indices {
  const void *at;
  cusparseIndexType_t type;
  long long base;
  __device__ long long get(long long i) const {
    return (type == CUSPARSE_INDEX_64I ? static_cast<const long long *>(at)[i]
                                       : static_cast<const int *>(at)[i]) -
           base;
  }
  __device__ void set(long long i, long long value) const {
    if (type == CUSPARSE_INDEX_64I)
      static_cast<long long *>(const_cast<void *>(at))[i] = value + base;
    else
      static_cast<int *>(const_cast<void *>(at))[i] = (int)(value + base);
  }
};

struct Values {
  void *at;
  cudaDataType type;
};

template <typename T>
__device__ T load(Values values, long long i) {
  return static_cast<const T *>(values.at)[i];
}
template <>
__device__ inline float load(Values values, long long i) {
  if (values.type == CUDA_R_16F) return __half2float(static_cast<const __half *>(values.at)[i]);
  if (values.type == CUDA_R_16BF)
    return __bfloat162float(static_cast<const __nv_bfloat16 *>(values.at)[i]);
  return static_cast<const float *>(values.at)[i];
}
template <typename T>
__device__ void store(Values values, long long i, T value) {
  static_cast<T *>(values.at)[i] = value;
}
template <>
__device__ inline void store(Values values, long long i, float value) {
  if (values.type == CUDA_R_16F)
    static_cast<__half *>(values.at)[i] = __float2half(value);
  else if (values.type == CUDA_R_16BF)
    static_cast<__nv_bfloat16 *>(values.at)[i] = __float2bfloat16(value);
  else
    static_cast<float *>(values.at)[i] = value;
}

// ---- descriptions

struct cusparseSpVecDescr {
  long long size, nnz;
  Indices indices;
  Values values;
};
struct cusparseDnVecDescr {
  long long size;
  Values values;
};
// Compressed lines are rows (CSR) or columns (CSC); a COO matrix has an index per entry in
// place of offsets.
struct cusparseSpMatDescr {
  cusparseFormat_t format;
  long long rows, cols, nnz;
  Indices offsets, indices;
  Values values;
  cusparseFillMode_t fill;
  cusparseDiagType_t diagonal;
  int count;  // of a batch
  long long offsets_stride, values_stride;
  long long lines() const { return format == CUSPARSE_FORMAT_CSC ? cols : rows; }
};
struct cusparseDnMatDescr {
  long long rows, cols, ld;
  Values values;
  cusparseOrder_t order;
  int count;
  long long stride;
};

// ---- calls

template <typename T>
struct Scalar {
  T value;
  const T *device;
  __device__ T get() const { return device ? *device : value; }
};
template <typename T>
Scalar<T> scalar(const cusparseContext *context, const void *pointer) {
  const T *it = static_cast<const T *>(pointer);
  if (context->pointers == CUSPARSE_POINTER_MODE_DEVICE) return Scalar<T>{T(), it};
  return Scalar<T>{*it, nullptr};
}

inline cusparseStatus_t launched() {
  return cudaPeekAtLastError() == cudaSuccess ? CUSPARSE_STATUS_SUCCESS
                                              : CUSPARSE_STATUS_EXECUTION_FAILED;
}
inline cusparseStatus_t not_supported(const char *what) {
  fprintf(stderr, "heddle: cuSPARSE: %s is not supported\n", what);
  return CUSPARSE_STATUS_NOT_SUPPORTED;
}

inline unsigned blocks_for(long long count) {
  long long blocks = (count + THREADS - 1) / THREADS;
  return blocks < 1 ? 1 : blocks > 65535 ? 65535 : (unsigned)blocks;
}

#define GRID_LOOP(i, n)                                                         \
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < (n); \
       i += (long long)gridDim.x * blockDim.x)

// Calls f with a number of the type that sums have.
template <typename F>
cusparseStatus_t with_type(cudaDataType type, F f) {
  switch (type) {
    case CUDA_R_32F: return f(float());
    case CUDA_R_64F: return f(double());
    case CUDA_C_32F: return f(Complex<float>());
    case CUDA_C_64F: return f(Complex<double>());
    default: return not_supported("a computation in this type");
  }
}

// Sums of floats take f16 and bf16; other arrays have the type of the sum.
inline bool can_take(cudaDataType compute, cudaDataType type) {
  bool is_half = type == CUDA_R_16F || type == CUDA_R_16BF;
  return type == compute || (compute == CUDA_R_32F && is_half);
}

// result[0] = 0, result[i + 1] = the sum of the first i + 1 counts; in place.
void scan(Indices counts, long long n, cudaStream_t stream);

#endif
