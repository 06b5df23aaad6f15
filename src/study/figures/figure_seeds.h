// SPDX-License-Identifier: MIT
// A study with seeds measures every figure once per seed. The figure that is shown has their means
// and confidence intervals.
#ifndef STUDY_FIGURES_FIGURE_SEEDS_H
#define STUDY_FIGURES_FIGURE_SEEDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// Mean and half width of the 95 % confidence interval of the mean (Student's t); a half width of
// NAN: fewer than two values.
typedef struct Estimate {
  double mean, half_width;
} Estimate;
Estimate estimate_of(const double *values, size_t count);

// Whether a ratio is within the interval of the baseline, which is 1.
bool estimate_is_chance(double mean, double half_width);

// One figure of several that differ in their numbers only: "measured" has means over those that
// have a number, and panels and means get "interval", alike in shape; the figure gets "seeds".
// A best column that is not the same with every seed is null. The list stays the caller's.
json_t *figure_merge_seeds(const json_t *figures);

#endif
