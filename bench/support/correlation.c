// SPDX-License-Identifier: MIT
// Mean and worst difference and correlation of simulated and measured numbers.
#include "support/correlation.h"

#include <math.h>

static double as_is(double x) {
  return x;
}

// Pearson's coefficient of f(a) and f(b). Deviations are taken from the mean first: the
// textbook's difference of two large sums would cancel.
static double pearson(const double *a, const double *b, uint32_t count, double (*f)(double)) {
  double mean_a = 0, mean_b = 0, product = 0, square_a = 0, square_b = 0;
  for (uint32_t i = 0; i < count; i++) {
    mean_a += f(a[i]) / count;
    mean_b += f(b[i]) / count;
  }
  for (uint32_t i = 0; i < count; i++) {
    double off_a = f(a[i]) - mean_a, off_b = f(b[i]) - mean_b;
    product += off_a * off_b;
    square_a += off_a * off_a;
    square_b += off_b * off_b;
  }
  return square_a > 0 && square_b > 0 ? product / sqrt(square_a * square_b) : (double)NAN;
}

Correlation correlation_of(const double *simulated, const double *measured, uint32_t count) {
  Correlation found = {.linear = pearson(simulated, measured, count, as_is),
                       .logarithmic = pearson(simulated, measured, count, log)};
  for (uint32_t i = 0; i < count; i++) {
    double off = fabs(simulated[i] / measured[i] - 1) * 100;
    found.mean_percent += off / count;
    if (off > found.worst_percent) {
      found.worst_percent = off;
      found.worst = i;
    }
  }
  return found;
}
