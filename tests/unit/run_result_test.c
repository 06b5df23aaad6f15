// SPDX-License-Identifier: MIT
#include "report/run_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/cmocka_all.h"

typedef struct Fixture {
  RunResult result;
  ParamSection sections[1];
} Fixture;

static int setup(void **state) {
  Fixture *f = calloc(1, sizeof *f);
  f->result = (RunResult){.input = "a/b.case",
                          .mode = "functional",
                          .gpu = "tiny",
                          .sm_count = 2,
                          .config = f->sections};
  *state = f;
  return 0;
}

static int teardown(void **state) {
  Fixture *f = *state;
  run_result_clear(&f->result);
  free(f);
  return 0;
}

static void add_launches(RunResult *result, uint32_t count) {
  KernelResult kernel = {.name = "k",
                         .grid = {2, 3, 1},
                         .block = {64, 1, 1},
                         .registers = 9,
                         .counts = {100, 3200, 6, 1},
                         .seconds = {0.5, 0.25}};
  for (uint32_t i = 0; i < count; i++) run_result_add_kernel(result, &kernel);
}

static char *printed(const RunResult *result) {
  char *text;
  size_t length;
  FILE *file = open_memstream(&text, &length);
  run_result_print(result, file);
  fclose(file);
  return text;
}

static void totals_are_the_sum_of_all_launches(void **state) {
  RunResult *result = &((Fixture *)*state)->result;
  add_launches(result, RUN_RESULT_LIST_LIMIT + 5);
  assert_int_equal(result->kernel_count, RUN_RESULT_LIST_LIMIT);
  assert_int_equal(result->total.launches, RUN_RESULT_LIST_LIMIT + 5);
  assert_int_equal(result->total.warp_instructions, 100 * (RUN_RESULT_LIST_LIMIT + 5));
}

static void the_table_has_sizes_counts_and_speed(void **state) {
  RunResult *result = &((Fixture *)*state)->result;
  add_launches(result, 2);
  run_result_add_sum(result, "C", true, 12345678);
  char *text = printed(result);
  assert_non_null(strstr(text, "b.case on tiny (2 SMs), functional\n"));
  assert_non_null(strstr(text, "2x3"));
  assert_non_null(strstr(text, "all 2 launches"));
  assert_non_null(strstr(text, "6,400"));
  assert_non_null(strstr(text, "sum C = 12345678\n"));
  free(text);
}

static void a_failed_run_says_that_it_is_incomplete(void **state) {
  RunResult *result = &((Fixture *)*state)->result;
  result->status = ERR_INTERRUPTED;
  result->error = "stopped \xff";  // not UTF-8
  char *text = printed(result);
  assert_non_null(strstr(text, "INCOMPLETE"));
  free(text);
  json_t *json = run_result_json(result);
  assert_true(json_is_false(json_object_get(json, "complete")));
  assert_true(json_is_string(json_object_get(json, "error")));
  json_decref(json);
}

static void json_holds_sums_of_every_kind(void **state) {
  RunResult *result = &((Fixture *)*state)->result;
  run_result_add_sum(result, "A", true, 1);
  run_result_add_sum(result, "A", true, -4224101790.0);  // the last one stays
  run_result_add_sum(result, "B", false, 0.5);
  run_result_add_sum(result, "N", false, NAN);
  run_result_add_sum(result, "I", false, -INFINITY);
  json_t *json = run_result_json(result);
  char *text = json_dumps(json_object_get(json, "sums"), JSON_COMPACT);
  assert_string_equal(text, "{\"A\":-4224101790,\"B\":0.5,\"N\":\"nan\",\"I\":\"-inf\"}");
  free(text);
  json_decref(json);
}

static void json_gives_each_launch_its_counters(void **state) {
  RunResult *result = &((Fixture *)*state)->result;
  add_launches(result, 1);
  json_t *json = run_result_json(result);
  const json_t *kernel = json_array_get(json_object_get(json, "kernels"), 0);
  assert_int_equal(json_integer_value(json_object_get(kernel, "thread_instructions")), 3200);
  assert_true(json_real_value(json_object_get(kernel, "lanes_per_instruction")) == 32.0);
  assert_int_equal(json_integer_value(json_array_get(json_object_get(kernel, "grid"), 1)), 3);
  json_decref(json);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
      T(totals_are_the_sum_of_all_launches), T(the_table_has_sizes_counts_and_speed),
      T(a_failed_run_says_that_it_is_incomplete), T(json_holds_sums_of_every_kind),
      T(json_gives_each_launch_its_counters)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
