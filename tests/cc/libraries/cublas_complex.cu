// SPDX-License-Identifier: MIT
// cuBLAS on complex numbers, and what is symmetric or triangular in all types, against loops on
// the host, over random shapes with 0, 1 and odd ones.
#include <cublas_v2.h>
#include <math.h>

#include <complex>
#include <vector>

#include "../check.h"

#define BLAS(call)                                                                     \
  do {                                                                                 \
    cublasStatus_t status_ = (call);                                                   \
    CHECK(status_ == CUBLAS_STATUS_SUCCESS, #call ": %s", cublasGetStatusName(status_)); \
  } while (0)

typedef std::complex<double> Number;
static cublasHandle_t handle;
static unsigned state = 31;
static int pick(int below) {
  state = state * 1664525u + 1013904223u;
  return (int)((state >> 8) % (unsigned)below);
}

// Types of the library, its real numbers, and the functions by their letters.
struct SingleReal {
  typedef float T;
  typedef float R;
  enum { IS_COMPLEX = 0, IS_DOUBLE = 0 };
};
struct DoubleReal {
  typedef double T;
  typedef double R;
  enum { IS_COMPLEX = 0, IS_DOUBLE = 1 };
};
struct Single {
  typedef cuComplex T;
  typedef float R;
  enum { IS_COMPLEX = 1, IS_DOUBLE = 0 };
};
struct Double {
  typedef cuDoubleComplex T;
  typedef double R;
  enum { IS_COMPLEX = 1, IS_DOUBLE = 1 };
};
#define COMMON(S, type)                                                                       \
  static auto axpy(type) { return cublas##S##axpy; }                                          \
  static auto scal(type) { return cublas##S##scal; }                                          \
  static auto gemv(type) { return cublas##S##gemv; }                                          \
  static auto gemm(type) { return cublas##S##gemm; }                                          \
  static auto strided(type) { return cublas##S##gemmStridedBatched; }                         \
  static auto syrk(type) { return cublas##S##syrk; }                                          \
  static auto syr2k(type) { return cublas##S##syr2k; }                                        \
  static auto syr(type) { return cublas##S##syr; }                                            \
  static auto syr2(type) { return cublas##S##syr2; }                                          \
  static auto symm(type) { return cublas##S##symm; }                                          \
  static auto trmm(type) { return cublas##S##trmm; }                                          \
  static auto trsm(type) { return cublas##S##trsm; }                                          \
  static auto trsv(type) { return cublas##S##trsv; }                                          \
  static auto trmv(type) { return cublas##S##trmv; }                                          \
  static auto symv(type) { return cublas##S##symv; }                                          \
  static auto getrf(type) { return cublas##S##getrfBatched; }                                 \
  static auto getrs(type) { return cublas##S##getrsBatched; }                                 \
  static auto getri(type) { return cublas##S##getriBatched; }                                 \
  static auto geam(type) { return cublas##S##geam; }
COMMON(S, SingleReal)
COMMON(D, DoubleReal)
COMMON(C, Single)
COMMON(Z, Double)
#define COMPLEX(S, A, I, type, r)                                                             \
  static auto dotu(type) { return cublas##S##dotu; }                                          \
  static auto dotc(type) { return cublas##S##dotc; }                                          \
  static auto asum(type) { return cublas##A##asum; }                                          \
  static auto nrm2(type) { return cublas##A##nrm2; }                                          \
  static auto amax(type) { return cublasI##I##amax; }                                         \
  static auto geru(type) { return cublas##S##geru; }                                          \
  static auto gerc(type) { return cublas##S##gerc; }                                          \
  static auto her(type) { return cublas##S##her; }                                            \
  static auto her2(type) { return cublas##S##her2; }                                          \
  static auto herk(type) { return cublas##S##herk; }                                          \
  static auto her2k(type) { return cublas##S##her2k; }                                        \
  static auto hemm(type) { return cublas##S##hemm; }                                          \
  static auto hemv(type) { return cublas##S##hemv; }                                          \
  static auto real_scal(type) { return cublas##S##r##scal; }
COMPLEX(C, Sc, c, Single, s)
COMPLEX(Z, Dz, z, Double, d)

// ---- arrays that both sides see

static Number value_of(float x) { return x; }
static Number value_of(double x) { return x; }
static Number value_of(cuComplex x) { return Number(x.x, x.y); }
static Number value_of(cuDoubleComplex x) { return Number(x.x, x.y); }
static void put(float *to, Number x) { *to = (float)x.real(); }
static void put(double *to, Number x) { *to = x.real(); }
static void put(cuComplex *to, Number x) { *to = make_cuComplex((float)x.real(), (float)x.imag()); }
static void put(cuDoubleComplex *to, Number x) { *to = make_cuDoubleComplex(x.real(), x.imag()); }

template <typename P>
struct Array {
  typedef typename P::T T;
  T *items;
  size_t count;
  explicit Array(size_t n) : count(n) {
    CUDA(cudaMallocManaged(&items, (n + 1) * sizeof(T)));
    for (size_t i = 0; i <= n; i++) put(&items[i], random());
  }
  ~Array() { cudaFree(items); }
  static Number random() {
    return Number((pick(33) - 16) / 8.0, P::IS_COMPLEX ? (pick(33) - 16) / 8.0 : 0);
  }
  operator T *() const { return items; }
  Number at(size_t i) const { return value_of(items[i]); }
  std::vector<Number> all() const {
    std::vector<Number> numbers;
    for (size_t i = 0; i < count; i++) numbers.push_back(at(i));
    return numbers;
  }
};
template <typename P>
struct Factor {
  typename P::T value;
  Number number;
  Factor() : number(Array<P>::random()) { put(&value, number); }
  const typename P::T *operator&() const { return &value; }
};

template <typename P>
static void check_close(Number got, Number wanted, double size, const char *what) {
  double bound = P::IS_DOUBLE ? 1e-13 : 2e-5, error = std::abs(got - wanted);
  CHECK(error <= bound * (size + 4), "%s: %g + %g i, not %g + %g i", what, got.real(), got.imag(),
        wanted.real(), wanted.imag());
}

static Number taken(const std::vector<Number> &a, int ld, cublasOperation_t op, int i, int j) {
  Number x = op == CUBLAS_OP_N ? a[(size_t)(i + j * ld)] : a[(size_t)(j + i * ld)];
  return op == CUBLAS_OP_C ? std::conj(x) : x;
}
static const cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};

// A matrix of which one half is stored.
static Number mirrored(const std::vector<Number> &a, int ld, cublasFillMode_t fill, bool is_hermitian,
                   int i, int j) {
  bool is_stored = fill == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j;
  Number x = is_stored ? a[(size_t)(i + j * ld)] : a[(size_t)(j + i * ld)];
  if (is_hermitian && i == j) return x.real();
  return is_hermitian && !is_stored ? std::conj(x) : x;
}
static Number corner(const std::vector<Number> &a, int ld, cublasFillMode_t fill, cublasOperation_t op,
                     cublasDiagType_t diagonal, int i, int j) {
  int r = op == CUBLAS_OP_N ? i : j, c = op == CUBLAS_OP_N ? j : i;
  if (r == c && diagonal == CUBLAS_DIAG_UNIT) return 1;
  bool is_stored = fill == CUBLAS_FILL_MODE_LOWER ? r >= c : r <= c;
  Number x = is_stored ? a[(size_t)(r + c * ld)] : 0;
  return op == CUBLAS_OP_C ? std::conj(x) : x;
}

// ---- all types

template <typename P>
static void check_products(int m, int n, int k) {
  P p;
  cublasOperation_t oa = operations[pick(3)], ob = operations[pick(3)];
  int lda = (oa == CUBLAS_OP_N ? m : k) + 1, ldb = (ob == CUBLAS_OP_N ? k : n) + 2, ldc = m + 1;
  size_t ea = (size_t)lda * (oa == CUBLAS_OP_N ? k : m), eb = (size_t)ldb * (ob == CUBLAS_OP_N ? n : k);
  size_t ec = (size_t)ldc * n;
  Array<P> a(2 * ea), b(2 * eb), c(2 * ec), x((size_t)(m + n)), y((size_t)(m + n));
  Factor<P> alpha, beta;
  std::vector<Number> before = c.all(), xs = x.all(), ys = y.all(), as = a.all(), bs = b.all();
  BLAS(strided(p)(handle, oa, ob, m, n, k, &alpha, a, lda, (long long)ea, b, ldb, (long long)eb, &beta, c,
                  ldc, (long long)ec, 2));
  int rows = oa == CUBLAS_OP_N ? m : k, cols = oa == CUBLAS_OP_N ? k : m;  // of A as it is stored
  Array<P> in((size_t)(m + k)), out((size_t)(m + k));
  std::vector<Number> ins = in.all(), outs = out.all();
  BLAS(gemv(p)(handle, oa, rows, cols, &alpha, a, lda, in, 1, &beta, out, 1));
  CUDA(cudaDeviceSynchronize());
  for (int batch = 0; batch < 2; batch++) {
    std::vector<Number> ab(as.begin() + (long)(batch * ea), as.end()), bb(bs.begin() + (long)(batch * eb), bs.end());
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i++) {
        Number sum = 0;
        for (int l = 0; l < k; l++) sum += taken(ab, lda, oa, i, l) * taken(bb, ldb, ob, l, j);
        size_t at = batch * ec + (size_t)(i + j * ldc);
        check_close<P>(c.at(at), alpha.number * sum + beta.number * before[at], 8 * k, "gemm");
      }
  }
  for (int i = 0; i < m && k; i++) {
    Number sum = 0;
    for (int l = 0; l < k; l++) sum += taken(as, lda, oa, i, l) * ins[(size_t)l];
    check_close<P>(out.at((size_t)i), alpha.number * sum + beta.number * outs[(size_t)i], 8 * k, "gemv");
  }
}

template <typename P>
static void check_symmetric(cublasFillMode_t fill, int n, int k) {
  P p;
  cublasOperation_t op = pick(2) ? CUBLAS_OP_T : CUBLAS_OP_N;
  int ld = (n > k ? n : k) + 1;
  Array<P> a((size_t)ld * ld), b((size_t)ld * ld), c((size_t)ld * ld), d((size_t)ld * ld), e((size_t)ld * ld);
  Array<P> s((size_t)ld * ld), x(ld), y(ld), z(ld);
  Factor<P> alpha, beta;
  std::vector<Number> as = a.all(), bs = b.all(), cs = c.all(), ds = d.all(), es = e.all(), ss = s.all();
  std::vector<Number> xs = x.all(), ys = y.all(), zs = z.all();
  cublasSideMode_t side = (cublasSideMode_t)pick(2);
  BLAS(syrk(p)(handle, fill, op, n, k, &alpha, a, ld, &beta, c, ld));
  BLAS(syr2k(p)(handle, fill, op, n, k, &alpha, a, ld, b, ld, &beta, d, ld));
  BLAS(symm(p)(handle, side, fill, n, n, &alpha, a, ld, b, ld, &beta, e, ld));
  BLAS(syr2(p)(handle, fill, n, &alpha, x, 1, y, 1, s, ld));
  BLAS(symv(p)(handle, fill, n, &alpha, a, ld, x, 1, &beta, z, 1));
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) {
    Number line = beta.number * zs[(size_t)i];
    for (int j = 0; j < n; j++) {
      size_t at = (size_t)(i + j * ld);
      bool is_stored = fill == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j;
      Number one = 0, two = 0, product = 0;
      for (int l = 0; l < k; l++) {
        one += taken(as, ld, op, i, l) * taken(as, ld, op, j, l);
        two += taken(as, ld, op, i, l) * taken(bs, ld, op, j, l) + taken(bs, ld, op, i, l) * taken(as, ld, op, j, l);
      }
      for (int l = 0; l < n; l++)
        product += side == CUBLAS_SIDE_LEFT ? mirrored(as, ld, fill, false, i, l) * bs[(size_t)(l + j * ld)]
                                            : bs[(size_t)(i + l * ld)] * mirrored(as, ld, fill, false, l, j);
      Number outer = alpha.number * (xs[(size_t)i] * ys[(size_t)j] + ys[(size_t)i] * xs[(size_t)j]);
      check_close<P>(c.at(at), is_stored ? alpha.number * one + beta.number * cs[at] : cs[at], 8 * k, "syrk");
      check_close<P>(d.at(at), is_stored ? alpha.number * two + beta.number * ds[at] : ds[at], 16 * k, "syr2k");
      check_close<P>(e.at(at), alpha.number * product + beta.number * es[at], 8 * n, "symm");
      check_close<P>(s.at(at), is_stored ? ss[at] + outer : ss[at], 8, "syr2");
      line += alpha.number * mirrored(as, ld, fill, false, i, j) * xs[(size_t)j];
    }
    check_close<P>(z.at((size_t)i), line, 8 * n, "symv");
  }
}

template <typename P>
static void check_triangle(cublasFillMode_t fill, cublasOperation_t op, cublasDiagType_t diagonal, int n) {
  P p;
  int ld = n + 1;
  Array<P> a((size_t)ld * n), b((size_t)ld * n), c((size_t)ld * n), x(n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      put(&a[i + j * ld], i == j ? Number(2, P::IS_COMPLEX) : a.at((size_t)(i + j * ld)) / (2.0 * n));
  Factor<P> alpha;
  std::vector<Number> as = a.all(), bs = b.all(), xs = x.all();
  cublasSideMode_t side = (cublasSideMode_t)pick(2);
  bool is_left = side == CUBLAS_SIDE_LEFT;
  BLAS(trmm(p)(handle, side, fill, op, diagonal, n, n, &alpha, a, ld, b, ld, c, ld));
  BLAS(trmv(p)(handle, fill, op, diagonal, n, a, ld, x, 1));
  CUDA(cudaDeviceSynchronize());
  std::vector<Number> cs = c.all(), moved = x.all();
  BLAS(trmm(p)(handle, side, fill, op, diagonal, n, n, &alpha, a, ld, b, ld, b, ld));  // in place
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) {
    Number line = 0;
    for (int j = 0; j < n; j++) {
      Number sum = 0;
      size_t at = (size_t)(i + j * ld);
      for (int l = 0; l < n; l++)
        sum += is_left ? corner(as, ld, fill, op, diagonal, i, l) * bs[(size_t)(l + j * ld)]
                       : bs[(size_t)(i + l * ld)] * corner(as, ld, fill, op, diagonal, l, j);
      check_close<P>(cs[at], alpha.number * sum, 8 * n, "trmm");
      check_close<P>(b.at(at), cs[at], 8 * n, "trmm in place");
      line += corner(as, ld, fill, op, diagonal, i, j) * xs[(size_t)j];
    }
    check_close<P>(moved[(size_t)i], line, 8 * n, "trmv");
  }
  // Solving takes back what multiplying did.
  Factor<P> one;
  put(&one.value, 1);
  BLAS(trsv(p)(handle, fill, op, diagonal, n, a, ld, x, 1));
  BLAS(trsm(p)(handle, side, fill, op, diagonal, n, n, &one, a, ld, c, ld));
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) {
    check_close<P>(x.at((size_t)i), xs[(size_t)i], 8 * n, "trsv");
    for (int j = 0; j < n; j++)
      check_close<P>(c.at((size_t)(i + j * ld)), alpha.number * bs[(size_t)(i + j * ld)], 8 * n, "trsm");
  }
}

// Two systems: their solutions and inverses, the second without pivots.
template <typename P>
static void check_systems(int n, cublasOperation_t op, bool has_pivots) {
  P p;
  typedef typename P::T T;
  enum { COLUMNS = 3 };
  int ld = n + 1, *pivots, *infos, info = -1;
  size_t size = (size_t)ld * n;
  Array<P> a(2 * size), b((size_t)(2 * ld * COLUMNS)), c(2 * size);
  for (size_t i = 0; i < (size_t)n && !has_pivots; i++)
    for (size_t m = 0; m < 2; m++) put(&a[m * size + i * (size_t)ld + i], 4.0 * n);
  std::vector<Number> as = a.all(), bs = b.all();
  T **lists;
  CUDA(cudaMallocManaged(&lists, 6 * sizeof *lists));
  CUDA(cudaMallocManaged(&pivots, 2 * (size_t)n * sizeof *pivots));
  CUDA(cudaMallocManaged(&infos, 2 * sizeof *infos));
  for (size_t m = 0; m < 2; m++)
    lists[m] = a + m * size, lists[2 + m] = b + m * (size_t)(ld * COLUMNS), lists[4 + m] = c + m * size;
  int *given = has_pivots ? pivots : nullptr;
  const T *const *factors = (const T *const *)lists;
  BLAS(getrf(p)(handle, n, lists, ld, given, infos, 2));
  CUDA(cudaDeviceSynchronize());
  CHECK(infos[0] == 0 && infos[1] == 0, "info %d and %d", infos[0], infos[1]);
  BLAS(getrs(p)(handle, op, n, COLUMNS, factors, ld, given, lists + 2, ld, &info, 2));
  BLAS(getri(p)(handle, n, factors, ld, given, lists + 4, ld, infos, 2));
  CUDA(cudaDeviceSynchronize());
  CHECK(info == 0 && infos[0] == 0, "info %d, %d", info, infos[0]);
  for (size_t m = 0; m < 2; m++) {
    std::vector<Number> matrix(as.begin() + (long)(m * size), as.end());
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < COLUMNS; j++) {
        Number sum = 0;
        double terms = 0;
        for (int l = 0; l < n; l++) {
          Number term = taken(matrix, ld, op, i, l) * b.at(m * (size_t)(ld * COLUMNS) + (size_t)(l + j * ld));
          sum += term, terms += std::abs(term);
        }
        check_close<P>(sum, bs[m * (size_t)(ld * COLUMNS) + (size_t)(i + j * ld)], 40 * terms, "getrs");
      }
      for (int j = 0; j < n; j++) {
        Number sum = 0;
        double terms = 0;
        for (int l = 0; l < n; l++) {
          Number term = matrix[(size_t)(i + l * ld)] * c.at(m * size + (size_t)(l + j * ld));
          sum += term, terms += std::abs(term);
        }
        check_close<P>(sum, i == j, 40 * terms, "getri");
      }
    }
  }
  for (int i = 0; i < n; i++) put(&a[i], 0);  // a column of zeros
  BLAS(getrf(p)(handle, n, lists, ld, given, infos, 1));
  CUDA(cudaDeviceSynchronize());
  CHECK(infos[0] == 1, "info %d of a singular matrix", infos[0]);
  cudaFree(lists), cudaFree(pivots), cudaFree(infos);
}

// ---- complex numbers

template <typename P>
static void check_vectors(int n) {
  P p;
  typename P::R got, factor = (typename P::R)1.5;
  typename P::T number;
  Array<P> x(n), y(n);
  Factor<P> alpha;
  std::vector<Number> xs = x.all(), ys = y.all();
  Number u = 0, c = 0;
  double sum = 0, squares = 0;
  int most = 0, place;
  for (int i = 0; i < n; i++) {
    Number a = xs[(size_t)i];
    u += a * ys[(size_t)i], c += std::conj(a) * ys[(size_t)i];
    double size = fabs(a.real()) + fabs(a.imag());
    sum += size, squares += std::norm(a);
    if (size > fabs(xs[(size_t)most].real()) + fabs(xs[(size_t)most].imag())) most = i;
  }
  BLAS(dotu(p)(handle, n, x, 1, y, 1, &number));
  check_close<P>(value_of(number), u, 8 * n, "dotu");
  BLAS(dotc(p)(handle, n, x, 1, y, 1, &number));
  check_close<P>(value_of(number), c, 8 * n, "dotc");
  BLAS(asum(p)(handle, n, x, 1, &got));
  check_close<P>((double)got, sum, sum, "asum");
  BLAS(nrm2(p)(handle, n, x, 1, &got));
  check_close<P>((double)got, sqrt(squares), sqrt(squares), "nrm2");
  BLAS(amax(p)(handle, n, x, 1, &place));
  CHECK(place == (n ? most + 1 : 0), "amax of %d: %d, not %d", n, place, most + 1);
  BLAS(axpy(p)(handle, n, &alpha, x, 1, y, 1));
  BLAS(scal(p)(handle, n, &alpha, x, 1));
  BLAS(real_scal(p)(handle, n, &factor, x, 1));
  CUDA(cudaDeviceSynchronize());
  for (size_t i = 0; i < (size_t)n; i++) {
    check_close<P>(y.at(i), ys[i] + alpha.number * xs[i], 8, "axpy");
    check_close<P>(x.at(i), 1.5 * alpha.number * xs[i], 8, "scal");
  }
}

template <typename P>
static void check_hermitian(cublasFillMode_t fill, int n, int k) {
  P p;
  cublasOperation_t op = pick(2) ? CUBLAS_OP_C : CUBLAS_OP_N;
  int ld = (n > k ? n : k) + 1;
  Array<P> a((size_t)ld * ld), b((size_t)ld * ld), c((size_t)ld * ld), d((size_t)ld * ld), e((size_t)ld * ld);
  Array<P> s((size_t)ld * ld), t((size_t)ld * ld), g((size_t)ld * ld), x(ld), y(ld), z(ld);
  Factor<P> alpha, beta;
  typename P::R ra = (typename P::R)0.75, rb = (typename P::R)-1.25;
  std::vector<Number> as = a.all(), bs = b.all(), cs = c.all(), ds = d.all(), es = e.all(), ss = s.all();
  std::vector<Number> ts = t.all(), gs = g.all(), xs = x.all(), ys = y.all(), zs = z.all();
  cublasSideMode_t side = (cublasSideMode_t)pick(2);
  BLAS(herk(p)(handle, fill, op, n, k, &ra, a, ld, &rb, c, ld));
  BLAS(her2k(p)(handle, fill, op, n, k, &alpha, a, ld, b, ld, &rb, d, ld));
  BLAS(hemm(p)(handle, side, fill, n, n, &alpha, a, ld, b, ld, &beta, e, ld));
  BLAS(her(p)(handle, fill, n, &ra, x, 1, s, ld));
  BLAS(her2(p)(handle, fill, n, &alpha, x, 1, y, 1, t, ld));
  BLAS(hemv(p)(handle, fill, n, &alpha, a, ld, x, 1, &beta, z, 1));
  BLAS(gerc(p)(handle, n, n, &alpha, x, 1, y, 1, g, ld));
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) {
    Number line = beta.number * zs[(size_t)i];
    for (int j = 0; j < n; j++) {
      size_t at = (size_t)(i + j * ld);
      bool is_stored = fill == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j;
      Number one = 0, two = 0, product = 0, xi = xs[(size_t)i], yi = ys[(size_t)i];
      Number xj = std::conj(xs[(size_t)j]), yj = std::conj(ys[(size_t)j]);
      for (int l = 0; l < k; l++) {
        Number ai = taken(as, ld, op, i, l), aj = std::conj(taken(as, ld, op, j, l));
        one += ai * aj;
        two += alpha.number * ai * std::conj(taken(bs, ld, op, j, l)) +
               std::conj(alpha.number) * taken(bs, ld, op, i, l) * aj;
      }
      for (int l = 0; l < n; l++)
        product += side == CUBLAS_SIDE_LEFT ? mirrored(as, ld, fill, true, i, l) * bs[(size_t)(l + j * ld)]
                                            : bs[(size_t)(i + l * ld)] * mirrored(as, ld, fill, true, l, j);
      auto stored = [&](Number old, Number sum) { return !is_stored ? old : i == j ? Number(sum.real()) : sum; };
      check_close<P>(c.at(at), stored(cs[at], (double)ra * one + (double)rb * cs[at]), 8 * k, "herk");
      check_close<P>(d.at(at), stored(ds[at], two + (double)rb * ds[at]), 16 * k, "her2k");
      check_close<P>(e.at(at), alpha.number * product + beta.number * es[at], 8 * n, "hemm");
      check_close<P>(s.at(at), stored(ss[at], ss[at] + (double)ra * xi * xj), 8, "her");
      check_close<P>(t.at(at), stored(ts[at], ts[at] + alpha.number * xi * yj + std::conj(alpha.number) * yi * xj), 16, "her2");
      check_close<P>(g.at(at), gs[at] + alpha.number * xi * yj, 8, "gerc");
      line += alpha.number * mirrored(as, ld, fill, true, i, j) * xs[(size_t)j];
    }
    check_close<P>(z.at((size_t)i), line, 8 * n, "hemv");
  }
}

template <typename P>
static void check_all() {
  static const int sizes[] = {1, 0, 5, 17, 33};
  for (int n : sizes) {
    cublasFillMode_t fill = (cublasFillMode_t)pick(2);
    check_products<P>(n, sizes[pick(5)], sizes[pick(5)]);
    check_symmetric<P>(fill, n, sizes[pick(5)]);
  }
  check_products<P>(70, 66, 20);
  for (int i = 0; i < 3; i++) check_systems<P>(1 + pick(14), operations[i], true);
  check_systems<P>(9, CUBLAS_OP_N, false);
  for (int i = 0; i < 12; i++)
    check_triangle<P>((cublasFillMode_t)(i % 2), operations[i / 2 % 3], (cublasDiagType_t)(i / 6), 1 + pick(20));
}

int main() {
  BLAS(cublasCreate(&handle));
  check_all<SingleReal>(), check_all<DoubleReal>(), check_all<Single>(), check_all<Double>();
  for (int n : {0, 1, 7, 700}) check_vectors<Single>(n), check_vectors<Double>(n);
  for (int n : {1, 6, 19}) {
    check_hermitian<Single>((cublasFillMode_t)pick(2), n, 1 + pick(9));
    check_hermitian<Double>((cublasFillMode_t)pick(2), n, 1 + pick(9));
  }
  BLAS(cublasDestroy(handle));
  return check_end();
}
