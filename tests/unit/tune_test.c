// SPDX-License-Identifier: MIT
// What is tried and what is kept, and whether two programs print the same.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tune/outputs.h"
#include "tune/plan.h"
#include "unit/cmocka_all.h"

static KernelEvidence kernel(const char *name, uint64_t cycles, uint64_t ideal) {
  return (KernelEvidence){
      .name = name,
      .ctas = 64,
      .ctas_per_sm = 6,
      .time_share = 0.5,
      .measured = {[EXPERIMENT_BASE] = {.cycles = cycles}, [EXPERIMENT_IDEAL] = {.cycles = ideal}}};
}

static void nothing_is_tried_where_an_ideal_l1_brings_nothing(void **state) {
  (void)state;
  Arena arena = {0};
  Verdict verdict = {0};
  KernelEvidence one = kernel("a", 1000, 985);
  Evidence evidence = {&one, 1};
  assert_string_equal(plan_refusal(&evidence, &verdict, &arena),
                      "an L1 that always hits would gain only 1.5 %");
  one.measured[EXPERIMENT_IDEAL].cycles = 975;
  assert_null(plan_refusal(&evidence, &verdict, &arena));
  one.ctas = 1;
  assert_string_equal(plan_refusal(&evidence, &verdict, &arena), "every grid has one CTA");
  evidence.count = 0;
  assert_string_equal(plan_refusal(&evidence, &verdict, &arena), "no kernels were launched");
  arena_clear(&arena);
}

static void what_is_tried_follows_from_the_verdict(void **state) {
  (void)state;
  Arena arena = {0};
  KernelEvidence one = kernel("a", 1000, 500);
  Evidence evidence = {&one, 1};
  Verdict verdict = {.category = CATEGORY_ALGORITHM, .is_exploitable = true, .order = BEST_COLUMN};
  VariantList list;
  plan_first_round(&list, &evidence, &verdict, &arena);
  assert_int_equal(list.count, 2);
  assert_string_equal(list.items[1].order, "column");
  Variant best = list.items[1];
  plan_second_round(&list, &best, &evidence, &verdict, &arena);
  assert_int_equal(list.count, 3);
  assert_int_equal(list.items[0].active, 3);
  assert_int_equal(list.items[1].active, 1);
  assert_true(list.items[2].has_bypass);
  verdict.is_exploitable = false;
  plan_second_round(&list, &best, &evidence, &verdict, &arena);
  assert_true(list.items[2].has_prefetch);
  assert_false(list.items[2].has_bypass);
  arena_clear(&arena);
}

static void kernels_that_lose_stay_as_they_are(void **state) {
  (void)state;
  KernelEvidence before[] = {kernel("a", 1000, 0), kernel("b", 1000, 0), kernel("c", 1000, 0)};
  KernelEvidence after[] = {kernel("b", 1500, 0), kernel("a", 700, 0), kernel("c", 995, 0)};
  Evidence original = {before, 3}, variant = {after, 3};
  bool gains[3];
  assert_int_equal(plan_choose_kernels(&original, &variant, gains), 700 + 1000 + 1000);
  assert_true(gains[0]);
  assert_false(gains[1]);
  assert_false(gains[2]);  // half a percent
}

static const char *write_text(const char *name, const char *text) {
  static char paths[8][64];
  static int next;
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "/tmp/heddle-outputs-%ld-%s", (long)getpid(), name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  return path;
}

static Sameness compare(const Outputs *outputs, const char *text) {
  Error err;
  Sameness sameness;
  const char *path = write_text("variant", text);
  assert_int_equal(outputs_compare(outputs, path, &sameness, &err), OK);
  unlink(path);
  return sameness;
}

static void lines_that_change_by_themselves_are_left_out(void **state) {
  (void)state;
  Error err;
  Outputs outputs;
  const char *paths[] = {write_text("1", "sum 5\ntook 1.2 ms\nPASSED"),
                         write_text("2", "sum 5\ntook 1.3 ms\nPASSED")};
  assert_int_equal(outputs_read(&outputs, paths, 2, &err), OK);
  assert_int_equal(compare(&outputs, "sum 5\ntook 0.9 ms\nPASSED"), OUTPUT_SAME);
  assert_int_equal(compare(&outputs, "sum 6\ntook 1.2 ms\nPASSED"), OUTPUT_DIFFERENT);
  assert_int_equal(compare(&outputs, "sum 5\ntook 1.2 ms"), OUTPUT_DIFFERENT);
  assert_int_equal(compare(&outputs, "sum 5\ntook 1.2 ms\nPASSED more"), OUTPUT_DIFFERENT);
  outputs_clear(&outputs);
  paths[1] = write_text("2", "sum 5\n");
  assert_int_equal(outputs_read(&outputs, paths, 2, &err), OK);
  assert_int_equal(compare(&outputs, "anything"), OUTPUT_UNKNOWN);
  outputs_clear(&outputs);
  unlink(paths[0]);
  unlink(paths[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_tried_where_an_ideal_l1_brings_nothing),
      cmocka_unit_test(what_is_tried_follows_from_the_verdict),
      cmocka_unit_test(kernels_that_lose_stay_as_they_are),
      cmocka_unit_test(lines_that_change_by_themselves_are_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
