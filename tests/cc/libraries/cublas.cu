// SPDX-License-Identifier: MIT
// cuBLAS and cuBLASLt against loops on the host, over random shapes with 0, 1 and odd ones.
#include <cublasLt.h>
#include <cublasXt.h>
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cublas_arrays.h"

// ---- level 1, for both types through overloads

#define OVERLOADS(S, s, T)                                                                         \
  static cublasStatus_t dot(cublasHandle_t h, int n, T *x, int ix, T *y, int iy, T *r) {           \
    return cublas##S##dot(h, n, x, ix, y, iy, r);                                                  \
  }                                                                                                \
  static cublasStatus_t nrm2(cublasHandle_t h, int n, T *x, int ix, T *r) {                        \
    return cublas##S##nrm2(h, n, x, ix, r);                                                        \
  }                                                                                                \
  static cublasStatus_t asum(cublasHandle_t h, int n, T *x, int ix, T *r) {                        \
    return cublas##S##asum(h, n, x, ix, r);                                                        \
  }                                                                                                \
  static cublasStatus_t amax(cublasHandle_t h, int n, T *x, int ix, int *r) {                      \
    return cublasI##s##amax(h, n, x, ix, r);                                                       \
  }                                                                                                \
  static cublasStatus_t amin(cublasHandle_t h, int n, T *x, int ix, int *r) {                      \
    return cublasI##s##amin(h, n, x, ix, r);                                                       \
  }                                                                                                \
  static cublasStatus_t axpy(cublasHandle_t h, int n, T a, T *x, int ix, T *y, int iy) {           \
    return cublas##S##axpy(h, n, &a, x, ix, y, iy);                                                \
  }                                                                                                \
  static cublasStatus_t gemv(cublasHandle_t h, cublasOperation_t o, int m, int n, T al, T *a,      \
                             int lda, T *x, int ix, T be, T *y, int iy) {                          \
    return cublas##S##gemv(h, o, m, n, &al, a, lda, x, ix, &be, y, iy);                            \
  }                                                                                                \
  static cublasStatus_t ger(cublasHandle_t h, int m, int n, T al, T *x, T *y, T *a, int lda) {     \
    return cublas##S##ger(h, m, n, &al, x, 1, y, 1, a, lda);                                       \
  }                                                                                                \
  static cublasStatus_t symv(cublasHandle_t h, cublasFillMode_t f, int n, T *a, int lda, T *x,     \
                             T *y) {                                                               \
    T al = 1, be = 0;                                                                              \
    return cublas##S##symv(h, f, n, &al, a, lda, x, 1, &be, y, 1);                                 \
  }                                                                                                \
  static cublasStatus_t trmv(cublasHandle_t h, cublasFillMode_t f, cublasOperation_t o,            \
                             cublasDiagType_t d, int n, T *a, int lda, T *x) {                     \
    return cublas##S##trmv(h, f, o, d, n, a, lda, x, 1);                                           \
  }                                                                                                \
  static cublasStatus_t trsv(cublasHandle_t h, cublasFillMode_t f, cublasOperation_t o,            \
                             cublasDiagType_t d, int n, T *a, int lda, T *x) {                     \
    return cublas##S##trsv(h, f, o, d, n, a, lda, x, 1);                                           \
  }                                                                                                \
  static cublasStatus_t trsm(cublasHandle_t h, cublasSideMode_t s_, cublasFillMode_t f,            \
                             cublasOperation_t o, cublasDiagType_t d, int m, int n, T al, T *a,    \
                             int lda, T *b, int ldb) {                                             \
    return cublas##S##trsm(h, s_, f, o, d, m, n, &al, a, lda, b, ldb);                             \
  }                                                                                                \
  static cublasStatus_t syrk(cublasHandle_t h, cublasFillMode_t f, cublasOperation_t o, int n,     \
                             int k, T al, T *a, int lda, T be, T *c, int ldc) {                    \
    return cublas##S##syrk(h, f, o, n, k, &al, a, lda, &be, c, ldc);                               \
  }                                                                                                \
  static cublasStatus_t geam(cublasHandle_t h, cublasOperation_t oa, cublasOperation_t ob, int m,  \
                             int n, T al, T *a, int lda, T be, T *b, int ldb, T *c, int ldc) {     \
    return cublas##S##geam(h, oa, ob, m, n, &al, a, lda, &be, b, ldb, c, ldc);                     \
  }
OVERLOADS(S, s, float)
OVERLOADS(D, d, double)

template <typename T>
static void check_vectors(cublasHandle_t handle, int n, int ix, int iy) {
  int sx = abs(ix), sy = abs(iy);
  Array<T> x((size_t)n * sx), y((size_t)n * sy);
  double product = 0, sum = 0, squares = 0;
  int most = 0, least = 0;
  for (int i = 0; i < n; i++) {
    T a = x[(ix < 0 ? n - 1 - i : i) * sx], b = y[(iy < 0 ? n - 1 - i : i) * sy];
    T first = x[i * sx];
    product += (double)a * b, sum += fabs(first), squares += (double)first * first;
    if (fabs(first) > fabs(x[most * sx])) most = i;
    if (fabs(first) < fabs(x[least * sx])) least = i;
  }
  T got = -1;
  int place = -1;
  BLAS(dot(handle, n, x, ix, y, iy, &got));
  CHECK(is_close(got, product, sum, 1e-6), "dot of %d: %g, not %g", n, (double)got, product);
  if (ix > 0) {
    BLAS(asum(handle, n, x, ix, &got));
    CHECK(is_close(got, sum, sum, 1e-6), "asum of %d: %g, not %g", n, (double)got, sum);
    BLAS(nrm2(handle, n, x, ix, &got));
    CHECK(is_close(got, sqrt(squares), sqrt(squares), 1e-6), "nrm2 of %d: %g", n, (double)got);
    BLAS(amax(handle, n, x, ix, &place));
    CHECK(place == (n ? most + 1 : 0), "amax of %d: %d, not %d", n, place, most + 1);
    BLAS(amin(handle, n, x, ix, &place));
    CHECK(place == (n ? least + 1 : 0), "amin of %d: %d, not %d", n, place, least + 1);
  }
  std::vector<T> before(y.items, y.items + (size_t)n * sy);
  BLAS(axpy(handle, n, (T)0.5, x, ix, y, iy));
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) {
    int at_x = (ix < 0 ? n - 1 - i : i) * sx, at_y = (iy < 0 ? n - 1 - i : i) * sy;
    CHECK(y[at_y] == before[at_y] + (T)0.5 * x[at_x], "axpy of %d at %d", n, i);
  }
}

// ---- matrices

template <typename T>
static void check_matrix_vector(cublasHandle_t handle, cublasOperation_t op, int m, int n) {
  int lda = m + 1 + pick(3), rows = op == CUBLAS_OP_N ? m : n, cols = op == CUBLAS_OP_N ? n : m;
  Array<T> a((size_t)lda * n), x(cols), y(rows);
  std::vector<T> before(y.items, y.items + rows);
  BLAS(gemv(handle, op, m, n, (T)2, a, lda, x, 1, (T)0.5, y, 1));
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < rows && m && n; i++) {
    double wanted = 0.5 * before[i];
    for (int j = 0; j < cols; j++) wanted += 2 * element(a.items, lda, op, i, j) * x[j];
    CHECK(is_close(y[i], wanted, cols, 1e-5), "gemv %d of %d by %d: %g, not %g", op, m, n,
          (double)y[i], wanted);
  }
  std::vector<T> matrix(a.items, a.items + (size_t)lda * n);
  Array<T> u(m), v(n);
  BLAS(ger(handle, m, n, (T)-1, u, v, a, lda));
  CUDA(cudaDeviceSynchronize());
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      CHECK(a[i + j * lda] == matrix[i + j * lda] - u[i] * v[j], "ger of %d by %d", m, n);
}

// What op(A) of a triangle has at (i, j).
template <typename T>
static double corner(const T *a, int lda, cublasFillMode_t fill, cublasOperation_t op,
                     cublasDiagType_t diagonal, int i, int j) {
  int r = op == CUBLAS_OP_N ? i : j, c = op == CUBLAS_OP_N ? j : i;
  if (r == c) return diagonal == CUBLAS_DIAG_UNIT ? 1 : a[r + (size_t)c * lda];
  bool is_stored = fill == CUBLAS_FILL_MODE_LOWER ? r > c : r < c;
  return is_stored ? a[r + (size_t)c * lda] : 0;
}

template <typename T>
static void check_triangle(cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,
                           cublasDiagType_t diagonal, int n) {
  int lda = n + 2;
  Array<T> a((size_t)lda * n), x(n), b((size_t)n * 5), c((size_t)n * 5);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i + j * lda] = i == j ? (T)2 : a[i + j * lda] / (T)(n + 1);
  std::vector<T> start(x.items, x.items + n);
  BLAS(trmv(handle, fill, op, diagonal, n, a, lda, x));
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) {
    double wanted = 0;
    for (int j = 0; j < n; j++) wanted += corner(a.items, lda, fill, op, diagonal, i, j) * start[j];
    CHECK(is_close(x[i], wanted, n, 1e-5), "trmv %d %d %d of %d", fill, op, diagonal, n);
  }
  BLAS(trsv(handle, fill, op, diagonal, n, a, lda, x));
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++)
    CHECK(is_close(x[i], start[i], n, 1e-4), "trsv %d %d %d of %d", fill, op, diagonal, n);
  // A X = 2 B and X A = 2 B; B of 5 columns and 5 rows.
  for (int side = 0; side < 2; side++) {
    int m = side ? 5 : n, cols = side ? n : 5;
    for (int i = 0; i < n * 5; i++) c[i] = b[i];
    BLAS(trsm(handle, (cublasSideMode_t)side, fill, op, diagonal, m, cols, (T)2, a, lda, c, m ? m : 1));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < m; i++)
      for (int j = 0; j < cols; j++) {
        double got = 0;
        for (int l = 0; l < n; l++)
          got += side ? c[i + l * m] * corner(a.items, lda, fill, op, diagonal, l, j)
                      : corner(a.items, lda, fill, op, diagonal, i, l) * c[l + j * m];
        CHECK(is_close(got, 2 * b[i + j * m], n, 1e-4), "trsm side %d, %d %d %d of %d", side, fill,
              op, diagonal, n);
      }
  }
}

template <typename T>
static void check_symmetric(cublasHandle_t handle, cublasFillMode_t fill, int n, int k) {
  Array<T> a((size_t)n * n), x(n), y(n), b((size_t)n * k), c((size_t)n * n), d((size_t)n * n);
  BLAS(symv(handle, fill, n, a, n ? n : 1, x, y));
  std::vector<T> before(c.items, c.items + n * n);
  BLAS(syrk(handle, fill, CUBLAS_OP_N, n, k, (T)1, b, n ? n : 1, (T)2, c, n ? n : 1));
  BLAS(geam(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, n, (T)2, a, n ? n : 1, (T)3, a, n ? n : 1, d,
            n ? n : 1));
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) {
    double wanted = 0;
    for (int j = 0; j < n; j++) {
      bool is_stored = fill == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j;
      wanted += (is_stored ? a[i + j * n] : a[j + i * n]) * x[j];
      double product = 2 * before[i + j * n];
      for (int l = 0; l < k; l++) product += (double)b[i + l * n] * b[j + l * n];
      CHECK(is_close(c[i + j * n], is_stored ? product : before[i + j * n], k, 1e-5), "syrk of %d, %d", n, k);
      CHECK(d[i + j * n] == 2 * a[j + i * n] + 3 * a[i + j * n], "geam of %d", n);
    }
    CHECK(is_close(y[i], wanted, n, 1e-5), "symv of %d", n);
  }
}

// ---- products

// in, out: of the matrices; bound: of the rounding of results.
template <typename In, typename Out, typename Scale>
static void check_product(cublasHandle_t handle, cudaDataType in, cudaDataType out,
                          cublasComputeType_t compute, double bound, cublasOperation_t op_a,
                          cublasOperation_t op_b, int m, int n, int k, int count) {
  int lda = (op_a == CUBLAS_OP_N ? m : k) + 1, ldb = (op_b == CUBLAS_OP_N ? k : n) + 2, ldc = m + 3;
  size_t each_a = (size_t)lda * (op_a == CUBLAS_OP_N ? k : m), each_c = (size_t)ldc * n;
  size_t each_b = (size_t)ldb * (op_b == CUBLAS_OP_N ? n : k);
  Array<In> a(each_a * count), b(each_b * count);
  Array<Out> c(each_c * count);
  std::vector<Out> before(c.items, c.items + each_c * count);
  Scale alpha = (Scale)2, beta = (Scale)(pick(2) ? 1 : 0);
  for (size_t i = 0; i < each_c && (float)beta == 0; i++) c[i] = (Out)(float)NAN;  // not read
  if (count == 1)
    BLAS(cublasGemmEx(handle, op_a, op_b, m, n, k, &alpha, a.items, in, lda, b.items, in, ldb, &beta,
                      c.items, out, ldc, compute, CUBLAS_GEMM_DEFAULT));
  else
    BLAS(cublasGemmStridedBatchedEx(handle, op_a, op_b, m, n, k, &alpha, a.items, in, lda, each_a,
                                    b.items, in, ldb, each_b, &beta, c.items, out, ldc, each_c,
                                    count, compute, CUBLAS_GEMM_DEFAULT));
  CUDA(cudaDeviceSynchronize());
  for (int batch = 0; batch < count; batch++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i++) {
        double wanted = 0;
        for (int l = 0; l < k; l++)
          wanted += element(a.items + batch * each_a, lda, op_a, i, l) *
                    element(b.items + batch * each_b, ldb, op_b, l, j);
        size_t at = batch * each_c + i + (size_t)j * ldc;
        wanted = 2 * wanted + ((float)beta == 0 ? 0 : (double)(float)before[at]);
        CHECK(is_close((float)c[at], wanted, wanted, bound),
              "product of %d by %d by %d, %d %d, types %d %d: %g, not %g", m, n, k, op_a, op_b, in,
              out, (double)(float)c[at], wanted);
      }
}

static void check_products(cublasHandle_t handle, int m, int n, int k, int count) {
  cublasOperation_t a = operations[pick(3)], b = operations[pick(3)];
  check_product<float, float, float>(handle, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1e-5, a, b,
                                     m, n, k, count);
  check_product<double, double, double>(handle, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, 1e-5, b,
                                        a, m, n, k, count);
  check_product<__half, __half, __half>(handle, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, 2e-3, a,
                                        b, m, n, k, count);
  check_product<__half, float, float>(handle, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1e-5, a, b,
                                      m, n, k, count);
  check_product<__nv_bfloat16, __nv_bfloat16, float>(handle, CUDA_R_16BF, CUDA_R_16BF,
                                                     CUBLAS_COMPUTE_32F, 1e-2, a, b, m, n, k, count);
  check_product<signed char, int, int>(handle, CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, 0, a, b, m,
                                       n, k, count);
}

// By lists of pointers, and factors on the device.
static void check_lists(cublasHandle_t handle) {
  enum { N = 9, COUNT = 3 };
  Array<float> a(N * N * COUNT), b(N * N * COUNT), c(N * N * COUNT), factors(2);
  Array<float> *all[] = {&a, &b, &c};
  float **lists;
  CUDA(cudaMallocManaged(&lists, 3 * COUNT * sizeof *lists));
  for (int i = 0; i < 3 * COUNT; i++) lists[i] = all[i / COUNT]->items + i % COUNT * N * N;
  factors[0] = 1, factors[1] = 0;
  BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
  BLAS(cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_T, N, N, N, factors, lists, N, lists + COUNT,
                          N, factors + 1, lists + 2 * COUNT, N, COUNT));
  float *norm;
  CUDA(cudaMallocManaged(&norm, sizeof *norm));
  BLAS(cublasSnrm2(handle, N, a, 1, norm));
  BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
  CUDA(cudaDeviceSynchronize());
  double squares = 0;
  for (int i = 0; i < N; i++) squares += a[i] * a[i];
  CHECK(is_close(*norm, sqrt(squares), 1, 1e-6), "norm on the device");
  for (int batch = 0; batch < COUNT; batch++)
    for (int i = 0; i < N * N; i++) {
      double wanted = 0;
      for (int l = 0; l < N; l++)
        wanted += a[batch * N * N + i % N + l * N] * b[batch * N * N + i / N + l * N];
      CHECK(c[batch * N * N + i] == (float)wanted, "product %d of a list", batch);
    }
}

// ---- cuBLASLt

static double gelu(double x) {
  return 0.5 * x * (1 + tanh(sqrt(2 / acos(-1.0)) * (x + 0.044715 * x * x * x)));
}

static void check_epilogue(cublasLtHandle_t handle, cublasLtEpilogue_t epilogue, int m, int n, int k) {
  Array<float> a((size_t)m * k), b((size_t)k * n), d((size_t)m * n), bias(m), aux((size_t)m * n);
  cublasLtMatmulDesc_t desc;
  cublasLtMatrixLayoutOpaque_t reserved;
  cublasLtMatrixLayout_t layout_a, layout_b = &reserved, layout_d;
  cublasLtMatmulPreference_t preference;
  cublasLtMatmulHeuristicResult_t result;
  cublasOperation_t op = CUBLAS_OP_T;
  int64_t ld = m;
  int found = 0;
  float one = 1, zero = 0;
  BLAS(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  BLAS(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &op, sizeof op));
  BLAS(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
  BLAS(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias.items, sizeof(void *)));
  BLAS(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &aux.items, sizeof(void *)));
  BLAS(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &ld, sizeof ld));
  BLAS(cublasLtMatrixLayoutCreate(&layout_a, CUDA_R_32F, k, m, k));
  BLAS(cublasLtMatrixLayoutInit(&reserved, CUDA_R_32F, k, n, k));
  BLAS(cublasLtMatrixLayoutCreate(&layout_d, CUDA_R_32F, m, n, m));
  BLAS(cublasLtMatmulPreferenceCreate(&preference));
  BLAS(cublasLtMatmulAlgoGetHeuristic(handle, desc, layout_a, layout_b, layout_d, layout_d, preference, 1, &result, &found));
  CHECK(found == 1, "%d algorithms", found);
  BLAS(cublasLtMatmul(handle, desc, &one, a, layout_a, b, layout_b, &zero, d, layout_d, d, layout_d, &result.algo, NULL, 0, 0));
  CUDA(cudaDeviceSynchronize());
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      double wanted = 0;
      for (int l = 0; l < k; l++) wanted += (double)a[l + i * k] * b[l + j * k];
      if (epilogue & CUBLASLT_EPILOGUE_BIAS) wanted += bias[i];
      if (epilogue & 128) CHECK(is_close(aux[i + j * m], wanted, wanted, 1e-5), "input of the epilogue %d", epilogue);
      if (epilogue & CUBLASLT_EPILOGUE_RELU) wanted = wanted > 0 ? wanted : 0;
      if (epilogue & CUBLASLT_EPILOGUE_GELU) wanted = gelu(wanted);
      CHECK(is_close(d[i + j * m], wanted, wanted, 1e-5), "epilogue %d: %g, not %g", epilogue, (double)d[i + j * m], wanted);
    }
  BLAS(cublasLtMatmulPreferenceDestroy(preference));
  BLAS(cublasLtMatrixLayoutDestroy(layout_a));
  BLAS(cublasLtMatrixLayoutDestroy(layout_d));
  BLAS(cublasLtMatmulDescDestroy(desc));
}

// ---- level 1 with types at run time

template <typename T>
static void check_mixed(cublasHandle_t handle, cudaDataType type, int n, int incx, int incy) {
  bool is_wide = type == CUDA_R_64F;
  cudaDataType factors = is_wide ? CUDA_R_64F : CUDA_R_32F;
  size_t used_x = (size_t)n * abs(incx), used_y = (size_t)n * abs(incy);
  Array<T> x(used_x), y(used_y), result(1);
  std::vector<double> xs(n), before(n);
  double dot = 0, squares = 0, alpha = 1.5;
  float narrow = 1.5f;
  const void *factor = is_wide ? (const void *)&alpha : &narrow;
  T *first_x = incx < 0 ? x + (size_t)(1 - n) * incx : x.items;
  T *first_y = incy < 0 ? y + (size_t)(1 - n) * incy : y.items;
  for (int i = 0; i < n; i++) {
    xs[i] = (double)(float)first_x[i * incx], before[i] = (double)(float)first_y[i * incy];
    dot += xs[i] * before[i], squares += xs[i] * xs[i];
  }
  double bound = type == CUDA_R_16BF ? 4e-3 : type == CUDA_R_16F ? 5e-4 : 1e-6;
  BLAS(cublasDotEx(handle, n, x, type, incx, y, type, incy, result, type, factors));
  CHECK(is_close((float)result[0], dot, dot, bound), "dot of %d: %g, not %g", n, (double)(float)result[0], dot);
  if (incx > 0) {
    BLAS(cublasNrm2Ex(handle, n, x, type, incx, result, type, factors));
    CHECK(is_close((float)result[0], sqrt(squares), sqrt(squares), bound), "norm of %d", n);
  }
  BLAS(cublasAxpyEx(handle, n, factor, factors, x, type, incx, y, type, incy, factors));
  BLAS(cublasScalEx(handle, n, factor, factors, y, type, abs(incy), factors));
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) {
    double wanted = 1.5 * (1.5 * xs[i] + before[i]);
    CHECK(is_close((float)first_y[i * incy], wanted, wanted, 2 * bound), "axpy, scal at %d", i);
  }
}

// ---- cuBLASXt: matrices of the host

static void check_host_product(cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k) {
  cublasXtHandle_t xt;
  int device = 0, lda = (op_a ? k : m) + 3, ldb = (op_b ? n : k) + 1, ldc = m + 2;
  std::vector<double> a(lda * (op_a ? m : k) + 1), b(ldb * (op_b ? k : n) + 1), c(ldc * n + 1);
  for (double &x : a) x = value();
  for (double &x : b) x = value();
  for (double &x : c) x = value();
  std::vector<double> before = c;
  double alpha = 2, beta = 0.5;
  BLAS(cublasXtCreate(&xt));
  BLAS(cublasXtDeviceSelect(xt, 1, &device));
  BLAS(cublasXtSetBlockDim(xt, 64));
  BLAS(cublasXtDgemm(xt, op_a, op_b, m, n, k, &alpha, a.data(), lda, b.data(), ldb, &beta, c.data(), ldc));
  for (int j = 0; j < n; j++)
    for (int i = 0; i < ldc; i++) {
      double sum = 0;
      for (int x = 0; i < m && x < k; x++)
        sum += (op_a ? a[x + i * lda] : a[i + x * lda]) * (op_b ? b[j + x * ldb] : b[x + j * ldb]);
      double wanted = i < m ? alpha * sum + beta * before[i + j * ldc] : before[i + j * ldc];
      CHECK(c[i + j * ldc] == wanted, "Xt %d %d: %g for %g", i, j, c[i + j * ldc], wanted);
    }
  BLAS(cublasXtDestroy(xt));
}

// Terms that one long sum of floats would lose beside its first one.
static void check_long_sum(cublasHandle_t handle) {
  enum { N = 1 << 24, LARGE = 1 << 16 };
  Array<float> x(N);
  for (int i = 0; i < N; i++) x[i] = i < LARGE ? 1 : 0x1p-25f;
  float got;
  BLAS(cublasSasum(handle, N, x, 1, &got));
  double wanted = LARGE + (N - LARGE) * 0x1p-25;
  CHECK(is_close(got, wanted, wanted, 3e-6), "asum of %d: %.9g", N, got);
}

int main() {
  cublasHandle_t handle;
  cublasLtHandle_t lt;
  BLAS(cublasCreate(&handle));
  BLAS(cublasLtCreate(&lt));
  static const int strides[][2] = {{1, 1}, {2, 3}, {-1, 1}, {3, -2}};
  static const int lengths[] = {0, 1, 7, 300};
  for (int i = 0; i < 4; i++) {
    check_vectors<float>(handle, lengths[i], strides[i][0], strides[i][1]);
    check_vectors<double>(handle, lengths[3 - i], strides[i][0], strides[i][1]);
  }
  check_vectors<float>(handle, 70001, 1, 1);
  check_long_sum(handle);
  for (int i = 0; i < 4; i++) {
    check_mixed<__half>(handle, CUDA_R_16F, lengths[i] / 2, strides[i][0], strides[i][1]);
    check_mixed<__nv_bfloat16>(handle, CUDA_R_16BF, lengths[3 - i], strides[i][0], strides[i][1]);
    check_mixed<float>(handle, CUDA_R_32F, lengths[i], strides[i][0], strides[i][1]);
    check_mixed<double>(handle, CUDA_R_64F, lengths[i], strides[i][0], strides[i][1]);
  }
  for (int i = 0; i < 3; i++) {
    check_matrix_vector<float>(handle, operations[i], 1 + pick(200), 1 + pick(60));
    check_matrix_vector<double>(handle, operations[i], pick(3), 1 + pick(150));
    check_triangle<double>(handle, (cublasFillMode_t)(i % 2), operations[i], (cublasDiagType_t)(i / 2), 1 + pick(40));
    check_triangle<float>(handle, (cublasFillMode_t)((i + 1) % 2), operations[i], (cublasDiagType_t)(i % 2), 13);
  }
  check_symmetric<float>(handle, CUBLAS_FILL_MODE_UPPER, 37, 5);
  check_symmetric<double>(handle, CUBLAS_FILL_MODE_LOWER, 20, 1);
  check_symmetric<float>(handle, CUBLAS_FILL_MODE_LOWER, 0, 3);
  check_products(handle, 1, 1, 1, 1);
  check_products(handle, 0, 3, 2, 1);
  check_products(handle, 5, 6, 0, 1);
  check_products(handle, 65, 67, 33, 1);
  for (int i = 0; i < 4; i++) check_products(handle, 1 + pick(90), 1 + pick(90), 1 + pick(70), 1 + i % 2 * 2);
  check_lists(handle);
  check_host_product(CUBLAS_OP_N, CUBLAS_OP_T, 17, 9, 23);
  check_host_product(CUBLAS_OP_T, CUBLAS_OP_N, 5, 1, 0);
  check_host_product(CUBLAS_OP_N, CUBLAS_OP_N, 0, 3, 4);
  static const cublasLtEpilogue_t epilogues[] = {CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_BIAS,
                                                 CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_GELU,
                                                 CUBLASLT_EPILOGUE_GELU_AUX_BIAS};
  for (int i = 0; i < 5; i++) check_epilogue(lt, epilogues[i], 33, 1 + pick(40), 20);
  BLAS(cublasLtDestroy(lt));
  BLAS(cublasDestroy(handle));
  return check_end();
}
