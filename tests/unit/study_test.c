// SPDX-License-Identifier: MIT
// Studies: arithmetic with statistics, sweeps, and figures of runs that are in a
// store.
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/text_list.h"
#include "study/expression.h"
#include "study/figures/figure.h"
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
  // The first that is known.
  assert_true(value_of("unknown | l1d.hits") == 6);
  assert_true(value_of("l1d.hits | x") == 6);
  assert_true(value_of("unknown + 1 | x / zero | 2 * x") == 6);
  assert_true(value_of("(unknown | x) * 2") == 6);
  assert_true(isnan(value_of("unknown | x / zero")));
}

static void mistakes_in_expressions_are_told(void **state) {
  (void)state;
  static const char *const wrong[] = {"",    "1 +", "(x", "x)",  "x y",
                                      "* 2", "x $", "-",  "x |", "| x"};
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
  const json_t *panel = json_array_get(json_object_get(f, "panels"), 0);
  const json_t *measured = json_object_get(panel, "measured");
  const json_t *means = json_object_get(panel, "means");
  assert_list(json_array_get(measured, 0), (double[]){1, 2}, 2);
  assert_list(json_array_get(measured, 1), (double[]){1, 8}, 2);
  assert_list(json_array_get(measured, 2), (double[]){1, NAN}, 2);
  assert_list(json_array_get(json_object_get(panel, "paper"), 2), (double[]){NAN, 0.5}, 2);
  assert_int_equal(json_array_size(means), 2);
  const json_t *one = json_array_get(means, 0), *all = json_array_get(means, 1);
  assert_string_equal(json_string_value(json_object_get(one, "group")), "one");
  assert_list(json_object_get(one, "measured"), (double[]){1, 4}, 2);
  assert_list(json_object_get(one, "paper"), (double[]){NAN, 2}, 2);
  assert_list(json_object_get(all, "measured"), (double[]){1, 4}, 2);
  assert_list(json_object_get(all, "paper"), (double[]){NAN, 1.5}, 2);
  panel = json_array_get(json_object_get(r, "panels"), 0);
  assert_list(json_array_get(json_object_get(panel, "measured"), 1), (double[]){8, 1}, 2);
  assert_list(json_object_get(json_array_get(json_object_get(panel, "means"), 1), "measured"),
              (double[]){5, 1}, 2);
  assert_string_equal(json_string_value(json_object_get(f, "kind")), "bars");
  assert_string_equal(json_string_value(json_object_get(f, "baseline_label")), "base");
}

// ---- sweeps

static const char swept[] =
    "[study]\nworkloads = a, b\ngpus = g\nschemes = base, new\nsweep = l1d.size_kb = 16, 64, 32\n"
    "sweep=noc.kind=x,y\n[sweep l1d.size_kb]\ntitle = L1D (KB)\nscale = log2\n"
    "with = l1d.mshrs = 1, 2, 3\n";

static void sweeps_are_dimensions(void **state) {
  (void)state;
  Study study;
  Error err;
  uint32_t at[MAX_DIMENSIONS];
  assert_int_equal(study_read(&study, "s", swept, &err), OK);
  assert_int_equal(study.dimension_count, BY_SWEEP + 2);
  assert_int_equal(study_run_count(&study), 2 * 1 * 2 * 3 * 2);
  assert_true(study_is_numeric(&study, BY_SWEEP));
  assert_false(study_is_numeric(&study, BY_SWEEP + 1));
  assert_false(study_is_numeric(&study, BY_SCHEME));
  for (size_t i = 0; i < study_run_count(&study); i++) {
    study_combination(&study, i, at);
    assert_int_equal(study_position(&study, at), i);
  }
  study_combination(&study, 23, at);  // the last of each
  assert_int_equal(at[BY_SWEEP], 2);
  assert_int_equal(at[BY_SWEEP + 1], 1);
  const StudyDimension *size = &study.dimensions[BY_SWEEP];
  assert_string_equal(size->items[1].set, "l1d.size_kb=64; l1d.mshrs=2");
  assert_true(size->items[2].number == 32);
  assert_int_equal(size->scale, SCALE_LOG2);
  study_clear(&study);
}

static void assert_refused(const char *head, const char *lines, const char *part) {
  char file[1024];
  Study study;
  Error err;
  snprintf(file, sizeof file, "%s%s", head, lines);
  assert_int_equal(study_read(&study, "s", file, &err), ERR_SYNTAX);
  if (!strstr(err.text, part)) fail_msg("'%s' is not in '%s'", part, err.text);
}

static void mistakes_in_sweeps_and_figures_are_told(void **state) {
  (void)state;
  static const char head[] = "[study]\nworkloads = a\ngpus = g\nschemes = base, new\n";
  assert_refused(head, "sweep = size\n", "expected SECTION.KEY=VALUE");
  assert_refused(head, "sweep = l1d.=1\n", "expected SECTION.KEY=VALUE");
  assert_refused(head, "sweep = l1d.size_kb=\n", "no values to sweep");
  assert_refused(head, "sweep = a.b=1,2,1\n", "duplicate value '1'");
  assert_refused(head, "sweep = a.b=1\nsweep = a.b=2\n", "more than one sweep of 'a.b'");
  assert_refused(head, "sweep = a.b=1\n[sweep a.c]\ntitle = x\n", "did you mean 'a.b'?");
  assert_refused(head, "sweep = a.b=1,2\n[sweep a.b]\nwith = c.d=1\n", "each needs its own");
  assert_refused(head, "sweep = a.b=1\n[sweep a.b]\nscale = log\n", "auto, linear, log2");
  assert_refused(head, "sweep = a.b=1\n[figure f]\nrows = a.c\n", "did you mean 'a.b'?");
  assert_refused(head, "[figure f]\npanels = scheme\n", "panels are the same dimension");
  assert_refused(head, "sweep = a.b=1\n[figure f]\na.b = 2\n", "the study has no a.b '2'");
  assert_refused(head, "[figure f]\nas = ratio\nbaseline = bse\n", "did you mean 'base'?");
  assert_refused(head, "[figure f]\nas = ratio\nbaseline = scheme=bse\n", "did you mean 'base'?");
  assert_refused(head,
                 "sweep=a.a=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20\n"
                 "sweep=a.b=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20\n"
                 "sweep=a.c=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20\n"
                 "sweep=a.d=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20\n",
                 "the limit is 100000");
}

// Two workloads, two schemes, three sizes: cycles of base are 100, 50, 25 and of
// new 80, 40, 10; b takes ten times as long, but for new with 64, which has no run.
static const char line_figures[] =
    "[study]\nworkloads = a, b\ngpus = g\nschemes = base, new\nsweep = l1d.size_kb=16,32,64\n"
    "[figure p]\nrows = l1d.size_kb\nas = speedup\nbaseline = scheme=base, l1d.size_kb=16\n"
    "panels = workload\n"
    "[figure m]\nrows = l1d.size_kb\nas = speedup\nworkload = mean\n"
    "[paper m]\nsource = x\n32 new = 1.5\n"
    "[figure w]\nrows = l1d.size_kb\ncolumns = workload\nscheme = base\nmean = arithmetic\n"
    "[figure each]\nrows = workload\ncolumns = scheme\nmean = none\n";

static const json_t *panel_of(const json_t *figures, size_t figure, size_t panel) {
  return json_array_get(json_object_get(json_array_get(figures, figure), "panels"), panel);
}

static void assert_rows(const json_t *panel, size_t count, double (*expected)[3]) {
  const json_t *measured = json_object_get(panel, "measured");
  assert_int_equal(json_array_size(measured), 3);
  for (size_t r = 0; r < 3; r++) assert_list(json_array_get(measured, r), expected[r], count);
}

static const char *text_of(const json_t *figures, size_t figure, const char *key) {
  return json_string_value(json_object_get(json_array_get(figures, figure), key));
}

static void check_lines(const json_t *figures) {
  // One with panels: two workloads and their mean, against one run.
  assert_int_equal(json_array_size(json_object_get(json_array_get(figures, 0), "panels")), 3);
  assert_string_equal(text_of(figures, 0, "kind"), "lines");
  assert_string_equal(text_of(figures, 0, "baseline_label"), "base, l1d.size_kb = 16");
  assert_rows(panel_of(figures, 0, 0), 2, (double[][3]){{1, 1.25}, {2, 2.5}, {4, 10}});
  assert_rows(panel_of(figures, 0, 1), 2, (double[][3]){{1, 1.25}, {2, 2.5}, {4, NAN}});
  assert_rows(panel_of(figures, 0, 2), 2, (double[][3]){{1, 1.25}, {2, 2.5}, {4, 10}});
  assert_true(json_is_true(json_object_get(panel_of(figures, 0, 2), "mean")));
  // The mean alone, each size against itself; the paper's number beside it.
  assert_rows(panel_of(figures, 1, 0), 2, (double[][3]){{1, 1.25}, {1, 1.25}, {1, 2.5}});
  const json_t *paper = json_object_get(panel_of(figures, 1, 0), "paper");
  assert_list(json_array_get(paper, 1), (double[]){NAN, 1.5}, 2);
  // A line a workload, and one of their mean.
  assert_rows(panel_of(figures, 2, 0), 3,
              (double[][3]){{100, 1000, 550}, {50, 500, 275}, {25, 250, 137.5}});
  // Bars, once for each size.
  assert_int_equal(json_array_size(figures), 6);
  assert_string_equal(text_of(figures, 5, "id"), "each-64");
  assert_string_equal(text_of(figures, 5, "title"), "each, l1d.size_kb = 64");
  assert_string_equal(text_of(figures, 5, "kind"), "bars");
}

static void lines_go_over_a_swept_number(void **state) {
  (void)state;
  char path[] = "/tmp/heddle-study-test-XXXXXX", jobs[12][4];
  static const json_int_t cycles[] = {100, 50, 25, 80, 40, 10};
  StudyRun runs[12];
  Store *store;
  Study study;
  Error err;
  json_t *figures;
  close(mkstemp(path));
  assert_int_equal(store_open(&store, path, STORE_WRITE, &err), OK);
  assert_int_equal(study_read(&study, "s", line_figures, &err), OK);
  for (int i = 0; i < 12; i++) {
    snprintf(jobs[i], sizeof jobs[i], "%d", i);
    runs[i] = (StudyRun){i < 6 ? "a" : "b", "g", i / 3 % 2 ? "new" : "base", jobs[i], NULL};
    if (i < 11) put(store, jobs[i], cycles[i % 6] * (i < 6 ? 1 : 10));
  }
  assert_int_equal(store_put_study(store, "s", line_figures, runs, 12, &err), OK);
  assert_int_equal(figures_measure(store, &study, &figures, &err), OK);
  check_lines(figures);
  json_decref(figures);
  study_clear(&study);
  store_close(store);
  unlink(path);
}

static void lists_keep_parameters_of_policies_together(void **state) {
  (void)state;
  Arena arena = {0};
  const char *list = " lrr,two_level:a=1,b=2 , gto+x:y=1,,ccws ", *rest = "a = 1; b=2,3 ;";
  assert_string_equal(text_list_next(&list, ',', &arena), "lrr");
  assert_string_equal(text_list_next(&list, ',', &arena), "two_level:a=1,b=2");
  assert_string_equal(text_list_next(&list, ',', &arena), "gto+x:y=1");
  assert_string_equal(text_list_next(&list, ',', &arena), "ccws");
  assert_null(text_list_next(&list, ',', &arena));
  assert_string_equal(text_list_next(&rest, ';', &arena), "a = 1");
  assert_string_equal(text_list_next(&rest, ';', &arena), "b=2,3");
  assert_null(text_list_next(&rest, ';', &arena));
  arena_clear(&arena);
}

static void figures_compare_what_the_store_has(void **state) {
  (void)state;
  char path[] = "/tmp/heddle-study-test-XXXXXX";
  const StudyRun runs[] = {{"a", "g", "base", "1", NULL}, {"a", "g", "new", "2", NULL},
                           {"b", "g", "base", "3", NULL}, {"b", "g", "new", "4", NULL},
                           {"c", "g", "base", "5", NULL}, {"c", "g", "new", "6", NULL}};
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

// ---- keys that are fields of a run

static void keys_of_runs_are_of_all_runs(void **state) {
  (void)state;
  Study study;
  Error err;
  assert_int_equal(
      study_read(
          &study, "s",
          "[study]\nworkloads = a\ngpus = g\nschemes = s\nmax_cycles = 7\nkernels = 0,2\n"
          "observe = ctas; reuse:line_bytes=64\nobserve = all\ninterval = 5\ncheck = races\n"
          "accesses = 3\nper_sm = true\nfunctional = false\nsize = tiny\nset = a.b=1; c.d=2\n",
          &err),
      OK);
  RunSpec expected = {0};
  Arena arena = {0};
  expected.max_cycles = "7";
  expected.kernels = "0,2";
  run_list_add(&expected.observe, "all", &arena);
  expected.interval = 5;
  expected.check = "races";
  expected.accesses = 3;
  expected.per_sm = true;
  expected.size = "tiny";
  run_list_add(&expected.set, "a.b=1", &arena);
  run_list_add(&expected.set, "c.d=2", &arena);
  assert_true(run_spec_equal(&study.run, &expected));
  arena_clear(&arena);
  study_clear(&study);
}

// What a study decides itself, or the command, is no key.
static void other_fields_of_runs_are_no_keys(void **state) {
  (void)state;
  static const char *const wrong[] = {"db = x.db",    "gpu = k40",     "--max-cycles = 3",
                                      "threads = 2",  "plugin = x.so", "accesses = 0x",
                                      "per_sm = yes", "interval = -1"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    Study study;
    Error err;
    char file[128];
    snprintf(file, sizeof file, "[study]\nworkloads = a\ngpus = g\nschemes = s\n%s\n", wrong[i]);
    assert_int_equal(study_read(&study, "s", file, &err), ERR_SYNTAX);
    assert_non_null(strstr(err.text, "s:5: "));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(expressions_are_arithmetic),
      cmocka_unit_test(keys_of_runs_are_of_all_runs),
      cmocka_unit_test(other_fields_of_runs_are_no_keys),
      cmocka_unit_test(mistakes_in_expressions_are_told),
      cmocka_unit_test(figures_compare_what_the_store_has),
      cmocka_unit_test(sweeps_are_dimensions),
      cmocka_unit_test(mistakes_in_sweeps_and_figures_are_told),
      cmocka_unit_test(lines_go_over_a_swept_number),
      cmocka_unit_test(lists_keep_parameters_of_policies_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
