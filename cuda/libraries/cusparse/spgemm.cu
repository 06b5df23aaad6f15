// SPDX-License-Identifier: MIT
// Products of two sparse matrices by rows. The number of products bounds the length of each
// row; a thread per row keeps its entries sorted while it adds them.
#include "context.h"

struct cusparseSpGEMMDescr {
  long long products = 0;
  void *bounds = nullptr, *lists = nullptr;  // buffers of the program
};

__global__ void count_products(cusparseSpMatDescr a, cusparseSpMatDescr b, Indices bounds) {
  GRID_LOOP(row, a.rows) {
    long long count = 0;
    for (long long i = a.offsets.get(row); i < a.offsets.get(row + 1); i++) {
      long long k = a.indices.get(i);
      count += b.offsets.get(k + 1) - b.offsets.get(k);
    }
    bounds.set(row + 1, count);
  }
}

// Lists: offsets of the result, columns and values.
template <typename T>
struct Lists {
  Indices offsets;
  long long *columns;
  T *values;
};
template <typename T>
static Lists<T> lists_in(void *buffer, long long rows, long long products) {
  long long *at = static_cast<long long *>(buffer);
  T *values = reinterpret_cast<T *>(at);  // first, for their alignment
  long long *columns = reinterpret_cast<long long *>(values + products);
  return Lists<T>{Indices{columns + products, CUSPARSE_INDEX_64I, 0}, columns, values};
}

// Adds to a sorted list of `count` columns.
template <typename T>
__device__ long long add_to_list(long long *columns, T *values, long long count, long long column,
                                 T value) {
  long long low = 0, high = count;
  while (low < high) {
    long long middle = (low + high) / 2;
    if (columns[middle] < column) low = middle + 1;
    else high = middle;
  }
  if (low < count && columns[low] == column) {
    values[low] += value;
    return count;
  }
  for (long long i = count; i > low; i--) columns[i] = columns[i - 1], values[i] = values[i - 1];
  columns[low] = column, values[low] = value;
  return count + 1;
}

template <typename T>
__global__ void multiply_rows(cusparseSpMatDescr a, cusparseSpMatDescr b, Scalar<T> alpha,
                              Indices bounds, Lists<T> lists) {
  GRID_LOOP(row, a.rows) {
    long long first = bounds.get(row), count = 0;
    for (long long i = a.offsets.get(row); i < a.offsets.get(row + 1); i++) {
      long long k = a.indices.get(i);
      T factor = alpha.get() * load<T>(a.values, i);
      for (long long j = b.offsets.get(k); j < b.offsets.get(k + 1); j++)
        count = add_to_list(lists.columns + first, lists.values + first, count, b.indices.get(j),
                            factor * load<T>(b.values, j));
    }
    lists.offsets.set(row + 1, count);
  }
}
template <typename T>
__global__ void copy_rows(Indices bounds, Lists<T> lists, cusparseSpMatDescr c) {
  GRID_LOOP(row, c.rows + 1) {
    long long to = lists.offsets.get(row);
    c.offsets.set(row, to);
    if (row == c.rows) continue;
    long long first = bounds.get(row), count = lists.offsets.get(row + 1) - to;
    for (long long i = 0; i < count; i++) {
      c.indices.set(to + i, lists.columns[first + i]);
      store<T>(c.values, to + i, lists.values[first + i]);
    }
  }
}

// ---- calls

EXPORT cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *descr) {
  NEED(descr);
  *descr = new cusparseSpGEMMDescr();
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr) {
  delete descr;
  return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t check(cusparseHandle_t handle, cusparseOperation_t op_a,
                              cusparseOperation_t op_b, cusparseConstSpMatDescr_t a,
                              cusparseConstSpMatDescr_t b, cusparseConstSpMatDescr_t c,
                              cudaDataType compute, cusparseSpGEMMDescr_t descr) {
  NEED_HANDLE(handle);
  NEED(a && b && c && descr && a->cols == b->rows && c->rows == a->rows && c->cols == b->cols);
  for (cusparseConstSpMatDescr_t it : {a, b, c})
    if (it->format != CUSPARSE_FORMAT_CSR || it->values.type != compute)
      return not_supported("cusparseSpGEMM of these formats or types");
  if (op_a != CUSPARSE_OPERATION_NON_TRANSPOSE || op_b != CUSPARSE_OPERATION_NON_TRANSPOSE)
    return not_supported("cusparseSpGEMM of a transposed matrix");
  return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t read_last(Indices from, long long n, cudaStream_t stream, long long *last) {
  cudaMemcpyAsync(last, static_cast<const long long *>(from.at) + n, 8, cudaMemcpyDeviceToHost, stream);
  return cudaStreamSynchronize(stream) == cudaSuccess ? CUSPARSE_STATUS_SUCCESS
                                                      : CUSPARSE_STATUS_EXECUTION_FAILED;
}

EXPORT cusparseStatus_t cusparseSpGEMM_workEstimation(HEDDLE_SPGEMM, size_t *bytes, void *buffer) {
  (void)alpha, (void)beta, (void)algorithm;
  cusparseStatus_t status = check(handle, op_a, op_b, a, b, c, compute, descr);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  NEED(bytes);
  *bytes = (size_t)(a->rows + 1) * 8;
  if (!buffer) return status;
  descr->bounds = buffer;
  Indices bounds = {buffer, CUSPARSE_INDEX_64I, 0};
  count_products<<<blocks_for(a->rows), THREADS, 0, handle->stream>>>(*a, *b, bounds);
  scan(bounds, a->rows, handle->stream);
  return read_last(bounds, a->rows, handle->stream, &descr->products);
}

// The result replaces C: a factor for the old one is not provided.
template <typename T>
static bool is_zero(cusparseHandle_t handle, const void *beta) {
  return handle->pointers == CUSPARSE_POINTER_MODE_HOST && *static_cast<const T *>(beta) == T(0);
}

EXPORT cusparseStatus_t cusparseSpGEMM_compute(HEDDLE_SPGEMM, size_t *bytes, void *buffer) {
  (void)algorithm;
  cusparseStatus_t status = check(handle, op_a, op_b, a, b, c, compute, descr);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  NEED(alpha && beta && bytes && descr->bounds);
  return with_type(compute, [&](auto zero) {
    typedef decltype(zero) T;
    *bytes = (size_t)(descr->products * (8 + (long long)sizeof(T)) + (a->rows + 1) * 8);
    if (!buffer) return CUSPARSE_STATUS_SUCCESS;
    if (!is_zero<T>(handle, beta)) return not_supported("cusparseSpGEMM with beta other than 0");
    descr->lists = buffer;
    Lists<T> lists = lists_in<T>(buffer, a->rows, descr->products);
    multiply_rows<T><<<blocks_for(a->rows), THREADS, 0, handle->stream>>>(
        *a, *b, scalar<T>(handle, alpha), Indices{descr->bounds, CUSPARSE_INDEX_64I, 0}, lists);
    scan(lists.offsets, a->rows, handle->stream);
    return read_last(lists.offsets, a->rows, handle->stream, &c->nnz);
  });
}
EXPORT cusparseStatus_t cusparseSpGEMM_copy(HEDDLE_SPGEMM) {
  (void)alpha, (void)beta, (void)algorithm;
  cusparseStatus_t status = check(handle, op_a, op_b, a, b, c, compute, descr);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  NEED(descr->lists && c->offsets.at);
  return with_type(compute, [&](auto zero) {
    typedef decltype(zero) T;
    copy_rows<T><<<blocks_for(c->rows + 1), THREADS, 0, handle->stream>>>(
        Indices{descr->bounds, CUSPARSE_INDEX_64I, 0}, lists_in<T>(descr->lists, a->rows, descr->products),
        *c);
    return launched();
  });
}
