// SPDX-License-Identifier: MIT
// The result of a run: totals, order of launches, files.
#include "report/run_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
  for (uint32_t i = 0; i < count; i++) {
    kernel.id = result->total.launches;
    run_result_add_kernel(result, &kernel);
  }
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
  add_launches(result, 100000);
  assert_int_equal(result->kernel_count, RUN_RESULT_KEPT);
  assert_int_equal(result->total.launches, 100000);
  assert_int_equal(result->total.warp_instructions, 10000000);
  assert_true(result->kernel_seconds.wall == 50000.0);
  char *text = printed(result);
  assert_non_null(strstr(text, "all 100000 launches"));
  assert_non_null(strstr(text, "50000.000 s"));
  free(text);
}

// Kernels that launch others end behind them.
static void launches_are_listed_by_id_whenever_they_end(void **state) {
  RunResult *result = &((Fixture *)*state)->result;
  KernelResult kernel = {.name = "k", .counts = {1, 32, 1, 1}};
  static const uint64_t ids[] = {2, 1, 3, 0};
  for (int i = 0; i < 4; i++) {
    kernel.id = ids[i];
    run_result_add_kernel(result, &kernel);
  }
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(result->kernels[i].id, i);
}

static json_t *written(const RunResult *result, const char *path) {
  Error err = {0};
  json_t *json = run_result_json(result);
  assert_int_equal(run_json_write(json, result->records, path, &err), OK);
  json_decref(json);
  json = json_load_file(path, 0, NULL);
  assert_non_null(json);
  return json;
}

// More than stay in memory, out of order, with one that never ended.
static void the_file_has_every_launch_in_order(void **state) {
  RunResult *result = &((Fixture *)*state)->result;
  Error err;
  char path[] = "/tmp/heddle-run-result-XXXXXX";
  close(mkstemp(path));
  KernelResult kernel = {.name = "k", .counts = {1, 32, 1, 1}};
  assert_int_equal(json_records_create(&result->records, NULL, &err), OK);
  for (uint32_t i = 0; i < 200; i++) {
    kernel.id = i ^ 1;
    kernel.registers = i ^ 1;
    if (kernel.id != 150) run_result_add_kernel(result, &kernel);
  }
  json_t *json = written(result, path);
  const json_t *kernels = json_object_get(json, "kernels");
  assert_int_equal(json_array_size(kernels), 199);
  for (uint32_t i = 0; i < 199; i++) {
    uint32_t id = i < 150 ? i : i + 1;
    const json_t *each = json_array_get(kernels, i);
    assert_int_equal(json_integer_value(json_object_get(each, "id")), id);
    assert_int_equal(json_integer_value(json_object_get(each, "registers")), id);
  }
  json_decref(json);
  json_records_close(result->records);
  unlink(path);
}

// Streaming changes nothing of the text.
static void the_file_is_as_if_written_in_one_piece(void **state) {
  RunResult *result = &((Fixture *)*state)->result;
  Error err;
  char path[] = "/tmp/heddle-run-result-XXXXXX", streamed[1 << 14];
  close(mkstemp(path));
  assert_int_equal(json_records_create(&result->records, NULL, &err), OK);
  add_launches(result, 3);
  JsonRecords *records = result->records;
  result->records = NULL;
  json_t *json = run_result_json(result);
  char *whole = json_dumps(json, JSON_INDENT(2) | JSON_ENSURE_ASCII);
  assert_int_equal(run_json_write(json, records, path, &err), OK);
  FILE *file = fopen(path, "r");
  size_t length = fread(streamed, 1, sizeof streamed, file);
  fclose(file);
  assert_int_equal(length, strlen(whole) + 1);
  assert_memory_equal(streamed, whole, length - 1);
  free(whole);
  json_decref(json);
  json_records_close(records);
  unlink(path);
}

static void a_file_that_cannot_be_written_is_an_error_and_leaves_nothing(void **state) {
  RunResult *result = &((Fixture *)*state)->result;
  Error err = {0};
  json_t *json = run_result_json(result);
  assert_int_equal(run_json_write(json, NULL, "/dev/full", &err), ERR_IO);
  assert_non_null(strstr(err.text, "/dev/full"));
  assert_int_equal(run_json_write(json, NULL, "/nowhere/out.json", &err), ERR_IO);
  json_decref(json);
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

// A plain name is its own title: of the copy, since the kernel's program may be gone.
static void names_and_titles_are_copies(void **state) {
  RunResult *result = &((Fixture *)*state)->result;
  char name[] = "plain";
  KernelResult kernel = {.name = name, .counts = {.launches = 1}};
  run_result_add_kernel(result, &kernel);
  memset(name, 'x', sizeof name - 1);
  assert_string_equal(result->kernels[0].name, "plain");
  assert_string_equal(result->kernels[0].title, "plain");
}

static void equal_warnings_are_one_with_a_count(void **state) {
  RunResult *result = &((Fixture *)*state)->result;
  RunWarning reads = {.kind = "stray_reads", .text = "reads", .detail = "at\nline 3", .count = 5};
  RunWarning writes = {.kind = "stray_writes", .text = "writes", .count = 1};
  assert_true(run_result_warn(result, &reads));
  assert_true(run_result_warn(result, &writes));
  reads.count = 7;
  assert_false(run_result_warn(result, &reads));
  char *text = printed(result);
  assert_non_null(strstr(text, "  warning: 12 reads\n    at\n    line 3\n  warning: 1 writes\n"));
  free(text);
  json_t *json = run_result_json(result), *list = json_object_get(json, "warnings");
  assert_int_equal(json_array_size(list), 2);
  json_t *first = json_array_get(list, 0);
  assert_string_equal(json_string_value(json_object_get(first, "kind")), "stray_reads");
  assert_string_equal(json_string_value(json_object_get(first, "first")), "at\nline 3");
  assert_int_equal(json_integer_value(json_object_get(first, "count")), 12);
  assert_null(json_object_get(json_array_get(list, 1), "first"));
  json_decref(json);
}

static void warnings_stay_bounded(void **state) {
  RunResult *result = &((Fixture *)*state)->result;
  for (int i = 0; i < RUN_RESULT_WARNINGS + 100; i++) {
    char text[16];
    snprintf(text, sizeof text, "%d", i);
    RunWarning warning = {.kind = "failed_launches", .text = text, .count = 1};
    assert_int_equal(run_result_warn(result, &warning), i < RUN_RESULT_WARNINGS);
  }
  assert_int_equal(result->warning_count, RUN_RESULT_WARNINGS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
      T(totals_are_the_sum_of_all_launches),
      T(the_table_has_sizes_counts_and_speed),
      T(a_failed_run_says_that_it_is_incomplete),
      T(json_holds_sums_of_every_kind),
      T(json_gives_each_launch_its_counters),
      T(names_and_titles_are_copies),
      T(equal_warnings_are_one_with_a_count),
      T(warnings_stay_bounded),
      T(launches_are_listed_by_id_whenever_they_end),
      T(the_file_has_every_launch_in_order),
      T(the_file_is_as_if_written_in_one_piece),
      T(a_file_that_cannot_be_written_is_an_error_and_leaves_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
