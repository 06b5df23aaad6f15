// SPDX-License-Identifier: MIT
// cuSPARSE against loops on the host: random matrices with empty rows, in all formats, types,
// operations and orders.
#include <cuda_fp16.h>
#include <cusparse.h>
#include <math.h>

#include <complex>
#include <vector>

#include "../check.h"

#define SPARSE(call)                                                                          \
  do {                                                                                        \
    cusparseStatus_t status_ = (call);                                                        \
    CHECK(status_ == CUSPARSE_STATUS_SUCCESS, #call ": %s", cusparseGetErrorName(status_));   \
  } while (0)

typedef std::complex<double> Number;
typedef std::vector<Number> Numbers;

static cusparseHandle_t handle;
static unsigned state = 99;
static int pick(int below) {
  state = state * 1664525u + 1013904223u;
  return (int)((state >> 8) % (unsigned)below);
}

static const cusparseOperation_t operations[] = {CUSPARSE_OPERATION_NON_TRANSPOSE,
                                                 CUSPARSE_OPERATION_TRANSPOSE,
                                                 CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};

static bool is_complex(cudaDataType type) {
  return type == CUDA_C_32F || type == CUDA_C_64F;
}
static size_t bytes_of(cudaDataType type) {
  return type == CUDA_C_64F ? 16 : type == CUDA_R_16F ? 2 : type == CUDA_R_32F ? 4 : 8;
}
// Multiples of 1/8: exact in all types.
static Number value(cudaDataType type) {
  double x = (pick(33) - 16) / 8.0, y = (pick(33) - 16) / 8.0;
  return Number(x == 0 ? 1 : x, is_complex(type) ? y : 0);
}

// ---- memory of the device

static void *room(size_t bytes) {
  void *memory;
  CUDA(cudaMallocManaged(&memory, bytes + 16));
  return memory;
}
static Number get(const void *memory, cudaDataType type, size_t i) {
  switch (type) {
    case CUDA_R_32F: return ((const float *)memory)[i];
    case CUDA_R_64F: return ((const double *)memory)[i];
    case CUDA_R_16F: return __half2float(((const __half *)memory)[i]);
    case CUDA_C_32F: return Number(((const float *)memory)[2 * i], ((const float *)memory)[2 * i + 1]);
    default: return Number(((const double *)memory)[2 * i], ((const double *)memory)[2 * i + 1]);
  }
}
static void *stored(const Numbers &numbers, cudaDataType type) {
  void *memory = room(numbers.size() * bytes_of(type));
  for (size_t i = 0; i < numbers.size(); i++) {
    double x = numbers[i].real(), y = numbers[i].imag();
    switch (type) {
      case CUDA_R_32F: ((float *)memory)[i] = (float)x; break;
      case CUDA_R_64F: ((double *)memory)[i] = x; break;
      case CUDA_R_16F: ((__half *)memory)[i] = __float2half((float)x); break;
      case CUDA_C_32F: ((float *)memory)[2 * i] = (float)x, ((float *)memory)[2 * i + 1] = (float)y; break;
      default: ((double *)memory)[2 * i] = x, ((double *)memory)[2 * i + 1] = y; break;
    }
  }
  return memory;
}
static void *stored(const std::vector<int> &numbers, bool is_wide) {
  void *memory = room(numbers.size() * 8);
  for (size_t i = 0; i < numbers.size(); i++)
    if (is_wide) ((long long *)memory)[i] = numbers[i];
    else ((int *)memory)[i] = numbers[i];
  return memory;
}

// A factor in the type of sums, on the host.
struct Factor {
  char bytes[16];
  Number number;
  Factor(Number given, cudaDataType compute) : number(given) {
    void *memory = stored(Numbers(1, given), compute);
    memcpy(bytes, memory, 16);
    cudaFree(memory);
  }
};

static void check_close(const void *got, cudaDataType type, size_t i, Number wanted, const char *what) {
  double bound = type == CUDA_R_16F ? 1e-2 : type == CUDA_R_32F || type == CUDA_C_32F ? 1e-5 : 1e-13;
  double error = std::abs(get(got, type, i) - wanted);
  CHECK(error <= bound * (std::abs(wanted) + 4), "%s, element %zu: error %g of %g", what, i, error,
        std::abs(wanted));
}

// ---- matrices

// Dense by rows, and described as sparse.
struct Matrix {
  int rows, cols, nnz;
  Numbers dense;
  std::vector<int> offsets, indices, lines;
  Numbers values;
  cusparseSpMatDescr_t descr;
  void *memory[3];
  Number at(int i, int j) const { return dense[(size_t)(i * cols + j)]; }
  Number at(cusparseOperation_t operation, int i, int j) const {
    if (operation == CUSPARSE_OPERATION_NON_TRANSPOSE) return at(i, j);
    return operation == CUSPARSE_OPERATION_TRANSPOSE ? at(j, i) : std::conj(at(j, i));
  }
};

static void describe(Matrix *it, cusparseFormat_t format, cudaDataType type) {
  bool is_columns = format == CUSPARSE_FORMAT_CSC, is_wide = pick(2);
  int base = pick(2), count = is_columns ? it->cols : it->rows;
  it->offsets.assign(1, base), it->indices.clear(), it->lines.clear(), it->values.clear();
  for (int line = 0; line < count; line++) {
    for (int i = 0; i < (is_columns ? it->rows : it->cols); i++) {
      Number number = is_columns ? it->at(i, line) : it->at(line, i);
      if (number == Number(0)) continue;
      it->indices.push_back(i + base), it->lines.push_back(line + base), it->values.push_back(number);
    }
    it->offsets.push_back((int)it->indices.size() + base);
  }
  it->nnz = (int)it->indices.size();
  cusparseIndexType_t index = is_wide ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
  void *offsets = stored(format == CUSPARSE_FORMAT_COO ? it->lines : it->offsets, is_wide);
  void *indices = stored(it->indices, is_wide), *values = stored(it->values, type);
  it->memory[0] = offsets, it->memory[1] = indices, it->memory[2] = values;
  if (format == CUSPARSE_FORMAT_COO)
    SPARSE(cusparseCreateCoo(&it->descr, it->rows, it->cols, it->nnz, offsets, indices, values, index,
                             (cusparseIndexBase_t)base, type));
  else
    SPARSE((is_columns ? cusparseCreateCsc : cusparseCreateCsr)(
        &it->descr, it->rows, it->cols, it->nnz, offsets, indices, values, index, index,
        (cusparseIndexBase_t)base, type));
}
static Matrix random_matrix(int rows, int cols, cusparseFormat_t format, cudaDataType type) {
  Matrix it = {rows, cols, 0, Numbers((size_t)(rows * cols)), {}, {}, {}, {}, nullptr, {}};
  for (Number &number : it.dense)
    if (pick(3) == 0) number = value(type);
  for (int j = 0; rows > 2 && j < cols; j++) it.dense[(size_t)(cols + j)] = 0;  // an empty row
  describe(&it, format, type);
  return it;
}
static void forget(Matrix *it) {
  SPARSE(cusparseDestroySpMat(it->descr));
  for (void *memory : it->memory) cudaFree(memory);
}
static Numbers random_numbers(size_t count, cudaDataType type) {
  Numbers numbers(count);
  for (Number &number : numbers) number = value(type);
  return numbers;
}

// ---- products

static void check_spmv(cusparseFormat_t format, cusparseOperation_t operation, cudaDataType type,
                       cudaDataType compute, int rows, int cols) {
  Matrix a = random_matrix(rows, cols, format, type);
  bool is_transposed = operation != CUSPARSE_OPERATION_NON_TRANSPOSE;
  int m = is_transposed ? cols : rows, n = is_transposed ? rows : cols;
  Numbers x = random_numbers((size_t)n, type), y = random_numbers((size_t)m, type);
  Factor alpha(value(compute), compute), beta(pick(2) ? value(compute) : Number(0), compute);
  void *in = stored(x, type), *out = stored(y, type), *buffer;
  cusparseDnVecDescr_t vx, vy;
  size_t bytes;
  SPARSE(cusparseCreateDnVec(&vx, n, in, type));
  SPARSE(cusparseCreateDnVec(&vy, m, out, type));
  SPARSE(cusparseSpMV_bufferSize(handle, operation, alpha.bytes, a.descr, vx, beta.bytes, vy, compute,
                                 CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
  buffer = room(bytes);
  SPARSE(cusparseSpMV(handle, operation, alpha.bytes, a.descr, vx, beta.bytes, vy, compute,
                      CUSPARSE_SPMV_ALG_DEFAULT, buffer));
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < m; i++) {
    Number sum = 0;
    for (int j = 0; j < n; j++) sum += a.at(operation, i, j) * x[(size_t)j];
    check_close(out, type, (size_t)i, alpha.number * sum + beta.number * y[(size_t)i], "SpMV");
  }
  SPARSE(cusparseDestroyDnVec(vx));
  SPARSE(cusparseDestroyDnVec(vy));
  forget(&a);
  cudaFree(in), cudaFree(out), cudaFree(buffer);
}

// Element (i, j) of a dense matrix in memory.
static size_t place(cusparseOrder_t order, int ld, int i, int j) {
  return (size_t)(order == CUSPARSE_ORDER_COL ? i + j * ld : i * ld + j);
}

static void check_spmm(cusparseFormat_t format, cusparseOperation_t op_a, cusparseOperation_t op_b,
                       cudaDataType type) {
  int rows = 1 + pick(9), cols = 1 + pick(9), n = 1 + pick(6);
  Matrix a = random_matrix(rows, cols, format, type);
  bool is_a = op_a != CUSPARSE_OPERATION_NON_TRANSPOSE, is_b = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
  int m = is_a ? cols : rows, k = is_a ? rows : cols, bm = is_b ? n : k, bn = is_b ? k : n;
  cusparseOrder_t ob = pick(2) ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW;
  cusparseOrder_t oc = pick(2) ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW;
  int ldb = (ob == CUSPARSE_ORDER_COL ? bm : bn) + pick(3), ldc = (oc == CUSPARSE_ORDER_COL ? m : n) + pick(3);
  Numbers b = random_numbers(200, type), c = random_numbers(200, type);
  Factor alpha(value(type), type), beta(pick(2) ? value(type) : Number(0), type);
  void *in = stored(b, type), *out = stored(c, type);
  cusparseDnMatDescr_t vb, vc;
  size_t bytes;
  SPARSE(cusparseCreateDnMat(&vb, bm, bn, ldb, in, type, ob));
  SPARSE(cusparseCreateDnMat(&vc, m, n, ldc, out, type, oc));
  SPARSE(cusparseSpMM_bufferSize(handle, op_a, op_b, alpha.bytes, a.descr, vb, beta.bytes, vc, type,
                                 CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
  SPARSE(cusparseSpMM(handle, op_a, op_b, alpha.bytes, a.descr, vb, beta.bytes, vc, type,
                      CUSPARSE_SPMM_ALG_DEFAULT, nullptr));
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      Number sum = 0;
      for (int l = 0; l < k; l++) {
        Number right = b[is_b ? place(ob, ldb, j, l) : place(ob, ldb, l, j)];
        sum += a.at(op_a, i, l) * (op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? std::conj(right) : right);
      }
      size_t at = place(oc, ldc, i, j);
      check_close(out, type, at, alpha.number * sum + beta.number * c[at], "SpMM");
    }
  SPARSE(cusparseDestroyDnMat(vb));
  SPARSE(cusparseDestroyDnMat(vc));
  forget(&a);
  cudaFree(in), cudaFree(out);
}

static void check_sddmm(cudaDataType type, cusparseFormat_t format) {
  int rows = 1 + pick(9), cols = 1 + pick(9), k = 1 + pick(5);
  Matrix c = random_matrix(rows, cols, format, type);
  Numbers a = random_numbers((size_t)(rows * k), type), b = random_numbers((size_t)(cols * k), type);
  Factor alpha(value(type), type), beta(value(type), type);
  void *left = stored(a, type), *right = stored(b, type);
  cusparseDnMatDescr_t va, vb;
  SPARSE(cusparseCreateDnMat(&va, rows, k, k, left, type, CUSPARSE_ORDER_ROW));
  SPARSE(cusparseCreateDnMat(&vb, cols, k, cols, right, type, CUSPARSE_ORDER_COL));  // transposed
  SPARSE(cusparseSDDMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, alpha.bytes,
                       va, vb, beta.bytes, c.descr, type, CUSPARSE_SDDMM_ALG_DEFAULT, nullptr));
  CUDA(cudaDeviceSynchronize());
  int base = c.offsets[0];
  for (size_t e = 0; e < c.values.size(); e++) {
    int line = c.lines[e] - base, index = c.indices[e] - base;
    int i = format == CUSPARSE_FORMAT_CSC ? index : line, j = format == CUSPARSE_FORMAT_CSC ? line : index;
    Number sum = 0;
    for (int l = 0; l < k; l++) sum += a[(size_t)(i * k + l)] * b[(size_t)(j + l * cols)];
    check_close(c.memory[2], type, e, alpha.number * sum + beta.number * c.values[e], "SDDMM");
  }
  SPARSE(cusparseDestroyDnMat(va));
  SPARSE(cusparseDestroyDnMat(vb));
  forget(&c);
  cudaFree(left), cudaFree(right);
}

static void check_spgemm(cudaDataType type) {
  int m = 1 + pick(12), k = 1 + pick(12), n = 1 + pick(12);
  Matrix a = random_matrix(m, k, CUSPARSE_FORMAT_CSR, type), b = random_matrix(k, n, CUSPARSE_FORMAT_CSR, type);
  Factor alpha(value(type), type), beta(Number(0), type);
  int *offsets = (int *)room((size_t)(m + 1) * 4);
  cusparseSpMatDescr_t c;
  cusparseSpGEMMDescr_t descr;
  cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
  size_t bytes = 0;
  int64_t rows, cols, nnz;
  SPARSE(cusparseCreateCsr(&c, m, n, 0, offsets, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_BASE_ZERO, type));
  SPARSE(cusparseSpGEMM_createDescr(&descr));
#define GEMM handle, op, op, alpha.bytes, a.descr, b.descr, beta.bytes, c, type, CUSPARSE_SPGEMM_DEFAULT, descr
  SPARSE(cusparseSpGEMM_workEstimation(GEMM, &bytes, nullptr));
  void *first = room(bytes);
  SPARSE(cusparseSpGEMM_workEstimation(GEMM, &bytes, first));
  SPARSE(cusparseSpGEMM_compute(GEMM, &bytes, nullptr));
  void *second = room(bytes);
  SPARSE(cusparseSpGEMM_compute(GEMM, &bytes, second));
  SPARSE(cusparseSpMatGetSize(c, &rows, &cols, &nnz));
  int *columns = (int *)room((size_t)nnz * 4);
  void *values = room((size_t)nnz * bytes_of(type));
  SPARSE(cusparseCsrSetPointers(c, offsets, columns, values));
  SPARSE(cusparseSpGEMM_copy(GEMM));
  CUDA(cudaDeviceSynchronize());
  Numbers got((size_t)(m * n));
  CHECK(offsets[0] == 0 && offsets[m] == nnz, "offsets %d to %d of %d", offsets[0], offsets[m], (int)nnz);
  for (int i = 0; i < m; i++)
    for (int e = offsets[i]; e < offsets[i + 1]; e++) {
      CHECK(e == offsets[i] || columns[e] > columns[e - 1], "columns of row %d are not sorted", i);
      got[(size_t)(i * n + columns[e])] = get(values, type, (size_t)e);
    }
  void *whole = stored(got, CUDA_C_64F);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      Number sum = 0;
      for (int l = 0; l < k; l++) sum += a.at(i, l) * b.at(l, j);
      check_close(whole, CUDA_C_64F, (size_t)(i * n + j), alpha.number * sum, "SpGEMM");
    }
  SPARSE(cusparseSpGEMM_destroyDescr(descr));
  SPARSE(cusparseDestroySpMat(c));
  forget(&a), forget(&b);
  for (void *memory : {(void *)offsets, (void *)columns, values, first, second, whole}) cudaFree(memory);
}

// ---- triangles

static void check_solve(cusparseFormat_t format, cusparseOperation_t operation, cudaDataType type,
                        cusparseFillMode_t fill, cusparseDiagType_t diagonal) {
  int n = 1 + pick(20), count = 1 + pick(3);
  Matrix a = random_matrix(n, n, format, type);
  for (int i = 0; i < n; i++) a.dense[(size_t)(i * n + i)] = Number(pick(2) ? 4 : -8);
  forget(&a), describe(&a, format, type);
  SPARSE(cusparseSpMatSetAttribute(a.descr, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
  SPARSE(cusparseSpMatSetAttribute(a.descr, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal));
  // The part that counts.
  Matrix part = a;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      bool is_outside = fill == CUSPARSE_FILL_MODE_LOWER ? j > i : j < i;
      if (is_outside) part.dense[(size_t)(i * n + j)] = 0;
      if (i == j && diagonal == CUSPARSE_DIAG_TYPE_UNIT) part.dense[(size_t)(i * n + j)] = 1;
    }
  Numbers b = random_numbers((size_t)(n * count), type);
  Factor alpha(value(type), type);
  void *in = stored(b, type), *out = room(b.size() * bytes_of(type));
  bool is_vector = count == 1;
  cusparseDnVecDescr_t vx, vy;
  cusparseDnMatDescr_t mx, my;
  cusparseSpSVDescr_t one;
  cusparseSpSMDescr_t several;
  cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
  size_t bytes;
  SPARSE(cusparseCreateDnVec(&vx, n, in, type));
  SPARSE(cusparseCreateDnVec(&vy, n, out, type));
  SPARSE(cusparseCreateDnMat(&mx, n, count, count, in, type, CUSPARSE_ORDER_ROW));
  SPARSE(cusparseCreateDnMat(&my, n, count, n, out, type, CUSPARSE_ORDER_COL));
  SPARSE(cusparseSpSV_createDescr(&one));
  SPARSE(cusparseSpSM_createDescr(&several));
#define SV handle, operation, alpha.bytes, a.descr, vx, vy, type, CUSPARSE_SPSV_ALG_DEFAULT, one
#define SM handle, operation, plain, alpha.bytes, a.descr, mx, my, type, CUSPARSE_SPSM_ALG_DEFAULT, several
  SPARSE(cusparseSpSV_bufferSize(SV, &bytes));
  SPARSE(cusparseSpSM_bufferSize(SM, &bytes));
  SPARSE(is_vector ? cusparseSpSV_analysis(SV, nullptr) : cusparseSpSM_analysis(SM, nullptr));
  SPARSE(is_vector ? cusparseSpSV_solve(SV) : cusparseSpSM_solve(SM));
  CUDA(cudaDeviceSynchronize());
  // op(A) x must be alpha b. Solutions may be large: the error is relative to the terms.
  for (int v = 0; v < count; v++)
    for (int i = 0; i < n; i++) {
      Number sum = 0;
      double size = 1;
      for (int j = 0; j < n; j++) {
        Number term = part.at(operation, i, j) * get(out, type, (size_t)(v * n + j));
        sum += term, size += std::abs(term);
      }
      double error = std::abs(sum - alpha.number * b[(size_t)(is_vector ? i : i * count + v)]);
      double bound = type == CUDA_R_64F || type == CUDA_C_64F ? 1e-12 : 1e-4;
      CHECK(error <= bound * size, "solution %d of %d: error %g of %g", i, n, error, size);
    }
  SPARSE(cusparseSpSV_destroyDescr(one));
  SPARSE(cusparseSpSM_destroyDescr(several));
  SPARSE(cusparseDestroyDnVec(vx));
  SPARSE(cusparseDestroyDnVec(vy));
  SPARSE(cusparseDestroyDnMat(mx));
  SPARSE(cusparseDestroyDnMat(my));
  forget(&a);
  cudaFree(in), cudaFree(out);
}

// A band is factored without loss: L U, or L L', is the matrix itself.
static void check_factors(bool is_symmetric) {
  enum { N = 30 };
  std::vector<int> offsets(1, 1), columns;
  Numbers values;
  for (int i = 0; i < N; i++) {
    for (int j = i - 1; j <= i + 1; j++) {
      if (j < 0 || j >= N) continue;
      columns.push_back(j + 1);
      values.push_back(i == j ? 4 + i % 3 : is_symmetric ? -1.0 : i < j ? -1.5 : 0.75);
    }
    offsets.push_back((int)columns.size() + 1);
  }
  int *rows = (int *)stored(offsets, false), *cols = (int *)stored(columns, false), bytes, position = 0;
  double *a = (double *)stored(values, CUDA_R_64F);
  cusparseMatDescr_t descr;
  csrilu02Info_t ilu;
  csric02Info_t ic;
  SPARSE(cusparseCreateMatDescr(&descr));
  SPARSE(cusparseSetMatIndexBase(descr, CUSPARSE_INDEX_BASE_ONE));
  SPARSE(cusparseCreateCsrilu02Info(&ilu));
  SPARSE(cusparseCreateCsric02Info(&ic));
  int nnz = (int)columns.size();
  cusparseSolvePolicy_t policy = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
  if (is_symmetric) {
    SPARSE(cusparseDcsric02_bufferSize(handle, N, nnz, descr, a, rows, cols, ic, &bytes));
    SPARSE(cusparseDcsric02_analysis(handle, N, nnz, descr, a, rows, cols, ic, policy, nullptr));
    SPARSE(cusparseDcsric02(handle, N, nnz, descr, a, rows, cols, ic, policy, nullptr));
    SPARSE(cusparseXcsric02_zeroPivot(handle, ic, &position));
  } else {
    SPARSE(cusparseDcsrilu02_bufferSize(handle, N, nnz, descr, a, rows, cols, ilu, &bytes));
    SPARSE(cusparseDcsrilu02_analysis(handle, N, nnz, descr, a, rows, cols, ilu, policy, nullptr));
    SPARSE(cusparseDcsrilu02(handle, N, nnz, descr, a, rows, cols, ilu, policy, nullptr));
    SPARSE(cusparseXcsrilu02_zeroPivot(handle, ilu, &position));
  }
  CHECK(position == -1, "a zero pivot at %d", position);
  std::vector<double> lower(N * N), upper(N * N);
  for (int i = 0; i < N; i++)
    for (int e = offsets[(size_t)i] - 1; e < offsets[(size_t)i + 1] - 1; e++) {
      int j = columns[(size_t)e] - 1;
      if (is_symmetric && j <= i) lower[(size_t)(i * N + j)] = upper[(size_t)(j * N + i)] = a[e];
      if (!is_symmetric) (j < i ? lower : upper)[(size_t)(i * N + j)] = a[e];
    }
  for (int i = 0; !is_symmetric && i < N; i++) lower[(size_t)(i * N + i)] = 1;
  for (int i = 0; i < N; i++)
    for (int e = offsets[(size_t)i] - 1; e < offsets[(size_t)i + 1] - 1; e++) {
      double sum = 0, wanted = values[(size_t)e].real();
      int j = columns[(size_t)e] - 1;
      for (int k = 0; k < N; k++) sum += lower[(size_t)(i * N + k)] * upper[(size_t)(k * N + j)];
      CHECK(fabs(sum - wanted) < 1e-12, "(%d, %d) of a product of factors: %g, not %g", i, j, sum, wanted);
    }
  a[0] = 0;  // a pivot that cannot be divided by
  if (!is_symmetric) {
    SPARSE(cusparseDcsrilu02_analysis(handle, N, nnz, descr, a, rows, cols, ilu, policy, nullptr));
    SPARSE(cusparseDcsrilu02(handle, N, nnz, descr, a, rows, cols, ilu, policy, nullptr));
    cusparseStatus_t status = cusparseXcsrilu02_zeroPivot(handle, ilu, &position);
    CHECK(status == CUSPARSE_STATUS_ZERO_PIVOT && position == 1, "status %d at %d", status, position);
  }
  SPARSE(cusparseDestroyCsrilu02Info(ilu));
  SPARSE(cusparseDestroyCsric02Info(ic));
  SPARSE(cusparseDestroyMatDescr(descr));
  cudaFree(rows), cudaFree(cols), cudaFree(a);
}

// ---- vectors and conversions

static void check_vectors(cudaDataType type) {
  enum { SIZE = 40, NNZ = 9 };
  std::vector<int> indices;
  for (int i = 0; i < NNZ; i++) indices.push_back(i * 4 + pick(4) + 1);
  Numbers x = random_numbers(NNZ, type), y = random_numbers(SIZE, type);
  void *at = stored(indices, false), *sparse = stored(x, type), *dense = stored(y, type), *buffer = room(16);
  cusparseSpVecDescr_t vx;
  cusparseDnVecDescr_t vy;
  Factor alpha(value(type), type), beta(value(type), type);
  size_t bytes;
  SPARSE(cusparseCreateSpVec(&vx, SIZE, NNZ, at, sparse, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, type));
  SPARSE(cusparseCreateDnVec(&vy, SIZE, dense, type));
  Number sum = 0;
  for (int i = 0; i < NNZ; i++) sum += std::conj(x[(size_t)i]) * y[(size_t)indices[(size_t)i] - 1];
  char result[16];
  SPARSE(cusparseSpVV_bufferSize(handle, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, vx, vy, result, type, &bytes));
  CHECK(bytes <= 16, "%zu bytes", bytes);
  SPARSE(cusparseSpVV(handle, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, vx, vy, result, type, buffer));
  check_close(result, type, 0, sum, "SpVV");
  SPARSE(cusparseAxpby(handle, alpha.bytes, vx, beta.bytes, vy));
  CUDA(cudaDeviceSynchronize());
  for (Number &number : y) number *= beta.number;
  for (int i = 0; i < NNZ; i++) y[(size_t)indices[(size_t)i] - 1] += alpha.number * x[(size_t)i];
  for (size_t i = 0; i < SIZE; i++) check_close(dense, type, i, y[i], "Axpby");
  SPARSE(cusparseGather(handle, vy, vx));
  CUDA(cudaDeviceSynchronize());
  for (size_t i = 0; i < NNZ; i++) check_close(sparse, type, i, x[i] = y[(size_t)indices[i] - 1], "Gather");
  CUDA(cudaMemset(dense, 0, SIZE * bytes_of(type)));
  SPARSE(cusparseScatter(handle, vx, vy));
  CUDA(cudaDeviceSynchronize());
  Numbers wanted(SIZE);
  for (size_t i = 0; i < NNZ; i++) wanted[(size_t)indices[i] - 1] = x[i];
  for (size_t i = 0; i < SIZE; i++) check_close(dense, type, i, wanted[i], "Scatter");
  SPARSE(cusparseDestroySpVec(vx));
  SPARSE(cusparseDestroyDnVec(vy));
  cudaFree(at), cudaFree(sparse), cudaFree(dense), cudaFree(buffer);
}

// To dense and back.
static void check_dense(cusparseFormat_t format, cudaDataType type, cusparseOrder_t order) {
  int rows = 1 + pick(9), cols = 1 + pick(9), ld = (order == CUSPARSE_ORDER_COL ? rows : cols) + 2;
  Matrix a = random_matrix(rows, cols, format, type);
  void *dense = stored(random_numbers((size_t)(ld * 12), type), type);
  cusparseDnMatDescr_t b;
  int64_t m, n, nnz;
  size_t bytes;
  SPARSE(cusparseCreateDnMat(&b, rows, cols, ld, dense, type, order));
  SPARSE(cusparseSparseToDense(handle, a.descr, b, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr));
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) check_close(dense, type, place(order, ld, i, j), a.at(i, j), "dense");
  for (int i = 0; i < 2; i++) CUDA(cudaMemset(a.memory[i], 0xff, a.offsets.size() * 4));
  SPARSE(cusparseDenseToSparse_bufferSize(handle, b, a.descr, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &bytes));
  void *buffer = room(bytes);
  SPARSE(cusparseDenseToSparse_analysis(handle, b, a.descr, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer));
  SPARSE(cusparseSpMatGetSize(a.descr, &m, &n, &nnz));
  CHECK(nnz == a.nnz, "%d entries, not %d", (int)nnz, a.nnz);
  SPARSE(cusparseDenseToSparse_convert(handle, b, a.descr, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer));
  CUDA(cudaMemset(dense, 0xff, (size_t)ld * 12 * bytes_of(type)));
  SPARSE(cusparseSparseToDense(handle, a.descr, b, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr));
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) check_close(dense, type, place(order, ld, i, j), a.at(i, j), "and back");
  SPARSE(cusparseDestroyDnMat(b));
  forget(&a);
  cudaFree(dense), cudaFree(buffer);
}

static void check_older(int rows, int cols) {
  Matrix a = random_matrix(rows, cols, CUSPARSE_FORMAT_CSR, CUDA_R_32F), b = a;
  int base = a.offsets[0];
  int *offsets = (int *)stored(a.offsets, false), *columns = (int *)stored(a.indices, false);
  int *lines = (int *)room((size_t)a.nnz * 4), *back = (int *)room((size_t)(rows + 1) * 4);
  SPARSE(cusparseXcsr2coo(handle, offsets, a.nnz, rows, lines, (cusparseIndexBase_t)base));
  SPARSE(cusparseXcoo2csr(handle, lines, a.nnz, rows, back, (cusparseIndexBase_t)base));
  CUDA(cudaDeviceSynchronize());
  for (size_t i = 0; i < a.lines.size(); i++) CHECK(lines[i] == a.lines[i], "row of entry %zu", i);
  for (size_t i = 0; i < a.offsets.size(); i++) CHECK(back[i] == a.offsets[i], "offset %zu", i);
  do {
    cusparseDestroySpMat(b.descr);  // until it has the same base
    describe(&b, CUSPARSE_FORMAT_CSC, CUDA_R_32F);
  } while (b.offsets[0] != base);
  int *starts = (int *)room((size_t)(cols + 1) * 4), *rows_of = (int *)room((size_t)a.nnz * 4);
  float *values = (float *)room((size_t)a.nnz * 4);
  size_t bytes;
#define CONVERSION handle, rows, cols, a.nnz, a.memory[2], offsets, columns, values, starts, rows_of, CUDA_R_32F, \
      CUSPARSE_ACTION_NUMERIC, (cusparseIndexBase_t)base, CUSPARSE_CSR2CSC_ALG1
  SPARSE(cusparseCsr2cscEx2_bufferSize(CONVERSION, &bytes));
  void *buffer = room(bytes);
  SPARSE(cusparseCsr2cscEx2(CONVERSION, buffer));
  CUDA(cudaDeviceSynchronize());
  for (size_t i = 0; i < b.offsets.size(); i++) CHECK(starts[i] == b.offsets[i], "start %zu", i);
  for (size_t i = 0; i < b.indices.size(); i++)
    CHECK(rows_of[i] == b.indices[i] && values[i] == b.values[i].real(), "entry %zu", i);
  for (void *it : {(void *)offsets, (void *)columns, (void *)lines, (void *)back, (void *)starts,
                   (void *)rows_of, (void *)values, buffer}) cudaFree(it);
}

int main() {
  static const cudaDataType types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};
  static const cusparseFormat_t formats[] = {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO};
  SPARSE(cusparseCreate(&handle));
  for (cudaDataType type : types) {
    for (cusparseFormat_t format : formats)
      for (cusparseOperation_t operation : operations) {
        check_spmv(format, operation, type, type, 1 + pick(40), 1 + pick(90));
        check_spmm(format, operation, operations[pick(3)], type);
      }
    for (int i = 0; i < 12; i++)
      check_solve(formats[i % 3], operations[pick(3)], type, (cusparseFillMode_t)pick(2), (cusparseDiagType_t)pick(2));
    for (cusparseFormat_t format : formats) check_dense(format, type, pick(2) ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW);
    check_sddmm(type, CUSPARSE_FORMAT_CSR), check_sddmm(type, CUSPARSE_FORMAT_CSC);
    check_spgemm(type), check_spgemm(type);
    check_vectors(type);
  }
  check_spmv(CUSPARSE_FORMAT_CSR, CUSPARSE_OPERATION_NON_TRANSPOSE, CUDA_R_16F, CUDA_R_32F, 30, 30);
  check_spmv(CUSPARSE_FORMAT_CSR, CUSPARSE_OPERATION_NON_TRANSPOSE, CUDA_R_32F, CUDA_R_32F, 300, 1);
  check_factors(false), check_factors(true);
  check_older(17, 9), check_older(1, 1);
  cusparseDnVecDescr_t x;
  CHECK(cusparseCreateDnVec(&x, -1, nullptr, CUDA_R_32F) == CUSPARSE_STATUS_INVALID_VALUE, "size -1");
  CHECK(cusparseDestroy(nullptr) == CUSPARSE_STATUS_NOT_INITIALIZED, "no handle");
  SPARSE(cusparseDestroy(handle));
  return check_end();
}
