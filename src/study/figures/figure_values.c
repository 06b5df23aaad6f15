// SPDX-License-Identifier: MIT
// The numbers of runs in a figure.
#include <math.h>
#include <string.h>

#include "study/figures/figure_maker.h"
#include "study/results.h"

typedef struct ResultRow {
  const FigureNames *names;
  const json_t *row;
} ResultRow;

static bool statistic_of(void *self, const char *name, double *value) {
  const ResultRow *result = self;
  for (size_t i = 0; i < result->names->count; i++) {
    if (strcmp(result->names->items[i], name) != 0) continue;
    const json_t *cell = json_array_get(result->row, RESULT_NAMES + i);
    *value = json_number_value(cell);
    return json_is_number(cell);
  }
  return false;
}

static double plain_value(const Maker *maker, const uint32_t at[MAX_DIMENSIONS]) {
  ResultRow result = {maker->names,
                      json_array_get(maker->results, study_position(maker->study, at))};
  double value;
  return expression_value(maker->expression, statistic_of, &result, &value) ? value : NAN;
}

static double cycles_of(const Maker *maker, const uint32_t at[MAX_DIMENSIONS]) {
  ResultRow result = {maker->names,
                      json_array_get(maker->results, study_position(maker->study, at))};
  double cycles;
  return statistic_of(&result, FIGURE_BEST_BY, &cycles) ? cycles : NAN;
}

bool figure_choose_best(const Maker *maker, const Cell *cell, uint32_t at[MAX_DIMENSIONS]) {
  uint32_t dimension = maker->spec->columns;
  const BestOf *best = cell->slots[dimension].best;
  double fewest = NAN;
  uint32_t chosen = 0;
  if (!best) return true;
  for (uint32_t i = 0; i < best->count; i++) {
    at[dimension] = best->items[i];
    double cycles = cycles_of(maker, at);
    if (isnan(cycles) || cycles >= fewest) continue;  // false for the first: nothing is >= NAN
    fewest = cycles;
    chosen = best->items[i];
  }
  at[dimension] = chosen;
  return !isnan(fewest);
}

bool figure_is_measured(const Maker *maker, const uint32_t at[MAX_DIMENSIONS]) {
  return !isnan(plain_value(maker, at));
}

static double by(double a, double b) {
  return b != 0 ? a / b : NAN;
}

double figure_value(const Maker *maker, const uint32_t at[MAX_DIMENSIONS]) {
  uint32_t base_at[MAX_DIMENSIONS] = {0};
  double value = plain_value(maker, at);
  if (maker->spec->as == AS_VALUE) return value;
  for (uint32_t i = 0; i < maker->study->dimension_count; i++) {
    int32_t base = maker->spec->baseline_at[i];
    base_at[i] = base == SAME_ITEM ? at[i] : (uint32_t)base;
  }
  double base = plain_value(maker, base_at);
  return maker->spec->as == AS_SPEEDUP ? by(base, value) : by(value, base);
}
