// SPDX-License-Identifier: MIT
// Mean and worst difference and correlation of simulated and measured numbers.
#include "support/correlation.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

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

static double *ranks(const double *numbers, uint32_t count) {
  double *rank = memory_alloc(count * sizeof *rank);
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t j = 0; j < count; j++)
      rank[i] += numbers[j] < numbers[i] ? 1 : numbers[j] == numbers[i] ? 0.5 : 0;
  return rank;
}

static double spearman(const double *a, const double *b, uint32_t count) {
  double *rank_a = ranks(a, count), *rank_b = ranks(b, count);
  double found = pearson(rank_a, rank_b, count, as_is);
  memory_free(rank_a);
  memory_free(rank_b);
  return found;
}

static int sign(double x) {
  return (x > 0) - (x < 0);
}

static double kendall(const double *a, const double *b, uint32_t count) {
  double agreed = 0, pairs_a = 0, pairs_b = 0;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t j = 0; j < i; j++) {
      int order_a = sign(a[i] - a[j]), order_b = sign(b[i] - b[j]);
      agreed += order_a * order_b;
      pairs_a += order_a != 0;
      pairs_b += order_b != 0;
    }
  return pairs_a > 0 && pairs_b > 0 ? agreed / sqrt(pairs_a * pairs_b) : (double)NAN;
}

static int compare_numbers(const void *a, const void *b) {
  return sign(*(const double *)a - *(const double *)b);
}

static double median_off(const double *simulated, const double *measured, uint32_t count) {
  if (count == 0) return (double)NAN;
  double *off = memory_alloc(count * sizeof *off);
  for (uint32_t i = 0; i < count; i++) off[i] = fabs(simulated[i] / measured[i] - 1) * 100;
  qsort(off, count, sizeof *off, compare_numbers);
  double middle = (off[(count - 1) / 2] + off[count / 2]) / 2;
  memory_free(off);
  return middle;
}

Correlation correlation_of(const double *simulated, const double *measured, uint32_t count) {
  Correlation found = {.linear = pearson(simulated, measured, count, as_is),
                       .logarithmic = pearson(simulated, measured, count, log),
                       .median_percent = median_off(simulated, measured, count),
                       .spearman = spearman(simulated, measured, count),
                       .kendall = kendall(simulated, measured, count)};
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
