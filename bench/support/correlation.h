// SPDX-License-Identifier: MIT
// How far simulated numbers are from measured ones.
#ifndef SUPPORT_CORRELATION_H
#define SUPPORT_CORRELATION_H

#include <stdint.h>

typedef struct Correlation {
  double mean_percent;  // of |simulated / measured - 1|
  double median_percent;
  double worst_percent;  // the largest of them
  uint32_t worst;        // and its place
  double linear;         // Pearson's coefficient of the numbers,
  double logarithmic;    // and of their logarithms, in which small ones count
  double spearman;       // of their ranks; equal numbers share the mean rank
  double kendall;        // tau-b: pairs in the same order less those in the other
} Correlation;

// All numbers are positive. Coefficients are NaN for fewer than two numbers or where
// one side is constant.
Correlation correlation_of(const double *simulated, const double *measured, uint32_t count);

#endif
