// SPDX-License-Identifier: MIT
// cuSOLVER: factors multiply to the matrix, solutions satisfy their systems, over shapes with 0, 1
// and sizes around the panels'.
#include <cusolverDn.h>
#include <math.h>

#include "../check.h"

#define SOLVER(call)                                                      \
  do {                                                                    \
    cusolverStatus_t status_ = (call);                                    \
    CHECK(status_ == CUSOLVER_STATUS_SUCCESS, "status %d", (int)status_); \
  } while (0)

static unsigned state = 4711;
static double value() {
  return (int)((state = state * 1664525u + 1013904223u) >> 8) % 2001 / 1000.0 - 1;
}

// An array that both sides see.
template <typename T>
struct Array {
  T *items;
  explicit Array(size_t count) {
    CUDA(cudaMallocManaged(&items, (count + 1) * sizeof(T)));
    for (size_t i = 0; i <= count; i++) items[i] = (T)value();
  }
  ~Array() { cudaFree(items); }
  operator T *() const { return items; }
};

#define OVERLOADS(S, T)                                                                                      \
  static int potrf(cusolverDnHandle_t h, cublasFillMode_t half, int n, T *a, int lda, int *info) {           \
    int elements;                                                                                            \
    SOLVER(cusolverDn##S##potrf_bufferSize(h, half, n, a, lda, &elements));                                  \
    Array<T> work(elements);                                                                                 \
    SOLVER(cusolverDn##S##potrf(h, half, n, a, lda, work, elements, info));                                  \
    CUDA(cudaDeviceSynchronize());                                                                           \
    return *info;                                                                                            \
  }                                                                                                          \
  static void potrs(cusolverDnHandle_t h, cublasFillMode_t half, int n, int m, T *a, int lda, T *b, int ldb, \
                    int *info) {                                                                             \
    SOLVER(cusolverDn##S##potrs(h, half, n, m, a, lda, b, ldb, info));                                       \
  }                                                                                                          \
  static int getrf(cusolverDnHandle_t h, int m, int n, T *a, int lda, int *pivots, int *info) {              \
    int elements;                                                                                            \
    SOLVER(cusolverDn##S##getrf_bufferSize(h, m, n, a, lda, &elements));                                     \
    Array<T> work(elements);                                                                                 \
    SOLVER(cusolverDn##S##getrf(h, m, n, a, lda, work, pivots, info));                                       \
    CUDA(cudaDeviceSynchronize());                                                                           \
    return *info;                                                                                            \
  }                                                                                                          \
  static void getrs(cusolverDnHandle_t h, cublasOperation_t op, int n, int m, T *a, int lda, int *pivots,    \
                    T *b, int ldb, int *info) {                                                              \
    SOLVER(cusolverDn##S##getrs(h, op, n, m, a, lda, pivots, b, ldb, info));                                 \
  }                                                                                                          \
  static void geqrf(cusolverDnHandle_t h, int m, int n, T *a, int lda, T *taus, int *info) {                 \
    int elements;                                                                                            \
    SOLVER(cusolverDn##S##geqrf_bufferSize(h, m, n, a, lda, &elements));                                     \
    Array<T> work(elements);                                                                                 \
    SOLVER(cusolverDn##S##geqrf(h, m, n, a, lda, taus, work, elements, info));                               \
    CUDA(cudaDeviceSynchronize());                                                                           \
  }                                                                                                          \
  static void ormqr(cusolverDnHandle_t h, cublasSideMode_t side, cublasOperation_t op, int m, int n, int k,  \
                    T *a, int lda, T *taus, T *c, int ldc, int *info) {                                      \
    int elements;                                                                                            \
    SOLVER(cusolverDn##S##ormqr_bufferSize(h, side, op, m, n, k, a, lda, taus, c, ldc, &elements));          \
    Array<T> work(elements);                                                                                 \
    SOLVER(cusolverDn##S##ormqr(h, side, op, m, n, k, a, lda, taus, c, ldc, work, elements, info));          \
    CUDA(cudaDeviceSynchronize());                                                                           \
  }                                                                                                          \
  static void orgqr(cusolverDnHandle_t h, int m, int n, int k, T *a, int lda, T *taus, int *info) {          \
    int elements;                                                                                            \
    SOLVER(cusolverDn##S##orgqr_bufferSize(h, m, n, k, a, lda, taus, &elements));                            \
    Array<T> work(elements);                                                                                 \
    SOLVER(cusolverDn##S##orgqr(h, m, n, k, a, lda, taus, work, elements, info));                            \
    CUDA(cudaDeviceSynchronize());                                                                           \
  }
OVERLOADS(S, float)
OVERLOADS(D, double)

// The largest difference of op(A) x and b.
template <typename T>
static double residual(const T *a, int lda, bool is_transposed, int n, const T *x, const T *b) {
  double largest = 0;
  for (int i = 0; i < n; i++) {
    double sum = -b[i];
    for (int j = 0; j < n; j++) sum += (double)(is_transposed ? a[j + i * lda] : a[i + j * lda]) * x[j];
    largest = fmax(largest, fabs(sum));
  }
  return largest;
}

template <typename T>
static void check_cholesky(cusolverDnHandle_t handle, cublasFillMode_t half, int n, double bound) {
  int lda = n + 2, ldb = n + 1, columns = 3;
  Array<T> a(lda * (n + 1)), factors(lda * (n + 1)), b(ldb * columns), x(ldb * columns);
  Array<int> info(1);
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j; i++) a[i + j * lda] = a[j + i * lda] = i == j ? (T)(n + 1) : a[i + j * lda];
  for (int i = 0; i < lda * n; i++) factors[i] = a[i];
  for (int i = 0; i < ldb * columns; i++) x[i] = b[i];
  CHECK(potrf(handle, half, n, factors, lda, info) == 0, "info %d of n = %d", info[0], n);
  potrs(handle, half, n, columns, factors, lda, x, ldb, info);
  CUDA(cudaDeviceSynchronize());
  for (int j = 0; j < columns; j++) {
    double error = residual<T>(a, lda, false, n, x + j * ldb, b + j * ldb);
    CHECK(error < bound, "potrs %d: %g", n, error);
  }
  // The other half stays as it is.
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      if (half == CUBLAS_FILL_MODE_LOWER ? i < j : i > j)
        CHECK(factors[i + j * lda] == a[i + j * lda], "other half at %d %d", i, j);
  if (n < 3) return;
  a[2 + 2 * lda] = -1;
  CHECK(potrf(handle, half, n, a, lda, info) == 3, "info %d for 3", info[0]);
}

template <typename T>
static void check_lu(cusolverDnHandle_t handle, cublasOperation_t op, int n, bool has_pivots, double bound) {
  int lda = n + 1, ldb = n + 3, columns = 2;
  Array<T> a(lda * (n + 1)), factors(lda * (n + 1)), b(ldb * columns), x(ldb * columns);
  Array<int> info(1), pivots(n);
  for (int i = 0; i < n; i++) a[i + i * lda] += has_pivots ? 0 : n + 1;
  for (int i = 0; i < lda * n; i++) factors[i] = a[i];
  for (int i = 0; i < ldb * columns; i++) x[i] = b[i];
  CHECK(getrf(handle, n, n, factors, lda, has_pivots ? pivots.items : NULL, info) == 0, "info %d", info[0]);
  getrs(handle, op, n, columns, factors, lda, has_pivots ? pivots.items : NULL, x, ldb, info);
  CUDA(cudaDeviceSynchronize());
  for (int j = 0; j < columns; j++) {
    double error = residual<T>(a, lda, op != CUBLAS_OP_N, n, x + j * ldb, b + j * ldb);
    CHECK(error < bound, "getrs %d: %g", n, error);
  }
}

// R from the factors, multiplied by Q from the left; Q formed is orthogonal; Q' A is R.
template <typename T>
static void check_qr(cusolverDnHandle_t handle, int m, int n, double bound) {
  int lda = m + 1, k = m < n ? m : n;
  Array<T> a(lda * (n + 1)), factors(lda * (n + 1)), product(lda * (n + 1)), taus(k), c(3 * (m + 1));
  Array<int> info(1);
  for (int i = 0; i < lda * n; i++) factors[i] = a[i];
  geqrf(handle, m, n, factors, lda, taus, info);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) product[i + j * lda] = i <= j ? factors[i + j * lda] : 0;
  ormqr(handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_N, m, n, k, factors, lda, taus, product, lda, info);
  double error = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) error = fmax(error, fabs((double)product[i + j * lda] - a[i + j * lda]));
  CHECK(error < bound, "Q R of %d x %d: %g", m, n, error);
  ormqr(handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, m, n, k, factors, lda, taus, product, lda, info);
  error = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) error = fmax(error, fabs((double)product[i + j * lda] - (i <= j ? factors[i + j * lda] : 0)));
  CHECK(error < bound, "Q' A of %d x %d: %g", m, n, error);
  Array<T> before(3 * (m + 1));
  for (int i = 0; i < 3 * m; i++) before[i] = c[i];
  ormqr(handle, CUBLAS_SIDE_RIGHT, CUBLAS_OP_N, 3, m, k, factors, lda, taus, c, 3, info);
  ormqr(handle, CUBLAS_SIDE_RIGHT, CUBLAS_OP_T, 3, m, k, factors, lda, taus, c, 3, info);
  for (int i = 0; i < 3 * m; i++) CHECK(fabs((double)c[i] - before[i]) < bound, "C Q Q' at %d", i);
  if (m < n) return;
  orgqr(handle, m, n, n, factors, lda, taus, info);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = i == j ? -1 : 0;
      for (int row = 0; row < m; row++) sum += (double)factors[row + i * lda] * factors[row + j * lda];
      CHECK(fabs(sum) < bound, "Q' Q at %d %d: %g", i, j, sum);
    }
}

int main() {
  cusolverDnHandle_t handle;
  SOLVER(cusolverDnCreate(&handle));
  static const int sizes[] = {0, 1, 5, 32, 33, 71};
  for (int n : sizes) {
    check_cholesky<double>(handle, CUBLAS_FILL_MODE_LOWER, n, 1e-11);
    check_cholesky<double>(handle, CUBLAS_FILL_MODE_UPPER, n, 1e-11);
    check_lu<double>(handle, n % 2 ? CUBLAS_OP_N : CUBLAS_OP_T, n, true, 1e-9);
  }
  check_cholesky<float>(handle, CUBLAS_FILL_MODE_UPPER, 40, 1e-3);
  check_lu<double>(handle, CUBLAS_OP_N, 71, false, 1e-9);
  check_lu<double>(handle, CUBLAS_OP_T, 71, true, 1e-9);
  check_lu<float>(handle, CUBLAS_OP_N, 34, false, 1e-3);
  check_qr<double>(handle, 1, 1, 1e-12);
  check_qr<double>(handle, 37, 20, 1e-12);
  check_qr<double>(handle, 9, 14, 1e-12);
  check_qr<float>(handle, 33, 33, 1e-4);
  SOLVER(cusolverDnDestroy(handle));
  return check_end();
}
