// SPDX-License-Identifier: MIT
// Random arrays that host and device see, and comparisons, for the tests of cuBLAS.
#ifndef CUBLAS_ARRAYS_H
#define CUBLAS_ARRAYS_H

#include <cublas_v2.h>
#include <math.h>

#include <vector>

#include "../check.h"

#define BLAS(call)                                                               \
  do {                                                                           \
    cublasStatus_t status_ = (call);                                             \
    CHECK(status_ == CUBLAS_STATUS_SUCCESS, "%s", cublasGetStatusName(status_)); \
  } while (0)

static unsigned state = 12345;
static unsigned next_random() {
  return (state = state * 1664525u + 1013904223u) >> 8;
}
static int pick(int below) {
  return (int)(next_random() % (unsigned)below);
}
// Small multiples of 1/8: products and short sums are exact in all types.
static double value() {
  return (pick(33) - 16) / 8.0;
}

// An array that both sides see.
template <typename T>
struct Array {
  T *items;
  explicit Array(size_t count) {
    CUDA(cudaMallocManaged(&items, (count + 1) * sizeof(T)));
    for (size_t i = 0; i <= count; i++) items[i] = (T)(float)value();
  }
  ~Array() { cudaFree(items); }
  operator T *() const { return items; }
};

static bool is_close(double got, double wanted, double size, double bound) {
  return fabs(got - wanted) <= bound * (fabs(size) + 1);
}

static const cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};

template <typename T>
static double element(const T *a, int lda, cublasOperation_t op, int i, int j) {
  return (double)(float)(op == CUBLAS_OP_N ? a[i + (size_t)j * lda] : a[j + (size_t)i * lda]);
}

#endif
