// SPDX-License-Identifier: MIT
// Sparse vectors with dense ones.
#include "context.h"

template <typename T>
__global__ void scale(Values y, long long size, Scalar<T> factor) {
  T beta = factor.get();
  GRID_LOOP(i, size) store<T>(y, i, beta == T(0) ? T(0) : beta * load<T>(y, i));
}
template <typename T>
__global__ void add_sparse(Indices indices, Values x, long long nnz, Scalar<T> alpha, Values y) {
  GRID_LOOP(i, nnz) {
    long long at = indices.get(i);
    store<T>(y, at, load<T>(y, at) + alpha.get() * load<T>(x, i));
  }
}
template <typename T>
__global__ void gather(Indices indices, Values x, long long nnz, Values y) {
  GRID_LOOP(i, nnz) store<T>(x, i, load<T>(y, indices.get(i)));
}
template <typename T>
__global__ void scatter(Indices indices, Values x, long long nnz, Values y) {
  GRID_LOOP(i, nnz) store<T>(y, indices.get(i), load<T>(x, i));
}
template <typename T>
__global__ void rotate(Indices indices, Values x, long long nnz, Values y, Scalar<T> c,
                       Scalar<T> s) {
  GRID_LOOP(i, nnz) {
    long long at = indices.get(i);
    T a = load<T>(x, i), b = load<T>(y, at);
    store<T>(x, i, c.get() * a + s.get() * b);
    store<T>(y, at, c.get() * b - s.get() * a);
  }
}

// In one block: sparse vectors are short.
template <typename T>
__global__ void dot(Indices indices, Values x, long long nnz, Values y, bool is_conjugated,
                    T *result) {
  __shared__ T parts[THREADS];
  T sum = T(0);
  for (long long i = threadIdx.x; i < nnz; i += THREADS)
    sum += conjugate_if(is_conjugated, load<T>(x, i)) * load<T>(y, indices.get(i));
  for (int step = THREADS / 2; step; step /= 2) {
    parts[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x < step) sum += parts[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) *result = sum;
}

// ---- calls

static bool go_together(cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y) {
  return x && y && x->size == y->size && x->values.type == y->values.type;
}

// Numbers are moved by size; those of 16 bits are f16 or bf16.
static cudaDataType moved_type(cudaDataType type) {
  return type == CUDA_R_16F || type == CUDA_R_16BF ? CUDA_R_32F : type;
}

EXPORT cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha,
                                      cusparseConstSpVecDescr_t x, const void *beta,
                                      cusparseDnVecDescr_t y) {
  NEED_HANDLE(handle);
  NEED(alpha && beta && go_together(x, y));
  return with_type(moved_type(x->values.type), [&](auto zero) {
    typedef decltype(zero) T;
    scale<T><<<blocks_for(y->size), THREADS, 0, handle->stream>>>(y->values, y->size,
                                                                  scalar<T>(handle, beta));
    add_sparse<T><<<blocks_for(x->nnz), THREADS, 0, handle->stream>>>(
        x->indices, x->values, x->nnz, scalar<T>(handle, alpha), y->values);
    return launched();
  });
}

#define MOVE(Name, kernel, Sparse, Dense, first, second)                                       \
  EXPORT cusparseStatus_t cusparse##Name(cusparseHandle_t handle, first, second) {             \
    NEED_HANDLE(handle);                                                                       \
    NEED(go_together(x, y));                                                                   \
    return with_type(moved_type(x->values.type), [&](auto zero) {                              \
      typedef decltype(zero) T;                                                                \
      kernel<T><<<blocks_for(x->nnz), THREADS, 0, handle->stream>>>(x->indices, x->values,     \
                                                                    x->nnz, y->values);        \
      return launched();                                                                       \
    });                                                                                        \
  }
MOVE(Gather, gather, , , cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x)
MOVE(Scatter, scatter, , , cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y)

EXPORT cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void *c, const void *s,
                                    cusparseSpVecDescr_t x, cusparseDnVecDescr_t y) {
  NEED_HANDLE(handle);
  NEED(c && s && go_together(x, y));
  return with_type(moved_type(x->values.type), [&](auto zero) {
    typedef decltype(zero) T;
    rotate<T><<<blocks_for(x->nnz), THREADS, 0, handle->stream>>>(
        x->indices, x->values, x->nnz, y->values, scalar<T>(handle, c), scalar<T>(handle, s));
    return launched();
  });
}

// The buffer holds the result until it is copied to the host.
EXPORT cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle,
                                                cusparseOperation_t operation,
                                                cusparseConstSpVecDescr_t x,
                                                cusparseConstDnVecDescr_t y, const void *result,
                                                cudaDataType compute, size_t *bytes) {
  (void)operation, (void)result, (void)compute;
  NEED_HANDLE(handle);
  NEED(go_together(x, y) && bytes);
  *bytes = sizeof(Complex<double>);
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t operation,
                                     cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                                     void *result, cudaDataType compute, void *buffer) {
  NEED_HANDLE(handle);
  NEED(go_together(x, y) && result);
  bool is_direct = handle->pointers == CUSPARSE_POINTER_MODE_DEVICE;
  NEED(is_direct || buffer);
  if (!can_take(compute, x->values.type)) return not_supported("cusparseSpVV of these types");
  return with_type(compute, [&](auto zero) {
    typedef decltype(zero) T;
    T *to = static_cast<T *>(is_direct ? result : buffer);
    dot<T><<<1, THREADS, 0, handle->stream>>>(
        x->indices, x->values, x->nnz, y->values,
        operation == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, to);
    if (is_direct) return launched();
    cudaError_t error =
        cudaMemcpyAsync(result, to, sizeof(T), cudaMemcpyDeviceToHost, handle->stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(handle->stream);
    return error == cudaSuccess ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
  });
}
