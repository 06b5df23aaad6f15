// SPDX-License-Identifier: MIT
// Level 1: vectors with vectors. Reductions have two steps: up to PARTS blocks reduce a part
// each, one block reduces the parts.
#include "context.h"

enum { THREADS = 256, PARTS = 256 };

#define GRID_LOOP(i, n)                                                         \
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < (n); \
       i += (long long)gridDim.x * blockDim.x)

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

// ---- reductions

// A partial result; index only of maxima and minima. From 1; 0: nothing yet.
template <typename T>
struct Part {
  T value;
  int index;
};

enum Reduction { SUM, LARGEST, SMALLEST };

// Ties go to the lower index, as in BLAS.
template <Reduction reduction, typename T>
__device__ Part<T> combine(Part<T> a, Part<T> b) {
  if (reduction == SUM) return Part<T>{a.value + b.value, 0};
  if (!a.index || !b.index) return a.index ? a : b;
  bool is_better = reduction == LARGEST ? b.value > a.value : b.value < a.value;
  bool is_tied = b.value == a.value && b.index < a.index;
  return is_better || is_tied ? b : a;
}

// Sums of products, absolute values or squares of quotients; or absolute values and places.
enum Term { PRODUCT, ABSOLUTE, SCALED_SQUARE };

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

template <Reduction reduction, Term term, typename T>
__global__ void reduce_parts(int n, Vector<const T> x, Vector<const T> y, const Part<T> *scale,
                             Part<T> *parts) {
  Part<T> mine = {};
  T divisor = term == SCALED_SQUARE ? scale->value : T(1);
  GRID_LOOP(i, n) {
    T value = term == PRODUCT ? x[i] * y[i] : x[i] < 0 ? -x[i] : x[i];
    if (term == SCALED_SQUARE) value = divisor > 0 ? value / divisor * (value / divisor) : value;
    mine = combine<reduction>(mine, Part<T>{value, (int)i + 1});
  }
  mine = reduce_block<reduction>(mine);
  if (threadIdx.x == 0) parts[blockIdx.x] = mine;
}

template <Reduction reduction, typename T>
__global__ void reduce_rest(int count, Part<T> *parts, Part<T> *whole) {
  Part<T> mine = threadIdx.x < count ? parts[threadIdx.x] : Part<T>{};
  mine = reduce_block<reduction>(mine);
  if (threadIdx.x == 0) *whole = mine;
}

template <typename T>
__global__ void give_value(const Part<T> *from, T *to) {
  *to = from->value;
}
template <typename T>
__global__ void give_index(const Part<T> *from, int *to) {
  *to = from->index;
}
// The root of a sum of squares that were divided by the largest value.
template <typename T>
__global__ void give_norm(const Part<T> *largest, const Part<T> *from, T *to) {
  *to = largest->value > 0 && !isinf(largest->value) ? largest->value * sqrt(from->value)
                                                     : largest->value + 0 * from->value;
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

template <Reduction reduction, Term term, typename T>
void reduce(cublasContext *context, int n, Vector<const T> x, Vector<const T> y,
            const Part<T> *scale, Part<T> *whole) {
  unsigned blocks = blocks_for(n, THREADS, PARTS);
  Scratch<T> scratch(context);
  reduce_parts<reduction, term, T>
      <<<blocks, THREADS, 0, context->stream>>>(n, x, y, scale, scratch.parts);
  reduce_rest<reduction, T><<<1, THREADS, 0, context->stream>>>(blocks, scratch.parts, whole);
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
    *result = 0;
  return launched();
}

// Empty vectors, and strides that BLAS takes for them, give 0.
template <Term term, typename T>
cublasStatus_t sum(cublasContext *context, int n, const T *x, int incx, const T *y, int incy,
                   T *result) {
  NEED_HANDLE(context);
  NEED(result);
  if (n <= 0) return deliver_zero(context, result);
  Scratch<T> scratch(context);
  reduce<SUM, term, T>(context, n, vector_of(x, n, incx), vector_of(y, n, incy), nullptr,
                       scratch.first);
  give_value<T><<<1, 1, 0, context->stream>>>(scratch.first, answer_of<T>(context, result));
  return deliver<T>(context, result);
}

template <Reduction reduction, typename T>
cublasStatus_t place(cublasContext *context, int n, const T *x, int incx, int *result) {
  NEED_HANDLE(context);
  NEED(result);
  if (n <= 0 || incx <= 0) return deliver_zero(context, result);
  Scratch<T> scratch(context);
  Vector<const T> vector = vector_of(x, n, incx);
  reduce<reduction, ABSOLUTE, T>(context, n, vector, vector, nullptr, scratch.first);
  give_index<T><<<1, 1, 0, context->stream>>>(scratch.first, answer_of<T>(context, result));
  return deliver<T>(context, result);
}

template <typename T>
cublasStatus_t norm(cublasContext *context, int n, const T *x, int incx, T *result) {
  NEED_HANDLE(context);
  NEED(result);
  if (n <= 0 || incx <= 0) return deliver_zero(context, result);
  Scratch<T> scratch(context);
  Vector<const T> vector = vector_of(x, n, incx);
  reduce<LARGEST, ABSOLUTE, T>(context, n, vector, vector, nullptr, scratch.first);
  reduce<SUM, SCALED_SQUARE, T>(context, n, vector, vector, scratch.first, scratch.second);
  give_norm<T><<<1, 1, 0, context->stream>>>(scratch.first, scratch.second,
                                             answer_of<T>(context, result));
  return deliver<T>(context, result);
}

// ---- calls

#define LAUNCH(n, kernel, ...)                                                              \
  if ((n) > 0) kernel<<<blocks_for(n, THREADS), THREADS, 0, handle->stream>>>(__VA_ARGS__); \
  return launched()

#define CALLS(S, I, T)                                                                            \
  EXPORT cublasStatus_t cublas##S##axpy_v2(cublasHandle_t handle, int n, const T *alpha,          \
                                           const T *x, int incx, T *y, int incy) {                \
    NEED_HANDLE(handle);                                                                          \
    NEED(alpha);                                                                                  \
    LAUNCH(n, axpy<T>, n, scalar(handle, alpha), vector_of(x, n, incx), vector_of(y, n, incy));   \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##scal_v2(cublasHandle_t handle, int n, const T *alpha, T *x,    \
                                           int incx) {                                            \
    NEED_HANDLE(handle);                                                                          \
    NEED(alpha);                                                                                  \
    if (incx <= 0) return CUBLAS_STATUS_SUCCESS;                                                  \
    LAUNCH(n, scal<T>, n, scalar(handle, alpha), vector_of(x, n, incx));                          \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##copy_v2(cublasHandle_t handle, int n, const T *x, int incx,    \
                                           T *y, int incy) {                                      \
    NEED_HANDLE(handle);                                                                          \
    LAUNCH(n, copy<T>, n, vector_of(x, n, incx), vector_of(y, n, incy));                          \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##swap_v2(cublasHandle_t handle, int n, T *x, int incx, T *y,    \
                                           int incy) {                                            \
    NEED_HANDLE(handle);                                                                          \
    LAUNCH(n, swap<T>, n, vector_of(x, n, incx), vector_of(y, n, incy));                          \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##rot_v2(cublasHandle_t handle, int n, T *x, int incx, T *y,     \
                                          int incy, const T *c, const T *s) {                     \
    NEED_HANDLE(handle);                                                                          \
    NEED(c &&s);                                                                                  \
    LAUNCH(n, rot<T>, n, vector_of(x, n, incx), vector_of(y, n, incy), scalar(handle, c),         \
           scalar(handle, s));                                                                    \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##dot_v2(cublasHandle_t handle, int n, const T *x, int incx,     \
                                          const T *y, int incy, T *result) {                      \
    return sum<PRODUCT>(handle, n, x, incx, y, incy, result);                                     \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##asum_v2(cublasHandle_t handle, int n, const T *x, int incx,    \
                                           T *result) {                                           \
    return sum<ABSOLUTE>(handle, incx > 0 ? n : 0, x, incx, x, incx, result);                     \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##S##nrm2_v2(cublasHandle_t handle, int n, const T *x, int incx,    \
                                           T *result) {                                           \
    return norm(handle, n, x, incx, result);                                                      \
  }                                                                                               \
  EXPORT cublasStatus_t cublasI##I##amax_v2(cublasHandle_t handle, int n, const T *x, int incx,   \
                                            int *result) {                                        \
    return place<LARGEST>(handle, n, x, incx, result);                                            \
  }                                                                                               \
  EXPORT cublasStatus_t cublasI##I##amin_v2(cublasHandle_t handle, int n, const T *x, int incx,   \
                                            int *result) {                                        \
    return place<SMALLEST>(handle, n, x, incx, result);                                           \
  }
CALLS(S, s, float)
CALLS(D, d, double)
