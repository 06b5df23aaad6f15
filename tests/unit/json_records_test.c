// SPDX-License-Identifier: MIT
// Records in files: any order, damaged files, killed processes, descriptors.
#include "base/text/json_records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

// Numbers of descriptors that are given out next, as a program gets them that closes all.
static void replace_descriptors(int from, int with) {
  for (int fd = from; fd < from + 2; fd++) dup2(with, fd);
}

static void a_closed_descriptor_is_opened_again_and_never_another_files(void **state) {
  (void)state;
  char folder[64], path[80];
  JsonRecords *records;
  Error err;
  struct stat about;
  in_folder(folder, path);
  FILE *other = tmpfile();
  int next = dup(fileno(other));
  close(next);  // the records get it and the one after it
  assert_int_equal(json_records_create(&records, path, &err), OK);
  put(records, 0);
  replace_descriptors(next, fileno(other));
  put(records, 1);
  expect(records, 0);
  expect(records, 1);
  assert_int_equal(json_records_check(records, &err), OK);
  json_records_close(records);
  assert_int_equal(fstat(fileno(other), &about), 0);
  assert_int_equal(about.st_size, 0);
  assert_int_equal(fstat(next, &about), 0);  // not closed either
  replace_descriptors(next, STDERR_FILENO), close(next), close(next + 1);
  fclose(other);
  remove_folder(folder, path);
}

static void a_closed_file_without_a_name_is_reported_as_lost(void **state) {
  (void)state;
  JsonRecords *records;
  Error err;
  int next = dup(STDERR_FILENO);
  close(next);
  assert_int_equal(json_records_create(&records, NULL, &err), OK);
  put(records, 0);
  close(next);
  put(records, 1);
  assert_int_equal(json_records_check(records, &err), ERR_IO);
  assert_non_null(strstr(err.text, "closed by the program"));
  json_records_close(records);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(objects_come_back_by_number_in_whatever_order_they_came),
      cmocka_unit_test(what_a_killed_process_has_written_is_there),
      cmocka_unit_test(files_that_were_damaged_are_an_error),
      cmocka_unit_test(a_closed_descriptor_is_opened_again_and_never_another_files),
      cmocka_unit_test(a_closed_file_without_a_name_is_reported_as_lost)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
