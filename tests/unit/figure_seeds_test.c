// SPDX-License-Identifier: MIT
// Seeds of a study: means over replicates, their intervals, and what is chance.
#include <math.h>
#include <string.h>

#include "study/figures/figure.h"
#include "study/figures/figure_seeds.h"
#include "unit/cmocka_all.h"

static void assert_near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance)) fail_msg("%g, expected %g", value, expected);
}

// Worked by hand: 10, 12, 14, 16, 18 have mean 14 and a deviation of sqrt(10); t = 2.776.
static void an_interval_is_students(void **state) {
  (void)state;
  const double values[] = {10, 12, 14, 16, 18};
  Estimate five = estimate_of(values, 5), two = estimate_of(values, 2),
           one = estimate_of(values, 1);
  assert_near(five.mean, 14, 0);
  assert_near(five.half_width, 2.776 * sqrt(10.0 / 5), 1e-9);
  assert_near(two.mean, 11, 0);
  assert_near(two.half_width, 12.706 * sqrt(2.0 / 2), 1e-9);
  assert_near(one.mean, 10, 0);
  assert_true(isnan(one.half_width));
  assert_true(isnan(estimate_of(values, 0).mean));
}

// Of intervals of normal values, 95 % contain the true mean: counted over 4000 sets of five. The
// values are sums of twelve uniform ones.
static void intervals_cover_the_mean_as_often_as_they_say(void **state) {
  (void)state;
  uint64_t random = 12345;
  int covered = 0;
  for (int set = 0; set < 4000; set++) {
    double values[5] = {0};
    for (int i = 0; i < 60; i++) {
      random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      values[i % 5] += (double)(random >> 40) / 0x1p24;
    }
    Estimate estimate = estimate_of(values, 5);
    covered += fabs(estimate.mean - 6) <= estimate.half_width;
  }
  assert_in_range(covered, 3730, 3870);
}

static void chance_is_a_difference_within_the_interval(void **state) {
  (void)state;
  assert_true(estimate_is_chance(1.01, 0.02));
  assert_true(estimate_is_chance(0.98, 0.02 + 1e-12));
  assert_false(estimate_is_chance(1.03, 0.02));
  assert_false(estimate_is_chance(0.97, 0.02));
  assert_false(estimate_is_chance(1, 0));    // nothing varies
  assert_false(estimate_is_chance(1, NAN));  // one seed
}

static json_t *measure(const char *text, const int *cycles) {
  Study study;
  Error err;
  json_t *figures, *rows = json_array();
  const char *items[] = {"cycles"};
  FigureNames names = {items, 1, 1};
  if (study_read(&study, "s", text, &err) != OK) fail_msg("%s", err.text);
  for (size_t i = 0; i < study_run_count(&study); i++)
    json_array_append_new(rows, cycles[i] ? json_pack("[sssii]", "w", "g", "s", 1, cycles[i])
                                          : json_pack("[sssnn]", "w", "g", "s"));
  assert_int_equal(figures_make(&study, rows, &names, &figures, &err), OK);
  json_decref(rows);
  study_clear(&study);
  return figures;
}

static const json_t *panel_of(const json_t *figures) {
  return json_array_get(json_object_get(json_array_get(figures, 0), "panels"), 0);
}

static double number(const json_t *rows, size_t row, size_t column) {
  return json_number_value(json_array_get(json_array_get(rows, row), column));
}

#define HEAD "[study]\nworkloads = a, b\ngpus = g\nschemes = base, new\nseeds = 3\n"
#define FIGURE "[figure f]\nas = speedup\nbaseline = base\n"

// Ratios are formed for each seed, and so are means over workloads.
static void a_figure_has_means_and_intervals_over_seeds(void **state) {
  (void)state;
  const int cycles[] = {100, 200, 400, 50, 100, 100, 90, 90, 90, 90, 90, 90};
  json_t *figures = measure(HEAD FIGURE, cycles);
  const json_t *panel = panel_of(figures), *figure = json_array_get(figures, 0);
  assert_int_equal(json_array_size(figures), 1);
  assert_int_equal(json_integer_value(json_object_get(figure, "seeds")), 3);
  assert_string_equal(json_string_value(json_object_get(figure, "id")), "f");
  const json_t *measured = json_object_get(panel, "measured"),
               *interval = json_object_get(panel, "interval");
  assert_near(number(measured, 0, 1), 8.0 / 3, 1e-9);  // 2, 2, 4
  assert_near(number(interval, 0, 1), 4.303 * sqrt(4.0 / 3 / 3), 1e-9);
  assert_near(number(measured, 1, 1), 1, 0);
  assert_near(number(interval, 1, 1), 0, 0);
  assert_near(number(interval, 0, 0), 0, 0);  // the baseline
  const json_t *mean = json_array_get(json_object_get(panel, "means"), 0);
  double geometric = (2 * sqrt(2) + sqrt(4)) / 3;
  assert_near(json_number_value(json_array_get(json_object_get(mean, "measured"), 1)), geometric,
              1e-9);
  assert_true(json_number_value(json_array_get(json_object_get(mean, "interval"), 1)) > 0);
  json_decref(figures);
}

static void a_seed_without_a_run_is_left_out(void **state) {
  (void)state;
  const int cycles[] = {100, 100, 100, 50, 0, 25, 90, 90, 90, 90, 90, 90};
  json_t *figures = measure(HEAD FIGURE, cycles);
  assert_near(number(json_object_get(panel_of(figures), "measured"), 0, 1), 3, 1e-9);
  assert_near(number(json_object_get(panel_of(figures), "interval"), 0, 1), 12.706, 1e-9);
  json_decref(figures);
}

// As a dimension of a figure, or with one value only, they are a sweep like others.
static void figures_may_show_seeds_themselves(void **state) {
  (void)state;
  const int cycles[] = {100, 200, 400, 50, 100, 100, 90, 90, 90, 90, 90, 90};
  json_t *figures = measure(HEAD FIGURE "run.seed = 2\n", cycles);
  assert_near(number(json_object_get(panel_of(figures), "measured"), 0, 1), 4, 1e-9);
  assert_null(json_object_get(json_array_get(figures, 0), "seeds"));
  json_decref(figures);
  figures =
      measure(HEAD FIGURE "columns = run.seed\nbaseline = run.seed=0\nscheme = base\n", cycles);
  assert_near(number(json_object_get(panel_of(figures), "measured"), 0, 2), 0.25, 1e-9);
  json_decref(figures);
}

static void the_last_number_of_seeds_counts(void **state) {
  (void)state;
  Study study;
  Error err;
  assert_int_equal(study_read(&study, "s", HEAD "[study]\nseeds = 5\n", &err), OK);
  assert_int_equal(study_run_count(&study), 20);
  study_clear(&study);
  assert_int_equal(study_read(&study, "s", HEAD "[study]\nseeds = 1\n", &err), OK);
  assert_int_equal(study_run_count(&study), 4);
  study_clear(&study);
  static const char *const wrong[] = {"0", "101", "-1", "x", "5x", "99999999999999999999"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[200];
    snprintf(text, sizeof text, "%s[study]\nseeds = %s\n", HEAD, wrong[i]);
    assert_int_equal(study_read(&study, "s", text, &err), ERR_SYNTAX);
    assert_non_null(strstr(err.text, "from 1 to 100"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_interval_is_students),
      cmocka_unit_test(intervals_cover_the_mean_as_often_as_they_say),
      cmocka_unit_test(chance_is_a_difference_within_the_interval),
      cmocka_unit_test(a_figure_has_means_and_intervals_over_seeds),
      cmocka_unit_test(a_seed_without_a_run_is_left_out),
      cmocka_unit_test(figures_may_show_seeds_themselves),
      cmocka_unit_test(the_last_number_of_seeds_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
