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
  Part<V> mine = {};
  V divisor = term == SCALED_SQUARE ? scale->value : V(1);
  GRID_LOOP(i, n)
  mine = combine<reduction>(mine, Part<V>{TermOf<T, V, term>::get(x[i], y[i], divisor), (int)i + 1});
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
    *result = 0;
  return launched();
}

// Empty vectors, and strides that BLAS takes for them, give 0.
template <Term term, typename T, typename V>
cublasStatus_t sum(cublasContext *context, int n, const T *x, int incx, const T *y, int incy,
                   V *result) {
  NEED_HANDLE(context);
  NEED(result);
  if (n <= 0) return deliver_zero(context, result);
  Scratch<V> scratch(context);
  reduce<SUM, term, T, V>(context, n, vector_of(x, n, incx), vector_of(y, n, incy), nullptr,
                          scratch.first);
  give_value<V><<<1, 1, 0, context->stream>>>(scratch.first, answer_of<V>(context, result));
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

template <typename T>
cublasStatus_t norm(cublasContext *context, int n, const T *x, int incx, Real<T> *result) {
  typedef Real<T> V;
  NEED_HANDLE(context);
  NEED(result);
  if (n <= 0 || incx <= 0) return deliver_zero(context, result);
  Scratch<V> scratch(context);
  Vector<const T> vector = vector_of(x, n, incx);
  reduce<LARGEST, ABSOLUTE, T, V>(context, n, vector, vector, nullptr, scratch.first);
  reduce<SUM, SCALED_SQUARE, T, V>(context, n, vector, vector, scratch.first, scratch.second);
  give_norm<V><<<1, 1, 0, context->stream>>>(scratch.first, scratch.second,
                                             answer_of<V>(context, result));
  return deliver<V>(context, result);
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
    return sum<ABSOLUTE>(handle, incx > 0 ? n : 0, native(x), incx, native(x), incx, result);     \
  }                                                                                               \
  EXPORT cublasStatus_t cublas##A##nrm2_v2(cublasHandle_t handle, int n, const U *x, int incx,    \
                                           R *result) {                                           \
    return norm(handle, n, native(x), incx, result);                                              \
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
    return sum<term>(handle, n, native(x), incx, native(y), incy, native(result));                \
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
