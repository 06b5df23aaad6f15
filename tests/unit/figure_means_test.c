// SPDX-License-Identifier: MIT
// Means of figures cover the same items for all that is compared, and say which are missing.
#include <math.h>

#include "study/figures/figure.h"
#include "unit/cmocka_all.h"

// Results in the order of study_results, 0: no run.
static json_t *rows_of(const int *cycles, size_t count) {
  json_t *rows = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(rows, cycles[i] ? json_pack("[sssii]", "w", "g", "s", 1, cycles[i])
                                          : json_pack("[sssnn]", "w", "g", "s"));
  return rows;
}

static json_t *measure(const char *text, const int *cycles) {
  Study study;
  Error err;
  json_t *figures;
  const char *items[] = {"cycles"};
  FigureNames names = {items, 1, 1};
  assert_int_equal(study_read(&study, "s", text, &err), OK);
  json_t *rows = rows_of(cycles, study_run_count(&study));
  assert_int_equal(figures_make(&study, rows, &names, &figures, &err), OK);
  json_decref(rows);
  study_clear(&study);
  return figures;
}

static const json_t *panel_of(const json_t *figures, size_t panel) {
  return json_array_get(json_object_get(json_array_get(figures, 0), "panels"), panel);
}

static const json_t *mean_of(const json_t *figures, size_t mean) {
  return json_array_get(json_object_get(panel_of(figures, 0), "means"), mean);
}

static void assert_list(const json_t *list, const double *expected, size_t count) {
  assert_int_equal(json_array_size(list), count);
  for (size_t i = 0; i < count; i++) {
    const json_t *value = json_array_get(list, i);
    assert_int_equal(json_is_null(value), isnan(expected[i]) != 0);
    if (!isnan(expected[i])) assert_true(fabs(json_number_value(value) - expected[i]) < 1e-9);
  }
}

static void assert_text(const json_t *object, const char *key, const char *expected) {
  assert_string_equal(json_string_value(json_object_get(object, key)), expected);
}

static void assert_note(const json_t *figures, size_t at, const char *expected) {
  const json_t *notes = json_object_get(json_array_get(figures, 0), "mean_notes");
  if (!expected)
    assert_int_equal(json_array_size(notes), at);
  else
    assert_string_equal(json_string_value(json_array_get(notes, at)), expected);
}

#define HEAD "[study]\nworkloads = a, b, c\ngpus = g\nschemes = base, new, other\n"

static void a_mean_covers_what_every_column_has(void **state) {
  (void)state;
  json_t *figures =
      measure(HEAD "[figure f]\nas = speedup\n", (int[]){100, 50, 25, 100, 100, 100, 100, 10, 0});
  assert_list(json_object_get(mean_of(figures, 0), "measured"), (double[]){1, sqrt(2), 2}, 3);
  assert_text(mean_of(figures, 0), "label", "geometric mean (2 of 3)");
  assert_int_equal(json_integer_value(json_object_get(mean_of(figures, 0), "count")), 2);
  assert_int_equal(json_integer_value(json_object_get(mean_of(figures, 0), "of")), 3);
  assert_note(figures, 0, "geometric mean of 2 of 3; missing: c (other)");
  assert_note(figures, 1, NULL);
  json_decref(figures);
}

static void a_complete_mean_has_no_note(void **state) {
  (void)state;
  json_t *figures = measure(HEAD "[figure f]\nmean = arithmetic\n",
                            (int[]){100, 50, 25, 100, 100, 100, 100, 10, 10});
  assert_list(json_object_get(mean_of(figures, 0), "measured"), (double[]){100, 160 / 3., 45}, 3);
  assert_text(mean_of(figures, 0), "label", "mean");
  assert_note(figures, 0, NULL);
  json_decref(figures);
}

// Without the baseline no scheme has a speed-up; the note names the run that is missing.
static void a_missing_baseline_is_named(void **state) {
  (void)state;
  json_t *figures =
      measure(HEAD "[figure f]\nas = speedup\n", (int[]){100, 50, 25, 0, 100, 100, 0, 0, 0});
  assert_list(json_object_get(mean_of(figures, 0), "measured"), (double[]){1, 2, 4}, 3);
  assert_note(figures, 0, "geometric mean of 1 of 3; missing: b (base), c");
  json_decref(figures);
}

// As when a policy counter exists for one scheme only, or a scheme has not run yet.
static void a_column_without_values_excludes_nothing(void **state) {
  (void)state;
  json_t *figures =
      measure(HEAD "[figure f]\nas = speedup\n", (int[]){100, 50, 0, 100, 50, 0, 100, 50, 0});
  assert_list(json_object_get(mean_of(figures, 0), "measured"), (double[]){1, 2, NAN}, 3);
  assert_text(mean_of(figures, 0), "label", "geometric mean");
  assert_note(figures, 0, NULL);
  json_decref(figures);
}

static void groups_have_means_of_their_own(void **state) {
  (void)state;
  json_t *figures = measure(HEAD
                            "[workload a]\ngroup = one\n[workload b]\ngroup = one\n"
                            "[figure f]\nas = speedup\n",
                            (int[]){100, 50, 25, 100, 50, 0, 100, 10, 10});
  assert_list(json_object_get(mean_of(figures, 0), "measured"), (double[]){1, 2, 4}, 3);
  assert_text(mean_of(figures, 0), "label", "geometric mean, one (1 of 2)");
  assert_list(json_object_get(mean_of(figures, 1), "measured"), (double[]){1, sqrt(20), sqrt(40)},
              3);
  assert_note(figures, 0, "geometric mean, one: 1 of 2; missing: b (other)");
  json_decref(figures);
}

// Two sizes and two schemes: a workload that lacks one of the four runs is in no mean.
static void lines_have_means_of_the_same_workloads(void **state) {
  (void)state;
  json_t *figures = measure(
      "[study]\nworkloads = a, b\ngpus = g\nschemes = base, new\nsweep = l1d.size_kb=16,32\n"
      "[figure p]\nrows = l1d.size_kb\npanels = workload\nmean = arithmetic\n",
      (int[]){100, 50, 80, 40, 1000, 500, 800, 0});
  const json_t *panel = panel_of(figures, 2), *measured = json_object_get(panel, "measured");
  assert_text(panel, "title", "mean (1 of 2)");
  assert_list(json_array_get(measured, 0), (double[]){100, 80}, 2);
  assert_list(json_array_get(measured, 1), (double[]){50, 40}, 2);
  assert_note(figures, 0, "mean of 1 of 2; missing: b (new, l1d.size_kb = 32)");
  assert_note(figures, 1, NULL);
  json_decref(figures);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mean_covers_what_every_column_has),
      cmocka_unit_test(a_complete_mean_has_no_note),
      cmocka_unit_test(a_missing_baseline_is_named),
      cmocka_unit_test(a_column_without_values_excludes_nothing),
      cmocka_unit_test(groups_have_means_of_their_own),
      cmocka_unit_test(lines_have_means_of_the_same_workloads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
