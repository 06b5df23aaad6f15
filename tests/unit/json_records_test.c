// SPDX-License-Identifier: MIT
#include "base/json_records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/cmocka_all.h"

static void put(JsonRecords *records, uint64_t number) {
  json_t *object =
      json_pack("{s:I, s:s}", "number", (json_int_t)number, "text", "a \"b\"\n\xc3\xa4");
  json_records_put(records, number, object);
  json_decref(object);
}

static void expect(JsonRecords *records, uint64_t number) {
  Error err = {0};
  json_t *object;
  assert_int_equal(json_records_get(records, number, &object, &err), OK);
  assert_non_null(object);
  assert_int_equal(json_integer_value(json_object_get(object, "number")), number);
  assert_string_equal(json_string_value(json_object_get(object, "text")), "a \"b\"\n\xc3\xa4");
  json_decref(object);
}

static void objects_come_back_by_number_in_whatever_order_they_came(void **state) {
  (void)state;
  static const uint64_t order[] = {3, 0, 1000, 1};
  JsonRecords *records;
  json_t *object;
  Error err;
  assert_int_equal(json_records_create(&records, NULL, &err), OK);
  assert_int_equal(json_records_end(records), 0);
  for (int i = 0; i < 4; i++) put(records, order[i]);
  assert_int_equal(json_records_end(records), 1001);
  for (int i = 0; i < 4; i++) expect(records, order[i]);
  for (uint64_t missing = 4; missing < 5000; missing += 995) {
    assert_int_equal(json_records_get(records, missing, &object, &err), OK);
    assert_null(object);
  }
  put(records, 2);  // reading does not disturb writing
  expect(records, 2);
  assert_int_equal(json_records_check(records, &err), OK);
  json_records_close(records);
}

static void in_folder(char folder[64], char path[80]) {
  strcpy(folder, "/tmp/heddle-records-XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(path, 80, "%s/it", folder);
}

static void remove_folder(const char *folder, const char *path) {
  char index[96];
  snprintf(index, sizeof index, "%s.index", path);
  unlink(path);
  unlink(index);
  assert_int_equal(rmdir(folder), 0);
}

static void what_a_killed_process_has_written_is_there(void **state) {
  (void)state;
  char folder[64], path[80];
  JsonRecords *records;
  Error err;
  int status;
  in_folder(folder, path);
  pid_t pid = fork();
  if (pid == 0) {
    if (json_records_create(&records, path, &err) != OK) _exit(1);
    for (uint64_t i = 0; i < 50; i++) put(records, i);
    kill(getpid(), SIGKILL);
  }
  waitpid(pid, &status, 0);
  assert_true(WIFSIGNALED(status));
  assert_int_equal(json_records_open(&records, path, &err), OK);
  assert_int_equal(json_records_end(records), 50);
  for (uint64_t i = 0; i < 50; i++) expect(records, i);
  json_records_close(records);
  remove_folder(folder, path);
}

static void files_that_were_damaged_are_an_error(void **state) {
  (void)state;
  char folder[64], path[80];
  JsonRecords *records;
  json_t *object;
  Error err;
  in_folder(folder, path);
  assert_int_equal(json_records_open(&records, path, &err), ERR_IO);
  assert_int_equal(json_records_create(&records, path, &err), OK);
  put(records, 0);
  json_records_close(records);
  assert_int_equal(json_records_create(&records, path, &err), ERR_IO);  // nothing is overwritten
  assert_int_equal(truncate(path, 10), 0);
  assert_int_equal(json_records_open(&records, path, &err), OK);
  assert_int_equal(json_records_get(records, 0, &object, &err), ERR_IO);
  json_records_close(records);
  FILE *file = fopen(path, "w");
  for (int i = 0; i < 200; i++) fputc('{', file);
  fclose(file);
  assert_int_equal(json_records_open(&records, path, &err), OK);
  assert_int_equal(json_records_get(records, 0, &object, &err), ERR_SYNTAX);
  json_records_close(records);
  remove_folder(folder, path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(objects_come_back_by_number_in_whatever_order_they_came),
      cmocka_unit_test(what_a_killed_process_has_written_is_there),
      cmocka_unit_test(files_that_were_damaged_are_an_error)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
