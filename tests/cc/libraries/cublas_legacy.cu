// SPDX-License-Identifier: MIT
// cublas.h, without handles: levels 1 to 3 against the host.
#include <cublas.h>
#include <math.h>
#include <stdio.h>
#include <vector>

static int failures;

#define EXPECT(condition)                                                    \
  do {                                                                       \
    if (!(condition) && failures++ < 5)                                      \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
  } while (0)

template <typename T>
static std::vector<T> numbers(int count, int seed) {
  std::vector<T> made(count);
  for (int i = 0; i < count; i++) made[i] = T((i * 37 + seed * 11) % 19 - 9) / 8;
  return made;
}

template <typename T>
static T *on_device(const std::vector<T> &from) {
  T *to;
  EXPECT(cublasAlloc((int)from.size(), sizeof(T), (void **)&to) == CUBLAS_STATUS_SUCCESS);
  EXPECT(cublasSetVector((int)from.size(), sizeof(T), from.data(), 1, to, 1) == 0);
  return to;
}

template <typename T>
static std::vector<T> back(const T *from, int count) {
  std::vector<T> to(count);
  EXPECT(cublasGetVector(count, sizeof(T), from, 1, to.data(), 1) == 0);
  return to;
}

static const int m = 7, n = 5, k = 9;

static void test_float() {
  std::vector<float> a = numbers<float>(m * k, 1), b = numbers<float>(n * k, 2),
                     c = numbers<float>(m * n, 3);
  float *da = on_device(a), *db = on_device(b), *dc = on_device(c), dot = 0;
  cublasSgemm('n', 'T', m, n, k, 2, da, m, db, n, 0.5f, dc, m);  // b is n x k
  std::vector<float> found = back(dc, m * n);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int l = 0; l < k; l++) sum += a[i + l * m] * b[j + l * n];
      EXPECT(fabsf(found[i + j * m] - (2 * sum + 0.5f * c[i + j * m])) < 1e-4f);
    }
  cublasSaxpy(n * k, 3, da, 1, db, 1);
  cublasSscal(n * k, 0.25f, db, 1);
  found = back(db, n * k);
  for (int i = 0; i < n * k; i++) EXPECT(found[i] == (b[i] + 3 * a[i]) / 4);
  for (int i = 0; i < n * k; i++) dot += a[i] * a[i];
  EXPECT(fabsf(cublasSdot(n * k, da, 1, da, 1) - dot) < 1e-4f);
  EXPECT(fabsf(cublasSnrm2(n * k, da, 1) - sqrtf(dot)) < 1e-4f);
  EXPECT(cublasGetError() == CUBLAS_STATUS_SUCCESS);
  cublasSgemm('N', 'N', -1, n, k, 1, da, m, db, k, 0, dc, m);
  EXPECT(cublasGetError() == CUBLAS_STATUS_INVALID_VALUE);
  EXPECT(cublasGetError() == CUBLAS_STATUS_SUCCESS);
}

// Solves a triangular system: what it was multiplied by comes back.
static void test_double() {
  std::vector<double> a = numbers<double>(n * n, 4), x = numbers<double>(n * m, 5), b(n * m);
  for (int i = 0; i < n; i++) a[i + i * n] = 4 + i;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int l = 0; l <= i; l++) b[i + j * n] += a[i + l * n] * x[l + j * n];
  double *da = on_device(a), *db = on_device(b);
  cublasDtrsm('L', 'l', 'N', 'n', n, m, 1, da, n, db, n);
  std::vector<double> found = back(db, n * m);
  for (int i = 0; i < n * m; i++) EXPECT(fabs(found[i] - x[i]) < 1e-12);
  int most = 0;
  for (int i = 0; i < n * m; i++)
    if (fabs(found[i]) > fabs(found[most])) most = i;
  EXPECT(cublasIdamax(n * m, db, 1) == most + 1);
  EXPECT(cublasFree(da) == CUBLAS_STATUS_SUCCESS);
}

int main() {
  EXPECT(cublasInit() == CUBLAS_STATUS_SUCCESS);
  test_float();
  test_double();
  EXPECT(cublasShutdown() == CUBLAS_STATUS_SUCCESS);
  printf("cublas_legacy: %s\n", failures ? "FAILED" : "PASSED");
  return failures != 0;
}
