// SPDX-License-Identifier: MIT
// Means of few observations and how far the truth may be from them.
#ifndef SAMPLING_STUDENT_H
#define SAMPLING_STUDENT_H

#include <stdint.h>

// Running mean and sum of squared deviations (Welford). Zeroed, it has no observation.
typedef struct Spread {
  uint32_t count;
  double mean, squares;
} Spread;

void spread_add(Spread *spread, double value);
// Standard deviation of one observation; 0 with fewer than two.
double spread_deviation(const Spread *spread);

// Two-sided 95 % quantile of Student's t with so many degrees of freedom, at least 1.
double student_95(uint32_t degrees);

#endif
