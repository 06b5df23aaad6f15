// SPDX-License-Identifier: MIT
// Products of sparse matrices with dense vectors and matrices.
//
// Along compressed lines of op(A) sums are gathered; across them, and for matrices of
// coordinates, entries are added to the result with atomics, once it has been scaled.
#include "context.h"

// A matrix of a batch as entries in lines, or as coordinates.
struct Entries {
  Indices offsets, indices;
  Values values;
  long long lines, nnz;
  bool is_coordinates, is_conjugated;
  bool is_across;  // lines are columns of op(A), or coordinates are swapped
};

static Entries entries_of(cusparseConstSpMatDescr_t a, cusparseOperation_t operation) {
  bool is_transposed = operation != CUSPARSE_OPERATION_NON_TRANSPOSE;
  return Entries{a->offsets, a->indices, a->values, a->lines(), a->nnz,
                 a->format == CUSPARSE_FORMAT_COO,
                 operation == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE,
                 is_transposed != (a->format == CUSPARSE_FORMAT_CSC)};
}

// Matrix `batch` of several with the same shape.
static size_t bytes_of(cusparseIndexType_t type) {
  return type == CUSPARSE_INDEX_64I ? 8 : 4;
}
static size_t bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_64F:
    case CUDA_C_32F: return 8;
    case CUDA_C_64F: return 16;
    case CUDA_R_16F:
    case CUDA_R_16BF: return 2;
    default: return 4;
  }
}
static Entries at_batch(Entries entries, cusparseConstSpMatDescr_t a, int batch) {
  if (a->count < 2) return entries;
  entries.offsets.at = static_cast<const char *>(entries.offsets.at) +
                       batch * a->offsets_stride * bytes_of(a->offsets.type);
  entries.indices.at = static_cast<const char *>(entries.indices.at) +
                       batch * a->values_stride * bytes_of(a->indices.type);
  entries.values.at = static_cast<char *>(entries.values.at) +
                      batch * a->values_stride * bytes_of(a->values.type);
  return entries;
}

// ---- vectors

// A line per `lanes` threads.
template <typename T>
__global__ void gather_lines(Entries a, Values x, Scalar<T> alpha, Scalar<T> beta, Values y,
                             int lanes) {
  long long thread = blockIdx.x * (long long)THREADS + threadIdx.x;
  long long groups = (long long)gridDim.x * THREADS / lanes, lane = thread % lanes;
  // Whole groups stay in the loop, for the shuffles.
  for (long long first = 0; first < a.lines; first += groups) {
    long long line = first + thread / lanes;
    bool is_inside = line < a.lines;
    T sum = T(0);
    long long end = is_inside ? a.offsets.get(line + 1) : 0;
    for (long long i = (is_inside ? a.offsets.get(line) : 0) + lane; i < end; i += lanes)
      sum += conjugate_if(a.is_conjugated, load<T>(a.values, i)) * load<T>(x, a.indices.get(i));
    for (int step = lanes / 2; step; step /= 2) sum += shuffle_down(sum, step, lanes);
    if (!is_inside || lane) continue;
    T old = beta.get(), value = alpha.get() * sum;
    store<T>(y, line, old == T(0) ? value : value + old * load<T>(y, line));
  }
}

template <typename T>
__global__ void scale_vector(Values y, long long size, Scalar<T> factor) {
  T beta = factor.get();
  GRID_LOOP(i, size) store<T>(y, i, beta == T(0) ? T(0) : beta * load<T>(y, i));
}

template <typename T>
__device__ void add_entry(const Entries &a, long long line, long long i, Values x, T alpha,
                          Values y) {
  long long index = a.indices.get(i), row = a.is_across ? index : line;
  long long column = a.is_across ? line : index;
  T value = conjugate_if(a.is_conjugated, load<T>(a.values, i));
  add_atomically(static_cast<T *>(y.at) + row, alpha * value * load<T>(x, column));
}
template <typename T>
__global__ void add_entries(Entries a, Values x, Scalar<T> alpha, Values y) {
  if (a.is_coordinates) {
    GRID_LOOP(i, a.nnz) add_entry<T>(a, a.offsets.get(i), i, x, alpha.get(), y);
    return;
  }
  GRID_LOOP(line, a.lines)
  for (long long i = a.offsets.get(line); i < a.offsets.get(line + 1); i++)
    add_entry<T>(a, line, i, x, alpha.get(), y);
}

// A power of 2 near the entries per line.
static int lanes_for(const Entries &a) {
  int lanes = 1;
  while (lanes < 32 && lanes * a.lines < a.nnz) lanes *= 2;
  return lanes;
}

// What both kinds of products check first.
static cusparseStatus_t check_product(cusparseHandle_t handle, cudaDataType compute, Values a,
                                      Values b, Values c, bool is_gathered, const char *name) {
  NEED_HANDLE(handle);
  bool can = can_take(compute, a.type) && can_take(compute, b.type) && can_take(compute, c.type);
  if (can && (is_gathered || c.type == compute)) return CUSPARSE_STATUS_SUCCESS;
  fprintf(stderr, "heddle: cuSPARSE: %s of these types is not supported\n", name);
  return CUSPARSE_STATUS_NOT_SUPPORTED;
}

EXPORT cusparseStatus_t cusparseSpMV_bufferSize(HEDDLE_SPMV, size_t *bytes) {
  (void)operation, (void)alpha, (void)beta, (void)compute, (void)algorithm;
  NEED_HANDLE(handle);
  NEED(a && x && y && bytes);
  *bytes = 0;
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseSpMV_preprocess(HEDDLE_SPMV, void *buffer) {
  (void)operation, (void)alpha, (void)beta, (void)compute, (void)algorithm, (void)buffer;
  NEED_HANDLE(handle);
  NEED(a && x && y);
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseSpMV(HEDDLE_SPMV, void *buffer) {
  (void)algorithm, (void)buffer;
  NEED(a && x && y && alpha && beta);
  bool is_transposed = operation != CUSPARSE_OPERATION_NON_TRANSPOSE;
  NEED(x->size == (is_transposed ? a->rows : a->cols));
  NEED(y->size == (is_transposed ? a->cols : a->rows));
  Entries entries = entries_of(a, operation);
  bool is_gathered = !entries.is_coordinates && !entries.is_across;
  cusparseStatus_t status = check_product(handle, compute, a->values, x->values, y->values,
                                          is_gathered, "cusparseSpMV");
  if (status != CUSPARSE_STATUS_SUCCESS || !y->size) return status;
  return with_type(compute, [&](auto zero) {
    typedef decltype(zero) T;
    Scalar<T> factor = scalar<T>(handle, alpha), old = scalar<T>(handle, beta);
    int lanes = lanes_for(entries);
    if (is_gathered)
      gather_lines<T><<<blocks_for(entries.lines * lanes), THREADS, 0, handle->stream>>>(
          entries, x->values, factor, old, y->values, lanes);
    if (!is_gathered)
      scale_vector<T><<<blocks_for(y->size), THREADS, 0, handle->stream>>>(y->values, y->size, old);
    if (!is_gathered)
      add_entries<T><<<blocks_for(entries.is_coordinates ? a->nnz : entries.lines), THREADS, 0,
                       handle->stream>>>(entries, x->values, factor, y->values);
    return launched();
  });
}

// ---- matrices

struct Dense {
  Values values;
  long long rows, cols, row_step, col_step;
  bool is_conjugated;
  __device__ long long at(long long i, long long j) const { return i * row_step + j * col_step; }
};

static Dense dense_of(cusparseConstDnMatDescr_t b, cusparseOperation_t operation, int batch) {
  bool is_by_columns = b->order == CUSPARSE_ORDER_COL;
  Dense dense = {b->values, b->rows, b->cols, is_by_columns ? 1 : b->ld, is_by_columns ? b->ld : 1,
                 operation == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
  if (b->count > 1)
    dense.values.at = static_cast<char *>(b->values.at) + batch * b->stride * bytes_of(b->values.type);
  if (operation == CUSPARSE_OPERATION_NON_TRANSPOSE) return dense;
  return Dense{dense.values, b->cols, b->rows, dense.col_step, dense.row_step, dense.is_conjugated};
}

template <typename T>
__device__ T element(const Dense &b, long long i, long long j) {
  return conjugate_if(b.is_conjugated, load<T>(b.values, b.at(i, j)));
}

// An element of C per thread; neighbours in memory are neighbours in a warp.
template <typename T>
__global__ void gather_elements(Entries a, Dense b, Scalar<T> alpha, Scalar<T> beta, Dense c) {
  GRID_LOOP(at, c.rows * c.cols) {
    long long i = c.row_step == 1 ? at % c.rows : at / c.cols;
    long long j = c.row_step == 1 ? at / c.rows : at % c.cols;
    T sum = T(0);
    for (long long k = a.offsets.get(i); k < a.offsets.get(i + 1); k++)
      sum += conjugate_if(a.is_conjugated, load<T>(a.values, k)) * element<T>(b, a.indices.get(k), j);
    T old = beta.get(), value = alpha.get() * sum;
    store<T>(c.values, c.at(i, j),
             old == T(0) ? value : value + old * load<T>(c.values, c.at(i, j)));
  }
}
template <typename T>
__global__ void scale_matrix(Dense c, Scalar<T> factor) {
  T beta = factor.get();
  GRID_LOOP(at, c.rows * c.cols) {
    long long place = c.at(at % c.rows, at / c.rows);
    store<T>(c.values, place, beta == T(0) ? T(0) : beta * load<T>(c.values, place));
  }
}
// A block per line or coordinate; its threads take columns.
template <typename T>
__global__ void add_rows(Entries a, Dense b, Scalar<T> alpha, Dense c) {
  long long count = a.is_coordinates ? a.nnz : a.lines;
  for (long long at = blockIdx.x; at < count; at += gridDim.x) {
    long long line = a.is_coordinates ? a.offsets.get(at) : at;
    long long first = a.is_coordinates ? at : a.offsets.get(line);
    long long end = a.is_coordinates ? at + 1 : a.offsets.get(line + 1);
    for (long long k = first; k < end; k++) {
      long long index = a.indices.get(k), row = a.is_across ? index : line;
      long long column = a.is_across ? line : index;
      T value = alpha.get() * conjugate_if(a.is_conjugated, load<T>(a.values, k));
      for (long long j = threadIdx.x; j < c.cols; j += THREADS)
        add_atomically(static_cast<T *>(c.values.at) + c.at(row, j), value * element<T>(b, column, j));
    }
  }
}

EXPORT cusparseStatus_t cusparseSpMM_bufferSize(HEDDLE_SPMM, size_t *bytes) {
  (void)op_a, (void)op_b, (void)alpha, (void)beta, (void)compute, (void)algorithm;
  NEED_HANDLE(handle);
  NEED(a && b && c && bytes);
  *bytes = 0;
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseSpMM_preprocess(HEDDLE_SPMM, void *buffer) {
  (void)op_a, (void)op_b, (void)alpha, (void)beta, (void)compute, (void)algorithm, (void)buffer;
  NEED_HANDLE(handle);
  NEED(a && b && c);
  return CUSPARSE_STATUS_SUCCESS;
}

template <typename T>
static void multiply(cusparseHandle_t handle, Scalar<T> alpha, const Entries &entries,
                     const Dense &b, Scalar<T> beta, const Dense &c) {
  unsigned blocks = blocks_for(c.rows * c.cols);
  if (!entries.is_coordinates && !entries.is_across) {
    gather_elements<T><<<blocks, THREADS, 0, handle->stream>>>(entries, b, alpha, beta, c);
    return;
  }
  long long count = entries.is_coordinates ? entries.nnz : entries.lines;
  scale_matrix<T><<<blocks, THREADS, 0, handle->stream>>>(c, beta);
  add_rows<T><<<blocks_for(count * THREADS), THREADS, 0, handle->stream>>>(entries, b, alpha, c);
}

EXPORT cusparseStatus_t cusparseSpMM(HEDDLE_SPMM, void *buffer) {
  (void)algorithm, (void)buffer;
  NEED(a && b && c && alpha && beta);
  Entries entries = entries_of(a, op_a);
  Dense right = dense_of(b, op_b, 0), left = dense_of(c, CUSPARSE_OPERATION_NON_TRANSPOSE, 0);
  bool is_transposed = op_a != CUSPARSE_OPERATION_NON_TRANSPOSE;
  NEED(left.rows == (is_transposed ? a->cols : a->rows) && left.cols == right.cols);
  NEED(right.rows == (is_transposed ? a->rows : a->cols));
  cusparseStatus_t status =
      check_product(handle, compute, a->values, b->values, c->values,
                    !entries.is_coordinates && !entries.is_across, "cusparseSpMM");
  if (status != CUSPARSE_STATUS_SUCCESS || !left.rows || !left.cols) return status;
  return with_type(compute, [&](auto zero) {
    typedef decltype(zero) T;
    for (int i = 0; i < c->count; i++)
      multiply<T>(handle, scalar<T>(handle, alpha), at_batch(entries, a, i), dense_of(b, op_b, i),
                  scalar<T>(handle, beta), dense_of(c, CUSPARSE_OPERATION_NON_TRANSPOSE, i));
    return launched();
  });
}

// ---- dense products at the places of sparse entries

// A block per line; its threads take entries.
template <typename T>
__global__ void sample_products(Entries c, Dense a, Dense b, Scalar<T> alpha, Scalar<T> beta) {
  for (long long line = blockIdx.x; line < c.lines; line += gridDim.x)
    for (long long k = c.offsets.get(line) + threadIdx.x; k < c.offsets.get(line + 1); k += THREADS) {
      long long index = c.indices.get(k), row = c.is_across ? index : line;
      long long column = c.is_across ? line : index;
      T sum = T(0), old = beta.get();
      for (long long l = 0; l < a.cols; l++) sum += element<T>(a, row, l) * element<T>(b, l, column);
      T value = alpha.get() * sum;
      store<T>(c.values, k, old == T(0) ? value : value + old * load<T>(c.values, k));
    }
}

EXPORT cusparseStatus_t cusparseSDDMM_bufferSize(HEDDLE_SDDMM, size_t *bytes) {
  (void)op_a, (void)op_b, (void)alpha, (void)beta, (void)compute, (void)algorithm;
  NEED_HANDLE(handle);
  NEED(a && b && c && bytes);
  *bytes = 0;
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseSDDMM_preprocess(HEDDLE_SDDMM, void *buffer) {
  (void)op_a, (void)op_b, (void)alpha, (void)beta, (void)compute, (void)algorithm, (void)buffer;
  NEED_HANDLE(handle);
  NEED(a && b && c);
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseSDDMM(HEDDLE_SDDMM, void *buffer) {
  (void)algorithm, (void)buffer;
  NEED(a && b && c && alpha && beta);
  if (c->format == CUSPARSE_FORMAT_COO) return not_supported("cusparseSDDMM of coordinates");
  Dense left = dense_of(a, op_a, 0), right = dense_of(b, op_b, 0);
  NEED(left.cols == right.rows && left.rows == c->rows && right.cols == c->cols);
  Entries entries = entries_of(c, CUSPARSE_OPERATION_NON_TRANSPOSE);
  cusparseStatus_t status = check_product(handle, compute, a->values, b->values, c->values, true,
                                          "cusparseSDDMM");
  if (status != CUSPARSE_STATUS_SUCCESS || !c->nnz) return status;
  return with_type(compute, [&](auto zero) {
    typedef decltype(zero) T;
    for (int i = 0; i < c->count; i++)
      sample_products<T><<<blocks_for(c->lines() * THREADS), THREADS, 0, handle->stream>>>(
          at_batch(entries, c, i), dense_of(a, op_a, i), dense_of(b, op_b, i),
          scalar<T>(handle, alpha), scalar<T>(handle, beta));
    return launched();
  });
}
