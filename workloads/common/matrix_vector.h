// SPDX-License-Identifier: MIT
// y += A x and y += A' x, a thread an element of y, 256 threads a CTA.
//
// The first walks along rows: a warp's load touches 32 lines, a row apart, and
// neighbouring loads find the same lines, if they are still there. The second
// walks down columns, 32 of them side by side. Both store the sum with every step,
// as compilers must: y might overlap with A.
#ifndef WORKLOADS_MATRIX_VECTOR_H
#define WORKLOADS_MATRIX_VECTOR_H

#include <climits>
#include <vector>

#include "common/fail.h"

enum { MATRIX_VECTOR_CTA = 256, MATRIX_VECTOR_EDGE = 1 << 18 };

// The kernels index the matrix by int.
static inline void check_matrix(int rows, int columns) {
  if ((long long)rows * columns > INT_MAX)
    fail(EXIT_INPUT, "a matrix of %d x %d: at most %d elements", rows, columns, INT_MAX);
}

static __global__ void add_matrix_vector(const float *a, const float *x, float *y, int rows,
                                         int columns) {
  int i = blockIdx.x * MATRIX_VECTOR_CTA + threadIdx.x;
  if (i >= rows) return;
#pragma unroll 1
  for (int j = 0; j < columns; j++) y[i] += a[i * columns + j] * x[j];
}

static __global__ void add_transposed_vector(const float *a, const float *x, float *y, int rows,
                                             int columns) {
  int j = blockIdx.x * MATRIX_VECTOR_CTA + threadIdx.x;
  if (j >= columns) return;
#pragma unroll 1
  for (int i = 0; i < rows; i++) y[j] += a[i * columns + j] * x[i];
}

// y + A x on the host.
static inline std::vector<float> host_matrix_vector(const std::vector<float> &a,
                                                    const std::vector<float> &x,
                                                    const std::vector<float> &y) {
  std::vector<float> result(y);
  for (size_t i = 0; i < y.size(); i++) {
    double sum = y[i];
    for (size_t j = 0; j < x.size(); j++) sum += (double)a[i * x.size() + j] * x[j];
    result[i] = (float)sum;
  }
  return result;
}

// y + A' x on the host.
static inline std::vector<float> host_transposed_vector(const std::vector<float> &a,
                                                        const std::vector<float> &x,
                                                        const std::vector<float> &y) {
  std::vector<double> sum(y.begin(), y.end());
  for (size_t i = 0; i < x.size(); i++)
    for (size_t j = 0; j < y.size(); j++) sum[j] += (double)a[i * y.size() + j] * x[i];
  return std::vector<float>(sum.begin(), sum.end());
}

#endif
