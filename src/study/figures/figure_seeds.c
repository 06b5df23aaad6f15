// SPDX-License-Identifier: MIT
// Every seed is a replicate of the whole figure: ratios and means over workloads are formed for
// each seed first, so that their intervals need no assumption on how errors propagate.
#include "study/figures/figure_seeds.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

// ---- estimates

// Quantiles of Student's t for 97.5 %, by degrees of freedom from 1.
static const double quantiles[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                   2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                   2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                   2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
enum { QUANTILES = sizeof quantiles / sizeof *quantiles };
static const double normal_quantile = 1.96;

Estimate estimate_of(const double *values, size_t count) {
  Estimate estimate = {.mean = NAN, .half_width = NAN};
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; i++) sum += values[i];
  if (count) estimate.mean = sum / (double)count;
  for (size_t i = 0; i < count; i++)
    squares += (values[i] - estimate.mean) * (values[i] - estimate.mean);
  if (count < 2) return estimate;
  double t = count - 1 <= QUANTILES ? quantiles[count - 2] : normal_quantile;
  estimate.half_width = t * sqrt(squares / (double)(count - 1) / (double)count);
  return estimate;
}

bool estimate_is_chance(double mean, double half_width) {
  return half_width > 0 && fabs(mean - 1) <= half_width;
}

// ---- lists of numbers, alike in all figures

static json_t *number_json(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

// lists: the same list of each figure. Counts that do not vary stay whole.
static void merge_lists(json_t **lists, size_t count, json_t **means, json_t **intervals) {
  double *values = memory_alloc(sizeof *values * (count + 1));
  *means = json_array();
  *intervals = json_array();
  for (size_t i = 0; i < json_array_size(lists[0]); i++) {
    size_t known = 0;
    for (size_t s = 0; s < count; s++) {
      const json_t *value = json_array_get(lists[s], i);
      if (json_is_number(value)) values[known++] = json_number_value(value);
    }
    Estimate estimate = estimate_of(values, known);
    json_t *first = json_array_get(lists[0], i);
    bool is_constant = known == count && estimate.half_width == 0;
    json_array_append_new(*means, is_constant ? json_incref(first) : number_json(estimate.mean));
    json_array_append_new(*intervals, number_json(estimate.half_width));
  }
  memory_free(values);
}

static void merge_key(json_t **objects, size_t count, json_t *merged) {
  json_t **lists = memory_alloc(sizeof *lists * (count + 1)), *means, *intervals;
  for (size_t s = 0; s < count; s++) lists[s] = json_object_get(objects[s], "measured");
  merge_lists(lists, count, &means, &intervals);
  json_object_set_new(merged, "measured", means);
  json_object_set_new(merged, "interval", intervals);
  memory_free(lists);
}

// ---- panels

static void merge_rows(json_t **panels, size_t count, json_t *merged) {
  json_t **lists = memory_alloc(sizeof *lists * (count + 1));
  json_t *all_means = json_array(), *all_intervals = json_array(), *means, *intervals;
  for (size_t r = 0; r < json_array_size(json_object_get(panels[0], "measured")); r++) {
    for (size_t s = 0; s < count; s++)
      lists[s] = json_array_get(json_object_get(panels[s], "measured"), r);
    merge_lists(lists, count, &means, &intervals);
    json_array_append_new(all_means, means);
    json_array_append_new(all_intervals, intervals);
  }
  json_object_set_new(merged, "measured", all_means);
  json_object_set_new(merged, "interval", all_intervals);
  memory_free(lists);
}

static void merge_means(json_t **panels, size_t count, json_t *merged) {
  json_t **objects = memory_alloc(sizeof *objects * (count + 1)), *mean;
  size_t i;
  json_array_foreach(json_object_get(merged, "means"), i, mean) {
    for (size_t s = 0; s < count; s++)
      objects[s] = json_array_get(json_object_get(panels[s], "means"), i);
    merge_key(objects, count, mean);
  }
  memory_free(objects);
}

static bool is_same_choice(json_t **panels, size_t count, size_t row, size_t column) {
  const json_t *first = NULL;
  for (size_t s = 0; s < count; s++) {
    const json_t *rows = json_object_get(panels[s], "best");
    const json_t *chosen = json_array_get(json_array_get(rows, row), column);
    if (!first) first = chosen;
    if (!json_equal(first, chosen)) return false;
  }
  return true;
}

static void merge_choices(json_t **panels, size_t count, json_t *merged) {
  json_t *row;
  size_t r;
  json_array_foreach(json_object_get(merged, "best"), r, row) {
    for (size_t c = 0; c < json_array_size(row); c++)
      if (!is_same_choice(panels, count, r, c)) json_array_set_new(row, c, json_null());
  }
}

static void merge_panels(const json_t *figures, json_t *merged) {
  size_t count = json_array_size(figures), i;
  json_t **panels = memory_alloc(sizeof *panels * (count + 1)), *panel;
  json_array_foreach(json_object_get(merged, "panels"), i, panel) {
    for (size_t s = 0; s < count; s++)
      panels[s] = json_array_get(json_object_get(json_array_get(figures, s), "panels"), i);
    merge_rows(panels, count, panel);
    merge_means(panels, count, panel);
    merge_choices(panels, count, panel);
  }
  memory_free(panels);
}

// ---- notes

static bool has_text(const json_t *list, const json_t *text) {
  const json_t *each;
  size_t i;
  json_array_foreach(list, i, each) if (json_equal(each, text)) return true;
  return false;
}

static void merge_notes(const json_t *figures, json_t *merged) {
  json_t *all = json_object_get(merged, "mean_notes"), *note;
  const json_t *figure;
  size_t i, n;
  json_array_foreach(figures, i, figure)
      json_array_foreach(json_object_get(figure, "mean_notes"), n, note) if (!has_text(all, note))
          json_array_append(all, note);
}

json_t *figure_merge_seeds(const json_t *figures) {
  json_t *merged = json_deep_copy(json_array_get(figures, 0));
  if (json_array_size(figures) < 2) return merged;
  merge_panels(figures, merged);
  merge_notes(figures, merged);
  json_object_set_new(merged, "seeds", json_integer((json_int_t)json_array_size(figures)));
  return merged;
}
