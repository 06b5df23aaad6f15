// SPDX-License-Identifier: MIT
// Studies: arithmetic with statistics, and figures of runs that are in a store.
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "study/expression.h"
#include "study/figure.h"
#include "unit/cmocka_all.h"

// ---- expressions

static bool statistic(void *self, const char *name, double *value) {
  (void)self;
  *value = strcmp(name, "l1d.hits") == 0 ? 6 : strcmp(name, "zero") == 0 ? 0 : 3;
  return strcmp(name, "unknown") != 0;
}

static double value_of(const char *text) {
  Arena arena = {0};
  Expression *expression;
  Error err;
  double value = NAN;
  assert_int_equal(expression_parse(&expression, &arena, text, &err), OK);
  if (!expression_value(expression, statistic, NULL, &value)) value = NAN;
  arena_clear(&arena);
  return value;
}

static void expressions_are_arithmetic(void **state) {
  (void)state;
  assert_true(value_of("l1d.hits") == 6);
  assert_true(value_of("1 + 2 * l1d.hits - 3") == 10);
  assert_true(value_of("12/l1d.hits/2") == 1);
  assert_true(value_of("1000 * (l1d.hits - x) / (x + 7)") == 300);
  assert_true(isnan(value_of("x / zero")));
  assert_true(isnan(value_of("1 + unknown")));
}

static void mistakes_in_expressions_are_told(void **state) {
  (void)state;
  static const char *const wrong[] = {"", "1 +", "(x", "x)", "x y", "* 2", "x $", "-"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    Arena arena = {0};
    Expression *expression;
    Error err;
    assert_int_equal(expression_parse(&expression, &arena, wrong[i], &err), ERR_SYNTAX);
    arena_clear(&arena);
  }
  char deep[4096];
  memset(deep, '(', sizeof deep);
  deep[sizeof deep - 1] = '\0';
  Arena arena = {0};
  Expression *expression;
  assert_int_equal(expression_parse(&expression, &arena, deep, NULL), ERR_SYNTAX);
  arena_clear(&arena);
}

// ---- figures

static const char text[] =
    "[study]\nworkloads = a, b, c\ngpus = g\nschemes = base, new\n"
    "[workload a]\ngroup = one\n[workload b]\ngroup = one\n"
    "[figure f]\nas = speedup\n[paper f]\nmean new = 1.5\nmean:one new = 2\nc new = 0.5\n"
    "[figure r]\nas = ratio\nbaseline = new\nmean = arithmetic\n";

static void put(Store *store, const char *job, json_int_t cycles) {
  Error err;
  int64_t run;
  RunLabels labels = {.job = job, .program = "p"};
  json_t *result = json_pack("{s:b, s:{}, s:{s:I}, s:[]}", "complete", 1, "config", "total",
                             "cycles", cycles, "kernels");
  assert_int_equal(store_begin_run(store, &labels, &run, &err), OK);
  assert_int_equal(store_end_run(store, &run, result, NULL, NULL, &err), OK);
  json_decref(result);
}

static void assert_list(const json_t *list, const double *expected, size_t count) {
  assert_int_equal(json_array_size(list), count);
  for (size_t i = 0; i < count; i++) {
    const json_t *value = json_array_get(list, i);
    assert_int_equal(json_is_null(value), isnan(expected[i]) != 0);
    if (json_is_number(value)) assert_true(fabs(json_number_value(value) - expected[i]) < 1e-9);
  }
}

// a: 100 and 50, b: 800 and 100, c: 10 and nothing.
static void check_figures(const json_t *figures) {
  const json_t *f = json_array_get(figures, 0), *r = json_array_get(figures, 1);
  const json_t *measured = json_object_get(f, "measured"), *means = json_object_get(f, "means");
  assert_list(json_array_get(measured, 0), (double[]){1, 2}, 2);
  assert_list(json_array_get(measured, 1), (double[]){1, 8}, 2);
  assert_list(json_array_get(measured, 2), (double[]){1, NAN}, 2);
  assert_list(json_array_get(json_object_get(f, "paper"), 2), (double[]){NAN, 0.5}, 2);
  assert_int_equal(json_array_size(means), 2);
  const json_t *one = json_array_get(means, 0), *all = json_array_get(means, 1);
  assert_string_equal(json_string_value(json_object_get(one, "group")), "one");
  assert_list(json_object_get(one, "measured"), (double[]){1, 4}, 2);
  assert_list(json_object_get(one, "paper"), (double[]){NAN, 2}, 2);
  assert_list(json_object_get(all, "measured"), (double[]){1, 4}, 2);
  assert_list(json_object_get(all, "paper"), (double[]){NAN, 1.5}, 2);
  assert_list(json_array_get(json_object_get(r, "measured"), 1), (double[]){8, 1}, 2);
  assert_list(json_object_get(json_array_get(json_object_get(r, "means"), 1), "measured"),
              (double[]){5, 1}, 2);
}

static void figures_compare_what_the_store_has(void **state) {
  (void)state;
  char path[] = "/tmp/heddle-study-test-XXXXXX";
  const StudyRun runs[] = {{"a", "g", "base", "1"}, {"a", "g", "new", "2"},
                           {"b", "g", "base", "3"}, {"b", "g", "new", "4"},
                           {"c", "g", "base", "5"}, {"c", "g", "new", "6"}};
  Store *store;
  Study study;
  Error err;
  json_t *figures;
  close(mkstemp(path));
  assert_int_equal(store_open(&store, path, STORE_WRITE, &err), OK);
  put(store, "1", 100), put(store, "2", 50), put(store, "3", 800), put(store, "4", 100);
  put(store, "5", 10);
  assert_int_equal(study_read(&study, "s", text, &err), OK);
  assert_int_equal(store_put_study(store, "s", text, runs, 6, &err), OK);
  assert_int_equal(figures_measure(store, &study, &figures, &err), OK);
  check_figures(figures);
  json_decref(figures);
  study_clear(&study);
  store_close(store);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(expressions_are_arithmetic),
      cmocka_unit_test(mistakes_in_expressions_are_told),
      cmocka_unit_test(figures_compare_what_the_store_has),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
