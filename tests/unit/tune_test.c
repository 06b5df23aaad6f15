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
  assert_int_equal(list.count, 4);
  assert_string_equal(list.items[0].order, "auto");
  assert_string_equal(list.items[0].claim, "counter");
  assert_string_equal(list.items[1].claim, "stride");
  assert_string_equal(list.items[3].order, "column");
  Variant best = list.items[3];
  const Variant *bases[] = {&best, &best};
  plan_second_round(&list, bases, 1, &evidence, &verdict, &arena);
  assert_int_equal(list.count, 5);
  assert_string_equal(list.items[0].name, "agents by columns, counter, 3 active");
  assert_int_equal(list.items[0].active, 3);
  assert_string_equal(list.items[0].claim, "counter");
  assert_int_equal(list.items[1].active, 3);
  assert_string_equal(list.items[1].claim, "stride");
  assert_int_equal(list.items[3].active, 1);
  assert_string_equal(list.items[3].order, "column");
  assert_true(list.items[4].has_bypass);
  assert_string_equal(list.items[4].claim, "stride");
  Variant other = list.items[4];
  other.claim = "counter";
  other.has_bypass = false;
  bases[1] = &other;  // the same numbers of agents: tried once
  plan_second_round(&list, bases, 2, &evidence, &verdict, &arena);
  assert_int_equal(list.count, 6);
  verdict.is_exploitable = false;
  plan_second_round(&list, bases, 1, &evidence, &verdict, &arena);
  assert_true(list.items[4].has_prefetch);
  assert_false(list.items[4].has_bypass);
  arena_clear(&arena);
}

static void each_kernel_keeps_its_best_variant(void **state) {
  (void)state;
  Arena arena = {0};
  KernelEvidence before[] = {kernel("a", 1000, 0), kernel("n::b<1>", 1000, 0), kernel("c", 1000, 0),
                             kernel("n::b<2>", 500, 0), kernel("ab", 10, 0)};
  KernelEvidence one[] = {kernel("n::b<1>", 1500, 0), kernel("a", 700, 0), kernel("c", 995, 0),
                          kernel("n::b<2>", 10, 0), kernel("ab", 10, 0)};
  KernelEvidence other[] = {kernel("n::b<1>", 900, 0), kernel("a", 800, 0), kernel("c", 2000, 0),
                            kernel("n::b<2>", 500, 0), kernel("ab", 10, 0)};
  Evidence original = {before, 5}, first = {one, 5}, second = {other, 5};
  KernelChoices choices;
  before[0].ctas = 2;
  before[3].ctas_per_sm = 4;
  plan_kernels(&choices, &original, &arena);
  assert_int_equal(choices.count, 4);
  assert_int_equal(plan_cycles(&choices), 3510);
  assert_false(plan_is_rewritten(&choices.items[0], 2));
  assert_true(plan_is_rewritten(&choices.items[0], 1));
  plan_offer(&choices, &original, &first, 0);
  plan_offer(&choices, &original, &second, 1);
  assert_int_equal(choices.items[0].variant, 0);
  assert_int_equal(choices.items[1].variant, 1);  // 1400 for 1500; the other has 1510
  assert_true(choices.items[2].variant == KEPT);  // half a percent
  assert_int_equal(plan_cycles(&choices), 700 + 1400 + 1000 + 10);
  Variant variant = {.order = "row", .claim = "stride", .active = 2, .has_bypass = true};
  assert_string_equal(plan_kernel_text(&choices.items[1], &variant, &arena),
                      "b:order=row,claim=stride,active=2,bypass=auto,ctas=4");
  arena_clear(&arena);
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
      cmocka_unit_test(each_kernel_keeps_its_best_variant),
      cmocka_unit_test(lines_that_change_by_themselves_are_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
