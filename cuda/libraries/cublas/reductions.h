// SPDX-License-Identifier: MIT
// Sums, norms and places of the largest: up to PARTS blocks reduce a part each, one block
// reduces the parts.
#ifndef CUBLAS_REDUCTIONS_H
#define CUBLAS_REDUCTIONS_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "context.h"

enum { THREADS = 256, PARTS = 256 };
// A thread adds the sums of so many terms: rounding errors of one long sum grow with its length.
enum { RUN = 64 };

#define GRID_LOOP(i, n)                                                         \
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < (n); \
       i += (long long)gridDim.x * blockDim.x)

// A partial result; index only of maxima and minima. From 1; 0: nothing yet.
template <typename T>
struct Part {
  T value;
  int index;
};

enum Reduction { SUM, LARGEST, SMALLEST };

template <typename T>
__device__ bool is_less(T a, T b) {
  return a < b;
}
template <typename T>
__device__ bool is_less(Complex<T>, Complex<T>) {
  return false;  // complex numbers are only added
}

// Ties go to the lower index, as in BLAS.
template <Reduction reduction, typename T>
__device__ Part<T> combine(Part<T> a, Part<T> b) {
  if (reduction == SUM) return Part<T>{a.value + b.value, 0};
  if (!a.index || !b.index) return a.index ? a : b;
  bool is_better = reduction == LARGEST ? is_less(a.value, b.value) : is_less(b.value, a.value);
  bool is_tied = b.value == a.value && b.index < a.index;
  return is_better || is_tied ? b : a;
}

// Sums of products, absolute values or squares of quotients; or absolute values and places.
enum Term { PRODUCT, CONJUGATE_PRODUCT, ABSOLUTE, SCALED_SQUARE };

// Of complex numbers BLAS adds the absolute values of both parts.
template <typename T>
__device__ T absolute(T x) {
  return x < 0 ? -x : x;
}
template <typename T>
__device__ T absolute(Complex<T> x) {
  return absolute(x.x) + absolute(x.y);
}
template <typename T>
__device__ T square(T x, T divisor) {
  T part = divisor > 0 ? x / divisor : x;
  return divisor > 0 ? part * part : absolute(x);
}
template <typename T>
__device__ T square(Complex<T> x, T divisor) {
  return square(x.x, divisor) + square(x.y, divisor);
}

// Terms are of the numbers' type, or real.
template <typename T, typename V, Term term>
struct TermOf {
  static __device__ V get(T x, T, V divisor) {
    return term == ABSOLUTE ? absolute(x) : square(x, divisor);
  }
};
template <typename T>
struct TermOf<T, T, PRODUCT> {
  static __device__ T get(T x, T y, T) { return x * y; }
};
template <typename T>
struct TermOf<T, T, CONJUGATE_PRODUCT> {
  static __device__ T get(T x, T y, T) { return conjugate(x) * y; }
};

// Numbers of 16 bits are summed as floats.
template <Term term>
struct TermOf<__half, float, term> {
  static __device__ float get(__half x, __half y, float divisor) {
    return TermOf<float, float, term>::get(__half2float(x), __half2float(y), divisor);
  }
};
template <Term term>
struct TermOf<__nv_bfloat16, float, term> {
  static __device__ float get(__nv_bfloat16 x, __nv_bfloat16 y, float divisor) {
    return TermOf<float, float, term>::get(__bfloat162float(x), __bfloat162float(y), divisor);
  }
};

template <Reduction reduction, typename T>
__device__ Part<T> reduce_block(Part<T> mine) {
  __shared__ T values[THREADS];
  __shared__ int indices[THREADS];
  for (int step = THREADS / 2; step; step /= 2) {
    values[threadIdx.x] = mine.value, indices[threadIdx.x] = mine.index;
    __syncthreads();
    if (threadIdx.x < step)
      mine = combine<reduction>(mine,
                                Part<T>{values[threadIdx.x + step], indices[threadIdx.x + step]});
    __syncthreads();
  }
  return mine;
}

template <Reduction reduction, Term term, typename T, typename V>
__global__ void reduce_parts(int n, Vector<const T> x, Vector<const T> y, const Part<V> *scale,
                             Part<V> *parts) {
  Part<V> mine = {}, run = {};
  V divisor = term == SCALED_SQUARE ? scale->value : V(1);
  int length = 0;
  GRID_LOOP(i, n) {
    run = combine<reduction>(run, Part<V>{TermOf<T, V, term>::get(x[i], y[i], divisor), (int)i + 1});
    if (++length % RUN) continue;
    mine = combine<reduction>(mine, run);
    run = Part<V>{};
  }
  mine = reduce_block<reduction>(combine<reduction>(mine, run));
  if (threadIdx.x == 0) parts[blockIdx.x] = mine;
}

template <Reduction reduction, typename T>
__global__ void reduce_rest(int count, Part<T> *parts, Part<T> *whole) {
  Part<T> mine = threadIdx.x < count ? parts[threadIdx.x] : Part<T>{};
  mine = reduce_block<reduction>(mine);
  if (threadIdx.x == 0) *whole = mine;
}

template <typename T, typename R>
__global__ void give_value(const Part<T> *from, R *to) {
  *to = R(from->value);
}
template <typename T>
__global__ void give_index(const Part<T> *from, int *to) {
  *to = from->index;
}
// The root of a sum of squares that were divided by the largest value.
template <typename T, typename R>
__global__ void give_norm(const Part<T> *largest, const Part<T> *from, R *to) {
  *to = R(largest->value > 0 && !isinf(largest->value) ? largest->value * sqrt(from->value)
                                                       : largest->value + 0 * from->value);
}

// Scratch: two results, an answer, then the parts.
template <typename T>
struct Scratch {
  Part<T> *first, *second, *parts;
  T *answer;
  explicit Scratch(const cublasContext *context)
      : first(static_cast<Part<T> *>(context->scratch)),
        second(first + 1),
        parts(first + 4),
        answer(reinterpret_cast<T *>(first + 2)) {}
};

template <Reduction reduction, Term term, typename T, typename V>
void reduce(cublasContext *context, int n, Vector<const T> x, Vector<const T> y,
            const Part<V> *scale, Part<V> *whole) {
  unsigned blocks = blocks_for(n, THREADS, PARTS);
  Scratch<V> scratch(context);
  reduce_parts<reduction, term, T, V>
      <<<blocks, THREADS, 0, context->stream>>>(n, x, y, scale, scratch.parts);
  reduce_rest<reduction, V><<<1, THREADS, 0, context->stream>>>(blocks, scratch.parts, whole);
}

// Where a kernel writes the answer.
template <typename T, typename R>
R *answer_of(cublasContext *context, R *result) {
  bool is_direct = context->pointers == CUBLAS_POINTER_MODE_DEVICE;
  return is_direct ? result : reinterpret_cast<R *>(Scratch<T>(context).answer);
}

// Answers for the host are awaited.
template <typename T, typename R>
cublasStatus_t deliver(cublasContext *context, R *result) {
  if (context->pointers == CUBLAS_POINTER_MODE_DEVICE) return launched();
  cudaError_t error = cudaMemcpyAsync(result, Scratch<T>(context).answer, sizeof(R),
                                      cudaMemcpyDeviceToHost, context->stream);
  if (error == cudaSuccess) error = cudaStreamSynchronize(context->stream);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

template <typename R>
cublasStatus_t deliver_zero(cublasContext *context, R *result) {
  if (context->pointers == CUBLAS_POINTER_MODE_DEVICE)
    cudaMemsetAsync(result, 0, sizeof(R), context->stream);
  else
    *result = R(0.0f);
  return launched();
}

// Empty vectors, and strides that BLAS takes for them, give 0.
template <Term term, typename V, typename T, typename R>
cublasStatus_t sum(cublasContext *context, int n, const T *x, int incx, const T *y, int incy,
                   R *result) {
  NEED_HANDLE(context);
  NEED(result);
  if (n <= 0) return deliver_zero(context, result);
  Scratch<V> scratch(context);
  reduce<SUM, term, T, V>(context, n, vector_of(x, n, incx), vector_of(y, n, incy), nullptr,
                          scratch.first);
  give_value<V, R><<<1, 1, 0, context->stream>>>(scratch.first, answer_of<V>(context, result));
  return deliver<V>(context, result);
}

template <Reduction reduction, typename T>
cublasStatus_t place(cublasContext *context, int n, const T *x, int incx, int *result) {
  typedef Real<T> V;
  NEED_HANDLE(context);
  NEED(result);
  if (n <= 0 || incx <= 0) return deliver_zero(context, result);
  Scratch<V> scratch(context);
  Vector<const T> vector = vector_of(x, n, incx);
  reduce<reduction, ABSOLUTE, T, V>(context, n, vector, vector, nullptr, scratch.first);
  give_index<V><<<1, 1, 0, context->stream>>>(scratch.first, answer_of<V>(context, result));
  return deliver<V>(context, result);
}

template <typename V, typename T, typename R>
cublasStatus_t norm(cublasContext *context, int n, const T *x, int incx, R *result) {
  NEED_HANDLE(context);
  NEED(result);
  if (n <= 0 || incx <= 0) return deliver_zero(context, result);
  Scratch<V> scratch(context);
  Vector<const T> vector = vector_of(x, n, incx);
  reduce<LARGEST, ABSOLUTE, T, V>(context, n, vector, vector, nullptr, scratch.first);
  reduce<SUM, SCALED_SQUARE, T, V>(context, n, vector, vector, scratch.first, scratch.second);
  give_norm<V, R>
      <<<1, 1, 0, context->stream>>>(scratch.first, scratch.second, answer_of<V>(context, result));
  return deliver<V>(context, result);
}

#endif
