// SPDX-License-Identifier: MIT
// Conversions between formats.
#include "context.h"

// One block; a thread sums a contiguous part.
__global__ void scan_counts(Indices counts, long long n) {
  __shared__ long long sums[THREADS];
  long long each = (n + THREADS - 1) / THREADS, first = threadIdx.x * each;
  long long end = first + each < n ? first + each : n, sum = 0;
  for (long long i = first; i < end; i++) sum += counts.get(i + 1) + counts.base;
  sums[threadIdx.x] = sum;
  __syncthreads();
  long long before = 0;
  for (int i = 0; i < (int)threadIdx.x; i++) before += sums[i];
  for (long long i = first; i < end; i++) {
    before += counts.get(i + 1) + counts.base;
    counts.set(i + 1, before);
  }
  if (threadIdx.x == 0) counts.set(0, 0);
}
void scan(Indices counts, long long n, cudaStream_t stream) {
  scan_counts<<<1, THREADS, 0, stream>>>(counts, n);
}

// ---- between sparse and dense

struct Grid {
  Values values;
  long long rows, cols, row_step, col_step;
  __device__ long long at(long long i, long long j) const { return i * row_step + j * col_step; }
};
static Grid grid_of(cusparseConstDnMatDescr_t b) {
  bool is_by_columns = b->order == CUSPARSE_ORDER_COL;
  return Grid{b->values, b->rows, b->cols, is_by_columns ? 1 : b->ld, is_by_columns ? b->ld : 1};
}

template <typename T>
__global__ void clear(Grid b) {
  GRID_LOOP(at, b.rows * b.cols) store<T>(b.values, b.at(at % b.rows, at / b.rows), T(0));
}
template <typename T>
__global__ void put_entries(cusparseSpMatDescr a, long long lines, Grid b) {
  bool is_columns = a.format == CUSPARSE_FORMAT_CSC, is_coordinates = a.format == CUSPARSE_FORMAT_COO;
  GRID_LOOP(at, is_coordinates ? a.nnz : lines) {
    long long line = is_coordinates ? a.offsets.get(at) : at;
    long long first = is_coordinates ? at : a.offsets.get(at);
    long long end = is_coordinates ? at + 1 : a.offsets.get(at + 1);
    for (long long i = first; i < end; i++) {
      long long index = a.indices.get(i);
      store<T>(b.values, is_columns ? b.at(index, line) : b.at(line, index), load<T>(a.values, i));
    }
  }
}
// Counts of lines, from 1 on.
template <typename T>
__global__ void count_entries(Grid a, bool is_columns, Indices counts) {
  GRID_LOOP(line, is_columns ? a.cols : a.rows) {
    long long count = 0;
    for (long long i = 0; i < (is_columns ? a.rows : a.cols); i++)
      count += load<T>(a.values, is_columns ? a.at(i, line) : a.at(line, i)) != T(0);
    counts.set(line + 1, count - counts.base);
  }
}
template <typename T>
__global__ void take_entries(Grid a, cusparseSpMatDescr b, Indices offsets) {
  bool is_columns = b.format == CUSPARSE_FORMAT_CSC;
  GRID_LOOP(line, is_columns ? a.cols : a.rows) {
    long long to = offsets.get(line);
    for (long long i = 0; i < (is_columns ? a.rows : a.cols); i++) {
      T value = load<T>(a.values, is_columns ? a.at(i, line) : a.at(line, i));
      if (value == T(0)) continue;
      if (b.format == CUSPARSE_FORMAT_COO) b.offsets.set(to, line);
      b.indices.set(to, i);
      store<T>(b.values, to++, value);
    }
  }
}

static cudaDataType moved_type(cudaDataType type) {
  return type == CUDA_R_16F || type == CUDA_R_16BF ? CUDA_R_32F : type;
}
static bool go_together(cusparseHandle_t handle, cusparseConstSpMatDescr_t a,
                        cusparseConstDnMatDescr_t b) {
  return handle && a && b && a->rows == b->rows && a->cols == b->cols &&
         a->values.type == b->values.type;
}

EXPORT cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle,
                                                         cusparseConstSpMatDescr_t a,
                                                         cusparseDnMatDescr_t b,
                                                         cusparseSparseToDenseAlg_t algorithm,
                                                         size_t *bytes) {
  (void)algorithm;
  NEED(go_together(handle, a, b) && bytes);
  *bytes = 0;
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a,
                                              cusparseDnMatDescr_t b,
                                              cusparseSparseToDenseAlg_t algorithm, void *buffer) {
  (void)algorithm, (void)buffer;
  NEED(go_together(handle, a, b));
  if (!b->rows || !b->cols) return CUSPARSE_STATUS_SUCCESS;
  return with_type(moved_type(a->values.type), [&](auto zero) {
    typedef decltype(zero) T;
    clear<T><<<blocks_for(b->rows * b->cols), THREADS, 0, handle->stream>>>(grid_of(b));
    put_entries<T><<<blocks_for(a->lines()), THREADS, 0, handle->stream>>>(*a, a->lines(), grid_of(b));
    return launched();
  });
}

// Offsets of lines; those of coordinates are in the buffer.
static Indices offsets_of(cusparseConstSpMatDescr_t b, void *buffer) {
  if (b->format == CUSPARSE_FORMAT_COO) return Indices{buffer, CUSPARSE_INDEX_64I, 0};
  return b->offsets;
}
EXPORT cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle,
                                                         cusparseConstDnMatDescr_t a,
                                                         cusparseSpMatDescr_t b,
                                                         cusparseDenseToSparseAlg_t algorithm,
                                                         size_t *bytes) {
  (void)algorithm;
  NEED(go_together(handle, b, a) && bytes);
  *bytes = b->format == CUSPARSE_FORMAT_COO ? (size_t)(b->rows + 1) * 8 : 0;
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle,
                                                       cusparseConstDnMatDescr_t a,
                                                       cusparseSpMatDescr_t b,
                                                       cusparseDenseToSparseAlg_t algorithm,
                                                       void *buffer) {
  (void)algorithm;
  NEED(go_together(handle, b, a));
  Indices counts = offsets_of(b, buffer);
  NEED(counts.at);
  return with_type(moved_type(a->values.type), [&](auto zero) {
    typedef decltype(zero) T;
    long long last = 0;
    int narrow = 0;
    bool is_wide = counts.type == CUSPARSE_INDEX_64I;
    count_entries<T><<<blocks_for(b->lines()), THREADS, 0, handle->stream>>>(
        grid_of(a), b->format == CUSPARSE_FORMAT_CSC, counts);
    scan(counts, b->lines(), handle->stream);
    const char *from = static_cast<const char *>(counts.at) + b->lines() * (is_wide ? 8 : 4);
    cudaMemcpyAsync(is_wide ? (void *)&last : &narrow, from, is_wide ? 8 : 4, cudaMemcpyDeviceToHost,
                    handle->stream);
    if (cudaStreamSynchronize(handle->stream) != cudaSuccess) return CUSPARSE_STATUS_EXECUTION_FAILED;
    b->nnz = (is_wide ? last : narrow) - counts.base;
    return launched();
  });
}
EXPORT cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle,
                                                      cusparseConstDnMatDescr_t a,
                                                      cusparseSpMatDescr_t b,
                                                      cusparseDenseToSparseAlg_t algorithm,
                                                      void *buffer) {
  (void)algorithm;
  NEED(go_together(handle, b, a));
  return with_type(moved_type(a->values.type), [&](auto zero) {
    typedef decltype(zero) T;
    take_entries<T><<<blocks_for(b->lines()), THREADS, 0, handle->stream>>>(
        grid_of(a), *b, offsets_of(b, buffer));
    return launched();
  });
}

// ---- older calls

__global__ void find_offsets(const int *rows_of, int nnz, int m, int *offsets, int base) {
  GRID_LOOP(row, m + 1) {
    int low = 0, high = nnz;  // the first entry of this row or a later one
    while (low < high) {
      int middle = (low + high) / 2;
      if (rows_of[middle] - base < row) low = middle + 1;
      else high = middle;
    }
    offsets[row] = low + base;
  }
}
__global__ void expand_offsets(const int *offsets, int m, int *rows_of, int base) {
  GRID_LOOP(row, m)
  for (int i = offsets[row] - base; i < offsets[row + 1] - base; i++) rows_of[i] = (int)row + base;
}
__global__ void count_up(int n, int *order) {
  GRID_LOOP(i, n) order[i] = (int)i;
}

EXPORT cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *rows_of, int nnz, int m,
                                         int *offsets, cusparseIndexBase_t base) {
  NEED_HANDLE(handle);
  NEED(nnz >= 0 && m >= 0 && offsets && (rows_of || !nnz));
  find_offsets<<<blocks_for(m + 1), THREADS, 0, handle->stream>>>(rows_of, nnz, m, offsets, base);
  return launched();
}
EXPORT cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *offsets, int nnz, int m,
                                         int *rows_of, cusparseIndexBase_t base) {
  NEED_HANDLE(handle);
  NEED(nnz >= 0 && m >= 0 && offsets && (rows_of || !nnz));
  expand_offsets<<<blocks_for(m), THREADS, 0, handle->stream>>>(offsets, m, rows_of, base);
  return launched();
}
EXPORT cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *order) {
  NEED_HANDLE(handle);
  NEED(n >= 0 && order);
  count_up<<<blocks_for(n), THREADS, 0, handle->stream>>>(n, order);
  return launched();
}

// ---- from rows to columns: entries are counted, placed in any order, then sorted

__global__ void count_columns(const int *columns, int nnz, int *offsets, int base) {
  GRID_LOOP(i, nnz) atomicAdd(&offsets[columns[i] - base + 1], 1);
}
template <typename T>
__global__ void place_entries(const T *values, const int *offsets, const int *columns, int m,
                              int base, int *next, T *to, int *rows_of) {
  GRID_LOOP(row, m)
  for (int i = offsets[row] - base; i < offsets[row + 1] - base; i++) {
    int place = atomicAdd(&next[columns[i] - base], 1) - base;
    rows_of[place] = (int)row + base;
    if (to) to[place] = values[i];
  }
}
template <typename T>
__global__ void sort_columns(const int *offsets, int n, int base, T *values, int *rows_of) {
  GRID_LOOP(column, n) {
    int first = offsets[column] - base, end = offsets[column + 1] - base;
    for (int i = first + 1; i < end; i++) {
      int row = rows_of[i], at = i;
      T value = values ? values[i] : T();
      for (; at > first && rows_of[at - 1] > row; at--) {
        rows_of[at] = rows_of[at - 1];
        if (values) values[at] = values[at - 1];
      }
      rows_of[at] = row;
      if (values) values[at] = value;
    }
  }
}

EXPORT cusparseStatus_t cusparseCsr2cscEx2_bufferSize(
    cusparseHandle_t handle, int m, int n, int nnz, const void *values, const int *row_offsets,
    const int *columns, void *csc_values, int *column_offsets, int *rows_of, cudaDataType type,
    cusparseAction_t action, cusparseIndexBase_t base, cusparseCsr2CscAlg_t algorithm,
    size_t *bytes) {
  (void)m, (void)nnz, (void)values, (void)row_offsets, (void)columns, (void)csc_values;
  (void)column_offsets, (void)rows_of, (void)type, (void)action, (void)base, (void)algorithm;
  NEED_HANDLE(handle);
  NEED(n >= 0 && bytes);
  *bytes = (size_t)(n + 1) * sizeof(int);
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseCsr2cscEx2(
    cusparseHandle_t handle, int m, int n, int nnz, const void *values, const int *row_offsets,
    const int *columns, void *csc_values, int *column_offsets, int *rows_of, cudaDataType type,
    cusparseAction_t action, cusparseIndexBase_t base, cusparseCsr2CscAlg_t algorithm,
    void *buffer) {
  (void)algorithm;
  NEED_HANDLE(handle);
  NEED(m >= 0 && n >= 0 && nnz >= 0 && column_offsets && buffer);
  Indices offsets = {column_offsets, CUSPARSE_INDEX_32I, base};
  size_t bytes = (size_t)(n + 1) * sizeof(int);
  cudaMemsetAsync(column_offsets, 0, bytes, handle->stream);
  count_columns<<<blocks_for(nnz), THREADS, 0, handle->stream>>>(columns, nnz, column_offsets, base);
  scan(offsets, n, handle->stream);
  cudaMemcpyAsync(buffer, column_offsets, bytes, cudaMemcpyDeviceToDevice, handle->stream);
  return with_type(type, [&](auto zero) {
    typedef decltype(zero) T;
    T *to = action == CUSPARSE_ACTION_NUMERIC ? static_cast<T *>(csc_values) : nullptr;
    place_entries<T><<<blocks_for(m), THREADS, 0, handle->stream>>>(
        static_cast<const T *>(values), row_offsets, columns, m, base, static_cast<int *>(buffer),
        to, rows_of);
    sort_columns<T><<<blocks_for(n), THREADS, 0, handle->stream>>>(column_offsets, n, base, to, rows_of);
    return launched();
  });
}
