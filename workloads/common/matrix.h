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

#endif
