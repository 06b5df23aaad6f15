// SPDX-License-Identifier: MIT
// Dense matrices on the host, row by row: what device results are compared with.
#ifndef WORKLOADS_MATRIX_H
#define WORKLOADS_MATRIX_H

#include <vector>

// a: m rows of k, b: k rows of n.
static inline std::vector<float> matrix_product(const std::vector<float> &a,
                                                const std::vector<float> &b, int m, int k, int n) {
  std::vector<float> c((size_t)m * n);
  std::vector<double> row((size_t)n);
  for (size_t i = 0; i < (size_t)m; i++) {
    row.assign((size_t)n, 0);
    for (size_t l = 0; l < (size_t)k; l++)
      for (size_t j = 0; j < (size_t)n; j++) row[j] += (double)a[i * k + l] * b[l * n + j];
    for (size_t j = 0; j < (size_t)n; j++) c[i * n + j] = (float)row[j];
  }
  return c;
}

// m rows of k become k rows of m.
static inline std::vector<float> matrix_transposed(const std::vector<float> &a, int m, int k) {
  std::vector<float> transposed(a.size());
  for (size_t i = 0; i < (size_t)m; i++)
    for (size_t l = 0; l < (size_t)k; l++) transposed[l * m + i] = a[i * k + l];
  return transposed;
}

// alpha a + beta b
static inline std::vector<float> matrix_sum(float alpha, const std::vector<float> &a, float beta,
                                            const std::vector<float> &b) {
  std::vector<float> sum(a.size());
  for (size_t i = 0; i < a.size(); i++) sum[i] = alpha * a[i] + beta * b[i];
  return sum;
}

#endif
