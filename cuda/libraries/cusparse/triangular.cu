// SPDX-License-Identifier: MIT
// Triangular systems and incomplete factors. One block takes the levels one after the other,
// with a thread per row.
#include <limits.h>

#include "levels.h"

enum { SOLVERS = 512 };

struct cusparseSolveDescr {
  std::unique_ptr<Levels> levels;
};
struct cusparseFactorInfo {
  std::unique_ptr<Levels> levels;
  int *pivot = nullptr;  // the first row with a zero on its diagonal, or INT_MAX
  int base = 0;
  ~cusparseFactorInfo() { cudaFree(pivot); }
};

// Element i of right-hand side v is at i * step + v * distance.
struct Columns {
  Values values;
  long long step, distance;
};

template <typename T>
__global__ void __launch_bounds__(SOLVERS)
    solve_triangle(LevelView a, Values values, bool is_conjugated, bool is_unit, Scalar<T> alpha,
                   Columns b, Columns x) {
  long long from = blockIdx.x * b.distance, to = blockIdx.x * x.distance;
  for (int level = 0; level < a.count; level++) {
    for (int at = a.starts[level] + threadIdx.x; at < a.starts[level + 1]; at += SOLVERS) {
      int row = a.order[at];
      T sum = alpha.get() * load<T>(b.values, from + row * b.step);
      for (int i = a.offsets[row]; i < a.offsets[row + 1]; i++)
        sum -= conjugate_if(is_conjugated, load<T>(values, a.places[i])) *
               load<T>(x.values, to + a.columns[i] * x.step);
      if (!is_unit)
        sum /= a.diagonal[row] < 0 ? T(0) : conjugate_if(is_conjugated, load<T>(values, a.diagonal[row]));
      store<T>(x.values, to + row * x.step, sum);
    }
    __syncthreads();
  }
}

static cusparseStatus_t analyse(cusparseHandle_t handle, cusparseOperation_t operation,
                                cusparseConstSpMatDescr_t a, cusparseSolveDescr *descr) {
  NEED_HANDLE(handle);
  NEED(a && descr && a->rows == a->cols);
  bool is_transposed = operation != CUSPARSE_OPERATION_NON_TRANSPOSE;
  bool is_lower = (a->fill == CUSPARSE_FILL_MODE_LOWER) != is_transposed;
  cudaStreamSynchronize(handle->stream);
  descr->levels = levels_find(a, is_transposed, is_lower, false);
  return descr->levels ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

static cusparseStatus_t solve(cusparseHandle_t handle, cusparseOperation_t operation,
                              const void *alpha, cusparseConstSpMatDescr_t a, Columns b, Columns x,
                              long long count, cudaDataType compute, cusparseSolveDescr *descr) {
  NEED_HANDLE(handle);
  NEED(alpha && a && descr && descr->levels);
  if (a->values.type != compute || b.values.type != compute || x.values.type != compute)
    return not_supported("a triangular system of these types");
  if (!a->rows || !count) return CUSPARSE_STATUS_SUCCESS;
  return with_type(compute, [&](auto zero) {
    typedef decltype(zero) T;
    solve_triangle<T><<<(unsigned)count, SOLVERS, 0, handle->stream>>>(
        descr->levels->view, a->values, operation == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE,
        a->diagonal == CUSPARSE_DIAG_TYPE_UNIT, scalar<T>(handle, alpha), b, x);
    return launched();
  });
}

#define DESCRIPTION(Name)                                                              \
  EXPORT cusparseStatus_t cusparse##Name##_createDescr(cusparse##Name##Descr_t *descr) { \
    NEED(descr);                                                                       \
    *descr = new cusparseSolveDescr();                                                 \
    return CUSPARSE_STATUS_SUCCESS;                                                    \
  }                                                                                    \
  EXPORT cusparseStatus_t cusparse##Name##_destroyDescr(cusparse##Name##Descr_t descr) { \
    delete descr;                                                                      \
    return CUSPARSE_STATUS_SUCCESS;                                                    \
  }
DESCRIPTION(SpSV)
DESCRIPTION(SpSM)

EXPORT cusparseStatus_t cusparseSpSV_bufferSize(HEDDLE_SPSV, size_t *bytes) {
  (void)operation, (void)alpha, (void)compute, (void)algorithm;
  NEED_HANDLE(handle);
  NEED(a && x && y && descr && bytes);
  *bytes = 0;
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseSpSV_analysis(HEDDLE_SPSV, void *buffer) {
  (void)alpha, (void)compute, (void)algorithm, (void)buffer;
  NEED(a && x && y && x->size == a->rows && y->size == a->rows);
  return analyse(handle, operation, a, descr);
}
EXPORT cusparseStatus_t cusparseSpSV_solve(HEDDLE_SPSV) {
  (void)algorithm;
  NEED(x && y);
  return solve(handle, operation, alpha, a, Columns{x->values, 1, 0}, Columns{y->values, 1, 0}, 1,
               compute, descr);
}

EXPORT cusparseStatus_t cusparseSpSM_bufferSize(HEDDLE_SPSM, size_t *bytes) {
  (void)op_a, (void)op_b, (void)alpha, (void)compute, (void)algorithm;
  NEED_HANDLE(handle);
  NEED(a && b && c && descr && bytes);
  *bytes = 0;
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseSpSM_analysis(HEDDLE_SPSM, void *buffer) {
  (void)op_b, (void)alpha, (void)b, (void)c, (void)compute, (void)algorithm, (void)buffer;
  return analyse(handle, op_a, a, descr);
}

static Columns columns_of(cusparseConstDnMatDescr_t b, bool is_transposed) {
  bool is_down = (b->order == CUSPARSE_ORDER_COL) != is_transposed;
  return Columns{b->values, is_down ? 1 : b->ld, is_down ? b->ld : 1};
}
EXPORT cusparseStatus_t cusparseSpSM_solve(HEDDLE_SPSM) {
  (void)algorithm;
  NEED(a && b && c && c->rows == a->rows);
  bool is_transposed = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
  NEED(c->cols == (is_transposed ? b->rows : b->cols));
  NEED(c->rows == (is_transposed ? b->cols : b->rows));
  if (op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)
    return not_supported("cusparseSpSM with a conjugated right-hand side");
  return solve(handle, op_a, alpha, a, columns_of(b, is_transposed), columns_of(c, false), c->cols,
               compute, descr);
}

// ---- incomplete factors: entries of a row are in the order of their columns

// Row i minus multiples of the rows above, at its own places.
template <typename T>
__device__ void eliminate(const LevelView &a, T *values, int row, int *pivot) {
  int end = a.offsets[row + 1];
  for (int i = a.offsets[row]; i < end && a.columns[i] < row; i++) {
    int above = a.columns[i], at = a.diagonal[above];
    if (at < 0 || values[at] == T(0)) {
      atomicMin(pivot, above);
      continue;
    }
    T factor = values[i] /= values[at];
    for (int j = at + 1, mine = i + 1; j < a.offsets[above + 1]; j++) {
      while (mine < end && a.columns[mine] < a.columns[j]) mine++;
      if (mine < end && a.columns[mine] == a.columns[j]) values[mine] -= factor * values[j];
    }
  }
  if (a.diagonal[row] < 0 || values[a.diagonal[row]] == T(0)) atomicMin(pivot, row);
}

// Row i of the root of a symmetric matrix.
template <typename T>
__device__ void take_root(const LevelView &a, T *values, int row, int *pivot) {
  int first = a.offsets[row];
  for (int i = first; i < a.offsets[row + 1] && a.columns[i] <= row; i++) {
    int other = a.columns[i], at = a.diagonal[other];
    T sum = values[i];
    for (int j = a.offsets[other], mine = first; mine < i; mine++) {
      while (a.columns[j] < a.columns[mine] && j < at) j++;
      if (a.columns[j] == a.columns[mine] && a.columns[j] < other) sum -= values[mine] * values[j];
    }
    if (other == row ? !(sum > T(0)) : at < 0 || values[at] == T(0)) atomicMin(pivot, other);
    values[i] = other == row ? sqrt(sum) : sum / (at < 0 ? T(0) : values[at]);
  }
  if (a.diagonal[row] < 0) atomicMin(pivot, row);
}

template <typename T, bool is_symmetric>
__global__ void __launch_bounds__(SOLVERS) factor(LevelView a, T *values, int *pivot) {
  for (int level = 0; level < a.count; level++) {
    for (int at = a.starts[level] + threadIdx.x; at < a.starts[level + 1]; at += SOLVERS) {
      if (is_symmetric)
        take_root(a, values, a.order[at], pivot);
      else
        eliminate(a, values, a.order[at], pivot);
    }
    __syncthreads();
  }
}

static cusparseStatus_t analyse_factor(cusparseHandle_t handle, int m, int nnz,
                                       const cusparseMatDescr_t descr, const int *offsets,
                                       const int *columns, cusparseFactorInfo *info) {
  NEED_HANDLE(handle);
  NEED(m >= 0 && nnz >= 0 && descr && info);
  cusparseSpMatDescr a = {};
  a.format = CUSPARSE_FORMAT_CSR, a.rows = a.cols = m, a.nnz = nnz;
  a.offsets = Indices{offsets, CUSPARSE_INDEX_32I, descr->base};
  a.indices = Indices{columns, CUSPARSE_INDEX_32I, descr->base};
  cudaStreamSynchronize(handle->stream);
  info->levels = levels_find(&a, false, true, true);
  info->base = descr->base;
  if (!info->pivot) cudaMalloc(&info->pivot, sizeof(int));
  const int none = INT_MAX;
  bool is_set = info->pivot && cudaMemcpy(info->pivot, &none, sizeof none, cudaMemcpyHostToDevice) == cudaSuccess;
  return info->levels && is_set ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

static cusparseStatus_t find_pivot(cusparseHandle_t handle, cusparseFactorInfo *info, int *position) {
  NEED_HANDLE(handle);
  NEED(info && position);
  int pivot = INT_MAX;
  cudaStreamSynchronize(handle->stream);
  if (info->pivot) cudaMemcpy(&pivot, info->pivot, sizeof pivot, cudaMemcpyDeviceToHost);
  *position = pivot == INT_MAX ? -1 : pivot + info->base;
  return pivot == INT_MAX ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

#define INFO(Name, name)                                                                      \
  EXPORT cusparseStatus_t cusparseCreate##Name##Info(name##Info_t *info) {                    \
    NEED(info);                                                                               \
    *info = new cusparseFactorInfo();                                                         \
    return CUSPARSE_STATUS_SUCCESS;                                                           \
  }                                                                                           \
  EXPORT cusparseStatus_t cusparseDestroy##Name##Info(name##Info_t info) {                    \
    delete info;                                                                              \
    return CUSPARSE_STATUS_SUCCESS;                                                           \
  }                                                                                           \
  EXPORT cusparseStatus_t cusparseX##name##_zeroPivot(cusparseHandle_t handle, name##Info_t info, \
                                                      int *position) {                        \
    return find_pivot(handle, info, position);                                                \
  }
INFO(Csrilu02, csrilu02)
INFO(Csric02, csric02)

#define FACTOR(S, T, name, is_symmetric)                                                           \
  EXPORT cusparseStatus_t cusparse##S##name##_bufferSize(HEDDLE_FACTOR(T), name##Info_t info,      \
                                                         int *bytes) {                             \
    (void)m, (void)nnz, (void)descr, (void)values, (void)offsets, (void)columns;                   \
    NEED_HANDLE(handle);                                                                           \
    NEED(info && bytes);                                                                           \
    *bytes = 4; /* none is needed, but programs allocate it */                                     \
    return CUSPARSE_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  EXPORT cusparseStatus_t cusparse##S##name##_analysis(HEDDLE_FACTOR(const T), name##Info_t info,  \
                                                       cusparseSolvePolicy_t policy,               \
                                                       void *buffer) {                             \
    (void)values, (void)policy, (void)buffer;                                                      \
    return analyse_factor(handle, m, nnz, descr, offsets, columns, info);                          \
  }                                                                                                \
  EXPORT cusparseStatus_t cusparse##S##name(HEDDLE_FACTOR(T), name##Info_t info,                   \
                                            cusparseSolvePolicy_t policy, void *buffer) {          \
    (void)nnz, (void)descr, (void)offsets, (void)columns, (void)policy, (void)buffer;              \
    NEED_HANDLE(handle);                                                                           \
    NEED(info && info->levels && info->levels->view.n == m && values);                             \
    if (m)                                                                                         \
      factor<T, is_symmetric>                                                                      \
          <<<1, SOLVERS, 0, handle->stream>>>(info->levels->view, values, info->pivot);            \
    return launched();                                                                             \
  }
FACTOR(S, float, csrilu02, false)
FACTOR(D, double, csrilu02, false)
FACTOR(S, float, csric02, true)
FACTOR(D, double, csric02, true)
