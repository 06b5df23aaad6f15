// SPDX-License-Identifier: MIT
// Variants of programs, arguments by GPU and size, and the best of several columns.
#include <math.h>
#include <string.h>

#include "study/figures/figure.h"
#include "unit/cmocka_all.h"

#define HEAD "[study]\nworkloads = a, b\ngpus = k, f\nschemes = gto\nvariants = BSL, RD, CLU\n"
#define FIGURE                                                                  \
  HEAD "[figure f]\nas = speedup\ncolumns = variant\nbaseline = BSL\ngpu = k\n" \
       "best = clustered: RD, CLU\n"

static Study study;
static Error err;

static Status read(const char *text) {
  return study_read(&study, "s", text, &err);
}

static void assert_rejected(const char *text, const char *message) {
  assert_int_equal(read(text), ERR_SYNTAX);
  if (!strstr(err.text, message)) fail_msg("%s", err.text);
}

// ---- variants

static void variants_are_a_dimension(void **state) {
  (void)state;
  assert_int_equal(read(HEAD "[variant CLU]\ncluster = agents\nenvironment = A=1; B=2\n"
                             "[variant RD]\nset = sm.max_ctas=1\ntitle = redirected\n"),
                   OK);
  int dimension = study_variants(&study);
  assert_int_equal(study_run_count(&study), 12);
  assert_int_equal(study.dimensions[dimension].count, 3);
  const StudyItem *agents = study_item(&study, (Dimension)dimension, "CLU");
  assert_string_equal(agents->cluster, "agents");
  assert_string_equal(agents->environment, "A=1; B=2");
  assert_null(study_item(&study, (Dimension)dimension, "BSL")->cluster);
  assert_string_equal(study_item(&study, (Dimension)dimension, "RD")->set, "sm.max_ctas=1");
  study_clear(&study);
}

static void a_study_without_variants_has_no_such_dimension(void **state) {
  (void)state;
  assert_int_equal(read("[study]\nworkloads = a\ngpus = k\nschemes = gto\n"), OK);
  assert_int_equal(study_variants(&study), NO_DIMENSION);
  study_clear(&study);
  assert_rejected("[study]\nworkloads = a\ngpus = k\nschemes = gto\n[variant X]\nset = a.b=1\n",
                  "[study] has no variants");
}

static void mistakes_in_variants_are_reported(void **state) {
  (void)state;
  assert_rejected(HEAD "[variant CLUB]\ncluster = agents\n", "not among the variants of [study]");
  assert_rejected(HEAD "[variant CLU]\nclusters = agents\n", "did you mean 'cluster'");
  assert_rejected(HEAD "[variant CLU]\nis = agents\n", "a variant has no 'is'");
  assert_rejected(HEAD "[gpu k]\ncluster = agents\n", "a gpu has no 'cluster'");
}

// ---- patterns

static void a_pattern_stands_for_several_names(void **state) {
  (void)state;
  assert_int_equal(
      read("[study]\nworkloads = a\ngpus = k\nschemes = gto\n"
           "variants = BSL, TOT=1, TOT=16, CLU+TOT=1\n"
           "[variant TOT=*]\nset = sm.max_ctas=*; a.b=*\n[variant TOT=16]\nset = c.d=1\n"
           "[variant *]\nenvironment = N=*\n"),
      OK);
  Dimension variants = (Dimension)study_variants(&study);
  assert_string_equal(study_item(&study, variants, "TOT=1")->set, "sm.max_ctas=1; a.b=1");
  assert_string_equal(study_item(&study, variants, "TOT=16")->set, "c.d=1");
  assert_null(study_item(&study, variants, "CLU+TOT=1")->set);
  assert_string_equal(study_item(&study, variants, "BSL")->environment, "N=BSL");
  study_clear(&study);
  assert_rejected(HEAD "[variant X*]\nset = a.b=1\n", "'X*' is not among the variants");
}

static void the_best_of_a_pattern_is_that_of_its_names(void **state) {
  (void)state;
  assert_int_equal(read(HEAD "[figure f]\ncolumns = variant\nbest = all: *, CLU; some: C*\n"), OK);
  assert_int_equal(study.figures[0].bests[0].count, 3);
  assert_int_equal(study.figures[0].bests[1].count, 1);
  assert_int_equal(study.figures[0].bests[1].items[0], 2);
  study_clear(&study);
}

// ---- restriction

static void only_some_values_are_run_and_shown(void **state) {
  (void)state;
  assert_int_equal(read(HEAD "only = variant = BSL, C*\nonly = gpu = f\n"
                             "[gpu k]\nset = a.b=1\n[variant RD]\nset = a.b=1\n"
                             "[figure on_k]\ngpu = k\n"
                             "[figure f]\ncolumns = variant\nbest = x: RD, CLU; y: RD\n"
                             "show = RD, x, y\n[paper f]\na RD = 2\na x k = 3\n"),
                   OK);
  assert_int_equal(study_run_count(&study), 4);
  assert_null(study_item(&study, BY_GPU, "k"));
  assert_int_equal(study.figure_count, 1);
  assert_string_equal(study.figures[0].id, "f");
  assert_int_equal(study.figures[0].bests[0].count, 1);
  assert_int_equal(study.figures[0].bests[1].count, 0);
  study_clear(&study);
}

static void a_figure_without_its_baseline_is_left_out(void **state) {
  (void)state;
  assert_int_equal(read(HEAD "only = variant = RD, CLU\nonly = gpu = f\n"
                             "[figure a]\ncolumns = variant\nas = speedup\nbaseline = BSL\n"
                             "[figure b]\nas = speedup\nbaseline = gpu=k, variant = RD\n"
                             "[figure c]\ncolumns = variant\nshow = BSL\n"
                             "[figure d]\ncolumns = variant\nas = speedup\nbaseline = RD\n"),
                   OK);
  assert_int_equal(study.figure_count, 1);
  assert_string_equal(study.figures[0].id, "d");
  study_clear(&study);
}

static void a_study_that_was_read_can_be_restricted(void **state) {
  (void)state;
  assert_int_equal(read(HEAD "[figure f]\ncolumns = variant\nbest = x: RD, CLU\n"), OK);
  assert_int_equal(study_set(&study, "study", "", "only", "variant=BSL,CLU", &err), OK);
  assert_int_equal(study_end(&study, &err), OK);
  assert_int_equal(study.figures[0].bests[0].count, 1);
  assert_int_equal(study.figures[0].bests[0].items[0], 1);
  // Its text is that of the restricted study.
  Study again;
  assert_int_equal(study_read(&again, "s", study.text, &err), OK);
  assert_int_equal(study_run_count(&again), 8);
  study_clear(&again);
  study_clear(&study);
}

static void mistakes_in_a_restriction_are_reported(void **state) {
  (void)state;
  assert_rejected(HEAD "only = gpus = f\n", "did you mean 'gpu'");
  assert_rejected(HEAD "only = gpu = g\n", "the study has no gpu 'g'");
  assert_rejected(HEAD "only = gpu =\n", "no values of gpu");
  assert_rejected("[study]\ngpus = k, f\nonly = gpu = f\ngpus = g\n", "it must follow");
}

// ---- experiments

static void experiments_are_variants(void **state) {
  (void)state;
  assert_int_equal(read("[study]\nworkloads = a\ngpus = k\nschemes = gto\n"
                        "experiments = classification\n[classification t]\ntitle = T\n"),
                   OK);
  Dimension variants = (Dimension)study_variants(&study);
  assert_int_equal(study_run_count(&study), 5);
  assert_string_equal(study_item(&study, variants, "base")->observe, "inter_cta");
  assert_null(study_item(&study, variants, "base")->set);
  assert_string_equal(study_item(&study, variants, "ideal")->set, "ideal.l1d=hits");
  assert_string_equal(study.classification.title, "T");
  study_clear(&study);
  assert_rejected(HEAD "[classification t]\ntitle = T\n", "without experiments");
  assert_rejected("[study]\nworkloads = a\ngpus = k\nschemes = gto\nexperiments = x\n",
                  "unknown experiments 'x'");
  assert_rejected(
      "[study]\nworkloads = a\ngpus = k\nschemes = gto\n"
      "experiments = classification\nonly = variant = base\n"
      "[classification t]\ntitle = T\n",
      "needs all experiments");
}

// ---- conditions

static void arguments_depend_on_the_gpu_then_on_the_size(void **state) {
  (void)state;
  assert_int_equal(read(HEAD "[workload a]\narguments = all\narguments.f = fermi\n"
                             "arguments.tiny = small\n"),
                   OK);
  const StudyItem *a = study_item(&study, BY_WORKLOAD, "a");
  assert_string_equal(study_arguments(a, "f", "tiny"), "fermi");
  assert_string_equal(study_arguments(a, "k", "tiny"), "small");
  assert_string_equal(study_arguments(a, "k", "paper"), "all");
  assert_null(study_arguments(study_item(&study, BY_WORKLOAD, "b"), "f", "tiny"));
  study_clear(&study);
  assert_rejected(HEAD "[workload a]\narguments.v100 = x\n", "expected a GPU of the study");
}

// ---- the best of several

// Results in the order of study_results, 0: no run.
static json_t *measure(const char *text, const int *cycles) {
  const char *items[] = {"cycles"};
  FigureNames names = {items, 1, 1};
  json_t *figures, *rows = json_array();
  assert_int_equal(read(text), OK);
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

static void assert_value(const json_t *list, size_t row, size_t column, double expected) {
  const json_t *value = json_array_get(json_array_get(list, row), column);
  assert_true(fabs(json_number_value(value) - expected) < 1e-9);
}

static void assert_chosen(const json_t *figures, size_t row, size_t column, const char *expected) {
  const json_t *row_json = json_array_get(json_object_get(panel_of(figures), "best"), row);
  const char *name = json_string_value(json_array_get(row_json, column));
  assert_int_equal(name == NULL, expected == NULL);
  if (expected) assert_string_equal(name, expected);
}

// a: RD is best, b: CLU; on the GPU k, whose runs come first.
static const int cycles[] = {100, 50, 80, 1, 1, 1, 100, 400, 25, 1, 1, 1};

static void the_best_is_chosen_in_each_row(void **state) {
  (void)state;
  json_t *figures = measure(FIGURE, cycles);
  const json_t *measured = json_object_get(panel_of(figures), "measured");
  assert_value(measured, 0, 3, 2);
  assert_value(measured, 1, 3, 4);
  assert_chosen(figures, 0, 3, "RD");
  assert_chosen(figures, 1, 3, "CLU");
  assert_chosen(figures, 0, 1, NULL);
  const json_t *mean = json_array_get(json_object_get(panel_of(figures), "means"), 0);
  assert_true(fabs(json_number_value(json_array_get(json_object_get(mean, "measured"), 3)) -
                   sqrt(8)) < 1e-9);
  json_decref(figures);
}

static void what_has_no_result_is_not_the_best(void **state) {
  (void)state;
  static const int missing[] = {100, 0, 80, 1, 1, 1, 100, 0, 0, 1, 1, 1};
  json_t *figures = measure(FIGURE, missing);
  assert_chosen(figures, 0, 3, "CLU");
  assert_chosen(figures, 1, 3, NULL);
  json_decref(figures);
}

static void shown_columns_are_in_the_order_of_the_figure(void **state) {
  (void)state;
  json_t *figures = measure(FIGURE "show = clustered, BSL\n[paper f]\na clustered = 1.5\n", cycles);
  const json_t *columns = json_object_get(json_array_get(figures, 0), "columns");
  assert_int_equal(json_array_size(columns), 2);
  assert_string_equal(json_string_value(json_object_get(json_array_get(columns, 0), "name")),
                      "clustered");
  assert_value(json_object_get(panel_of(figures), "measured"), 0, 0, 2);
  assert_value(json_object_get(panel_of(figures), "paper"), 0, 0, 1.5);
  json_decref(figures);
}

static void a_number_of_the_paper_may_be_of_one_gpu(void **state) {
  (void)state;
  json_t *figures = measure(HEAD
                            "[figure f]\nas = speedup\ncolumns = variant\nbaseline = BSL\n"
                            "[paper f]\na CLU f = 3\nmean CLU k = 4\nb CLU = 5\n",
                            cycles);
  assert_int_equal(json_array_size(figures), 2);  // one for each GPU
  static const struct { double a, b, mean; } expected[] = {{0, 5, 4}, {3, 5, 0}};
  for (size_t i = 0; i < 2; i++) {
    const json_t *panel = json_array_get(json_object_get(json_array_get(figures, i), "panels"), 0);
    const json_t *mean = json_array_get(json_object_get(panel, "means"), 0);
    assert_value(json_object_get(panel, "paper"), 0, 2, expected[i].a);
    assert_value(json_object_get(panel, "paper"), 1, 2, expected[i].b);
    double value = json_number_value(json_array_get(json_object_get(mean, "paper"), 2));
    assert_true(fabs(value - expected[i].mean) < 1e-9);
  }
  json_decref(figures);
  assert_rejected(FIGURE "[paper f]\na CLU v100 = 1\n", "not a value of a further dimension");
}

static void mistakes_in_the_best_are_reported(void **state) {
  (void)state;
  assert_rejected(HEAD "[figure f]\ncolumns = variant\nbest = RD, CLU\n", "expected NAME: COLUMN");
  assert_rejected(HEAD "[figure f]\ncolumns = variant\nbest = x: RE\n", "no variant 'RE'");
  assert_rejected(HEAD "[figure f]\ncolumns = variant\nbest = RD: CLU\n", "a column already");
  assert_rejected(HEAD "[figure f]\ncolumns = variant\nshow = y\n", "no variant 'y'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(variants_are_a_dimension),
      cmocka_unit_test(a_study_without_variants_has_no_such_dimension),
      cmocka_unit_test(mistakes_in_variants_are_reported),
      cmocka_unit_test(a_pattern_stands_for_several_names),
      cmocka_unit_test(the_best_of_a_pattern_is_that_of_its_names),
      cmocka_unit_test(only_some_values_are_run_and_shown),
      cmocka_unit_test(a_figure_without_its_baseline_is_left_out),
      cmocka_unit_test(a_study_that_was_read_can_be_restricted),
      cmocka_unit_test(mistakes_in_a_restriction_are_reported),
      cmocka_unit_test(experiments_are_variants),
      cmocka_unit_test(a_number_of_the_paper_may_be_of_one_gpu),
      cmocka_unit_test(arguments_depend_on_the_gpu_then_on_the_size),
      cmocka_unit_test(the_best_is_chosen_in_each_row),
      cmocka_unit_test(what_has_no_result_is_not_the_best),
      cmocka_unit_test(shown_columns_are_in_the_order_of_the_figure),
      cmocka_unit_test(mistakes_in_the_best_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
