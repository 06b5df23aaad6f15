// SPDX-License-Identifier: MIT
// Sparse cuSOLVER: every way to a solution against elimination in a dense matrix on the host, over
// random structures with 1 and odd sizes, both bases, float and double.
#include <cusolverRf.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <math.h>

#include <algorithm>
#include <vector>

#include "../check.h"

#define SOLVER(call)                                                      \
  do {                                                                    \
    cusolverStatus_t status_ = (call);                                    \
    CHECK(status_ == CUSOLVER_STATUS_SUCCESS, "status %d", (int)status_); \
  } while (0)

static unsigned state = 815;
static int number(int below) {
  return (int)((state = state * 1664525u + 1013904223u) >> 8) % below;
}
static double value() {
  return number(2001) / 1000.0 - 1;
}

// An array that both sides see.
template <typename T>
struct Array {
  T *items;
  explicit Array(const std::vector<T> &from) {
    CUDA(cudaMallocManaged(&items, (from.size() + 1) * sizeof(T)));
    std::copy(from.begin(), from.end(), items);
  }
  Array(const Array &) = delete;
  ~Array() { cudaFree(items); }
  operator T *() const { return items; }
};

struct Matrix {
  int n, base;
  std::vector<double> dense;  // by rows
  std::vector<int> starts, columns;
  std::vector<double> values;
  int nnz() const { return (int)values.size(); }
};

// With a diagonal that dominates where it is symmetric, else without: rows have to be exchanged.
static Matrix make(int n, int base, bool is_symmetric) {
  Matrix a = {n, base, std::vector<double>((size_t)n * n), {}, {}, {}};
  for (int e = 0; e < 2 * n; e++) {
    int i = number(n), j = number(n);
    a.dense[i * n + j] = value();
    if (is_symmetric) a.dense[j * n + i] = a.dense[i * n + j];
  }
  for (int i = 0; i < n; i++)
    if (is_symmetric)
      a.dense[i * n + i] = n + 2;
    else
      a.dense[i * n + (i + 1) % n] = 2 + value();
  for (int i = 0; i < n; i++) {
    a.starts.push_back(a.nnz() + base);
    for (int j = 0; j < n; j++)
      if (a.dense[i * n + j] != 0)
        a.columns.push_back(j + base), a.values.push_back(a.dense[i * n + j]);
  }
  a.starts.push_back(a.nnz() + base);
  return a;
}

static std::vector<double> solve_dense(const Matrix &m, std::vector<double> b) {
  int n = m.n;
  std::vector<double> a = m.dense;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
    for (int j = 0; j < n; j++) std::swap(a[k * n + j], a[best * n + j]);
    std::swap(b[k], b[best]);
    for (int i = k + 1; i < n; i++) {
      double factor = a[i * n + k] / a[k * n + k];
      for (int j = k; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= a[i * n + j] * b[j];
    b[i] /= a[i * n + i];
  }
  return b;
}

template <typename T>
static void compare(const char *what, const Matrix &a, const T *x,
                    const std::vector<double> &expected) {
  double largest = 1, error = 0;
  for (int i = 0; i < a.n; i++) {
    largest = fmax(largest, fabs(expected[i]));
    error = x[i] == x[i] ? fmax(error, fabs((double)x[i] - expected[i])) : 1e30;
  }
  CHECK(error < largest * (sizeof(T) == 4 ? 1e-2 : 1e-9), "%s, n = %d: off by %g", what, a.n,
        error);
}

// What all calls of one system take.
template <typename T>
struct System {
  Matrix a;
  std::vector<double> expected;
  Array<int> starts, columns;
  Array<T> values, b, x;
  cusparseMatDescr_t description;
  static std::vector<double> right_side(int n) {
    std::vector<double> b(n);
    for (double &it : b) it = value();
    return b;
  }
  static std::vector<T> rounded(const std::vector<double> &from) {
    return std::vector<T>(from.begin(), from.end());
  }
  System(const Matrix &m, const std::vector<double> &right)
      : a(m),
        expected(solve_dense(m, right)),
        starts(m.starts),
        columns(m.columns),
        values(rounded(m.values)),
        b(rounded(right)),
        x(std::vector<T>(m.n)) {
    cusparseCreateMatDescr(&description);
    cusparseSetMatIndexBase(description,
                            m.base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO);
  }
  ~System() { cusparseDestroyMatDescr(description); }
  void check(const char *what) {
    CUDA(cudaDeviceSynchronize());
    compare<T>(what, a, x, expected);
    for (int i = 0; i < a.n; i++) x[i] = 0;
  }
};

#define MATRIX s.description, s.values, s.starts, s.columns

#define IN_ONE_CALL(CALL)                                                          \
  for (int reorder = 0; reorder < 4; reorder++) {                                  \
    int singularity = 99;                                                          \
    SOLVER(CALL(h, s.a.n, s.a.nnz(), MATRIX, s.b, 0, reorder, s.x, &singularity)); \
    CHECK(singularity == -1, "singularity %d", singularity);                       \
    s.check(#CALL);                                                                \
  }

#define OVERLOADS(S, T)                                                            \
  static void in_one_call(cusolverSpHandle_t h, System<T> &s, bool is_symmetric) { \
    IN_ONE_CALL(cusolverSp##S##csrlsvluHost)                                       \
    IN_ONE_CALL(cusolverSp##S##csrlsvqr)                                           \
    IN_ONE_CALL(cusolverSp##S##csrlsvqrHost)                                       \
    if (!is_symmetric) return;                                                     \
    IN_ONE_CALL(cusolverSp##S##csrlsvchol)                                         \
    IN_ONE_CALL(cusolverSp##S##csrlsvcholHost)                                     \
  }                                                                                \
  CHOLESKY(S, T, Host)                                                             \
  CHOLESKY(S, T, )                                                                 \
  QR(S, T, Host)                                                                   \
  QR(S, T, )

// The steps of Cholesky, twice with one analysis; then of a matrix with a negative diagonal.
#define CHOLESKY(S, T, SIDE)                                                                       \
  static void cholesky##SIDE(cusolverSpHandle_t h, System<T> &s) {                                 \
    csrcholInfo##SIDE##_t info;                                                                    \
    size_t internal, bytes;                                                                        \
    int position = 99, n = s.a.n, nnz = s.a.nnz();                                                 \
    SOLVER(cusolverSpCreateCsrcholInfo##SIDE(&info));                                              \
    SOLVER(cusolverSpXcsrcholAnalysis##SIDE(h, n, nnz, s.description, s.starts, s.columns, info)); \
    SOLVER(cusolverSp##S##csrcholBufferInfo##SIDE(h, n, nnz, MATRIX, info, &internal, &bytes));    \
    for (int turn = 0; turn < 2; turn++) {                                                         \
      SOLVER(cusolverSp##S##csrcholFactor##SIDE(h, n, nnz, MATRIX, info, NULL));                   \
      SOLVER(cusolverSp##S##csrcholZeroPivot##SIDE(h, info, 0, &position));                        \
      CHECK(position == -1, "zero pivot at %d", position);                                         \
      SOLVER(cusolverSp##S##csrcholSolve##SIDE(h, n, s.b, s.x, info, NULL));                       \
      s.check("csrcholSolve" #SIDE);                                                               \
    }                                                                                              \
    int bad = n / 2, at = s.starts[bad] - s.a.base;                                                \
    while (s.columns[at] - s.a.base != bad) at++;                                                  \
    T kept = s.values[at];                                                                         \
    s.values[at] = -1;                                                                             \
    SOLVER(cusolverSp##S##csrcholFactor##SIDE(h, n, nnz, MATRIX, info, NULL));                     \
    SOLVER(cusolverSp##S##csrcholZeroPivot##SIDE(h, info, 0, &position));                          \
    CHECK(position == bad, "zero pivot at %d for %d", position, bad);                              \
    s.values[at] = kept;                                                                           \
    SOLVER(cusolverSpDestroyCsrcholInfo##SIDE(info));                                              \
  }

#define QR(S, T, SIDE)                                                                           \
  static void qr##SIDE(cusolverSpHandle_t h, System<T> &s) {                                     \
    csrqrInfo##SIDE##_t info;                                                                    \
    size_t internal, bytes;                                                                      \
    int position = 99, n = s.a.n, nnz = s.a.nnz();                                               \
    SOLVER(cusolverSpCreateCsrqrInfo##SIDE(&info));                                              \
    SOLVER(                                                                                      \
        cusolverSpXcsrqrAnalysis##SIDE(h, n, n, nnz, s.description, s.starts, s.columns, info)); \
    SOLVER(cusolverSp##S##csrqrBufferInfo##SIDE(h, n, n, nnz, MATRIX, info, &internal, &bytes)); \
    SOLVER(cusolverSp##S##csrqrSetup##SIDE(h, n, n, nnz, MATRIX, 0, info));                      \
    SOLVER(cusolverSp##S##csrqrFactor##SIDE(h, n, n, nnz, NULL, NULL, info, NULL));              \
    SOLVER(cusolverSp##S##csrqrZeroPivot##SIDE(h, info, 0, &position));                          \
    CHECK(position == -1, "zero pivot at %d", position);                                         \
    SOLVER(cusolverSp##S##csrqrSolve##SIDE(h, n, n, s.b, s.x, info, NULL));                      \
    s.check("csrqrSolve" #SIDE);                                                                 \
    SOLVER(cusolverSpDestroyCsrqrInfo##SIDE(info));                                              \
  }
OVERLOADS(S, float)
OVERLOADS(D, double)

struct Factors {
  std::vector<int> p, q, lower_starts, lower_columns, upper_starts, upper_columns;
  std::vector<double> lower, upper;
};

static Factors extract(cusolverSpHandle_t h, System<double> &s) {
  csrluInfoHost_t info;
  size_t internal, bytes;
  int position = 99, n = s.a.n, nnz = s.a.nnz(), lower, upper;
  SOLVER(cusolverSpCreateCsrluInfoHost(&info));
  SOLVER(cusolverSpXcsrluAnalysisHost(h, n, nnz, s.description, s.starts, s.columns, info));
  SOLVER(cusolverSpDcsrluBufferInfoHost(h, n, nnz, MATRIX, info, &internal, &bytes));
  SOLVER(cusolverSpDcsrluFactorHost(h, n, nnz, MATRIX, info, 1, NULL));
  SOLVER(cusolverSpDcsrluZeroPivotHost(h, info, 0, &position));
  CHECK(position == -1, "zero pivot at %d", position);
  SOLVER(cusolverSpDcsrluSolveHost(h, n, s.b, s.x, info, NULL));
  s.check("csrluSolveHost");
  SOLVER(cusolverSpXcsrluNnzHost(h, &lower, &upper, info));
  size_t size = (size_t)n;
  Factors f = {std::vector<int>(size),         std::vector<int>(size),
               std::vector<int>(size + 1),     std::vector<int>(lower + 1),
               std::vector<int>(size + 1),     std::vector<int>(upper),
               std::vector<double>(lower + 1), std::vector<double>(upper)};
  SOLVER(cusolverSpDcsrluExtractHost(h, f.p.data(), f.q.data(), s.description, f.lower.data(),
                                     f.lower_starts.data(), f.lower_columns.data(), s.description,
                                     f.upper.data(), f.upper_starts.data(), f.upper_columns.data(),
                                     info, NULL));
  SOLVER(cusolverSpDestroyCsrluInfoHost(info));
  return f;
}

// Factors of a matrix, then those of twice that matrix with the same structure; two right sides.
static void refactor(cusolverSpHandle_t h, System<double> &s) {
  Factors f = extract(h, s);
  cusolverRfHandle_t rf;
  int n = s.a.n, nnz = s.a.nnz(), lower = f.lower_starts[n], upper = f.upper_starts[n];
  SOLVER(cusolverRfCreate(&rf));
  SOLVER(cusolverRfSetMatrixFormat(rf, CUSOLVERRF_MATRIX_FORMAT_CSR,
                                   CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L));
  SOLVER(cusolverRfSetupHost(n, nnz, s.starts, s.columns, s.values, lower, f.lower_starts.data(),
                             f.lower_columns.data(), f.lower.data(), upper, f.upper_starts.data(),
                             f.upper_columns.data(), f.upper.data(), f.p.data(), f.q.data(), rf));
  SOLVER(cusolverRfAnalyze(rf));
  Array<int> p(f.p), q(f.q);
  Array<double> work(std::vector<double>(2 * n)), x(std::vector<double>(2 * n));
  for (int i = 0; i < nnz; i++) s.values[i] *= 2;
  SOLVER(cusolverRfResetValues(n, nnz, s.starts, s.columns, s.values, p, q, rf));
  SOLVER(cusolverRfRefactor(rf));
  for (int i = 0; i < 2 * n; i++) x[i] = s.b[i % n] * (i < n ? 2 : 4);
  SOLVER(cusolverRfSolve(rf, p, q, 2, work, n, x, n));
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) s.x[i] = x[i];
  s.check("cusolverRfSolve");
  for (int i = 0; i < n; i++) s.x[i] = x[n + i] / 2;
  s.check("cusolverRfSolve, second column");
  for (int i = 0; i < nnz; i++) s.values[i] /= 2;
  SOLVER(cusolverRfDestroy(rf));
}

// Three systems of one structure.
static void batched(cusolverSpHandle_t h, System<double> &s) {
  int n = s.a.n, nnz = s.a.nnz(), count = 3;
  csrqrInfo_t info;
  Array<double> values(std::vector<double>(count * nnz)), b(std::vector<double>(count * n));
  Array<double> x(std::vector<double>(count * n));
  for (int i = 0; i < count * nnz; i++) values[i] = s.values[i % nnz] * (1 + i / nnz);
  for (int i = 0; i < count * n; i++) b[i] = s.b[i % n];
  SOLVER(cusolverSpCreateCsrqrInfo(&info));
  SOLVER(cusolverSpXcsrqrAnalysisBatched(h, n, n, nnz, s.description, s.starts, s.columns, info));
  SOLVER(cusolverSpDcsrqrsvBatched(h, n, n, nnz, s.description, values, s.starts, s.columns, b, x,
                                   count, info, NULL));
  CUDA(cudaDeviceSynchronize());
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < n; i++) s.x[i] = x[k * n + i] * (1 + k);
    s.check("csrqrsvBatched");
  }
  SOLVER(cusolverSpDestroyCsrqrInfo(info));
}

static void structure(cusolverSpHandle_t h, System<double> &s, bool is_symmetric) {
  int n = s.a.n, nnz = s.a.nnz(), answer = 99, base = s.a.base;
  SOLVER(cusolverSpXcsrissymHost(h, n, nnz, s.description, s.starts, s.starts + 1, s.columns,
                                 &answer));
  CHECK(answer == is_symmetric || n < 3, "n = %d: symmetric: %d", n, answer);
  std::vector<int> p(n), sorted, starts(s.a.starts), columns(s.a.columns), map(nnz);
  for (int kind = 0; kind < 4; kind++) {
    if (kind == 0)
      SOLVER(cusolverSpXcsrsymrcmHost(h, n, nnz, s.description, s.starts, s.columns, p.data()));
    if (kind == 1)
      SOLVER(cusolverSpXcsrsymamdHost(h, n, nnz, s.description, s.starts, s.columns, p.data()));
    if (kind == 2)
      SOLVER(cusolverSpXcsrsymmdqHost(h, n, nnz, s.description, s.starts, s.columns, p.data()));
    if (kind == 3)
      SOLVER(
          cusolverSpXcsrmetisndHost(h, n, nnz, s.description, s.starts, s.columns, NULL, p.data()));
    sorted = p;
    std::sort(sorted.begin(), sorted.end());
    for (int i = 0; i < n; i++) CHECK(sorted[i] == i, "kind %d is no permutation", kind);
  }
  for (int i = 0; i < nnz; i++) map[i] = i;
  SOLVER(cusolverSpXcsrpermHost(h, n, n, nnz, s.description, starts.data(), columns.data(),
                                p.data(), p.data(), map.data(), NULL));
  for (int i = 0; i < n; i++)
    for (int e = starts[i] - base; e < starts[i + 1] - base; e++)
      CHECK(s.a.values[map[e]] == s.a.dense[p[i] * n + p[columns[e] - base]], "entry %d of row %d",
            e, i);
}

int main(void) {
  cusolverSpHandle_t h;
  SOLVER(cusolverSpCreate(&h));
  for (int n : {1, 2, 7, 40, 97})
    for (int kind = 0; kind < 4; kind++) {
      bool is_symmetric = kind & 1;
      Matrix a = make(n, kind / 2, is_symmetric);
      std::vector<double> right = System<double>::right_side(n);
      System<double> d(a, right);
      structure(h, d, is_symmetric);
      in_one_call(h, d, is_symmetric), qr(h, d), qrHost(h, d), batched(h, d);
      if (is_symmetric) cholesky(h, d), choleskyHost(h, d);
      if (!a.base) refactor(h, d);
      System<float> s(a, right);
      if (is_symmetric)
        in_one_call(h, s, true), qr(h, s), qrHost(h, s), cholesky(h, s), choleskyHost(h, s);
    }
  System<double> nothing(make(0, 0, true), std::vector<double>());
  in_one_call(h, nothing, true);
  // A row of zeroes.
  Matrix a = make(5, 0, true);
  System<double> s(a, System<double>::right_side(5));
  for (int e = s.starts[2]; e < s.starts[3]; e++) s.values[e] = 0;
  int singularity = -1;
  SOLVER(cusolverSpDcsrlsvqr(h, 5, a.nnz(), MATRIX, s.b, 1e-12, 0, s.x, &singularity));
  CHECK(singularity >= 0, "not found to be singular");
  SOLVER(cusolverSpDestroy(h));
  return check_end();
}
