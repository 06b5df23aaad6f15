// SPDX-License-Identifier: MIT
// Atomic replacement of files: failures, links, devices.
#include "base/files/replaced_file.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/cmocka_all.h"

typedef struct Fixture {
  char folder[64], path[80], link[80];
} Fixture;

static int setup(void **state) {
  Fixture *f = calloc(1, sizeof *f);
  strcpy(f->folder, "/tmp/heddle-replaced-XXXXXX");
  if (!mkdtemp(f->folder)) return 1;
  snprintf(f->path, sizeof f->path, "%s/it", f->folder);
  snprintf(f->link, sizeof f->link, "%s/link", f->folder);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  Fixture *f = *state;
  unlink(f->path);
  unlink(f->link);
  int failed = rmdir(f->folder);  // nothing else is there
  free(f);
  return failed;
}

static void put(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  fputs(text, file);
  fclose(file);
}

static void holds(const char *path, const char *text) {
  char read[64] = "";
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  size_t length = fread(read, 1, sizeof read - 1, file);
  fclose(file);
  assert_int_equal(length, strlen(text));
  assert_string_equal(read, text);
}

static Status write_to(const char *path, const char *text, Status status, Error *err) {
  ReplacedFile it;
  TRY(replaced_file_begin(&it, path, err));
  fputs(text, it.file);
  return replaced_file_end(&it, status, err);
}

static void the_old_file_stays_until_the_new_one_is_whole(void **state) {
  Fixture *f = *state;
  ReplacedFile it;
  Error err;
  put(f->path, "old");
  assert_int_equal(replaced_file_begin(&it, f->path, &err), OK);
  fputs("new", it.file);
  fflush(it.file);
  holds(f->path, "old");
  assert_int_equal(replaced_file_end(&it, OK, &err), OK);
  holds(f->path, "new");
}

static void a_failure_leaves_the_old_file_and_nothing_beside_it(void **state) {
  Fixture *f = *state;
  Error err;
  put(f->path, "old");
  assert_int_equal(write_to(f->path, "new", ERR_IO, &err), ERR_IO);
  holds(f->path, "old");
}

static void links_are_followed(void **state) {
  Fixture *f = *state;
  struct stat about;
  Error err;
  put(f->path, "old");
  assert_int_equal(symlink(f->path, f->link), 0);
  assert_int_equal(write_to(f->link, "new", OK, &err), OK);
  holds(f->path, "new");
  assert_int_equal(lstat(f->link, &about), 0);
  assert_true(S_ISLNK(about.st_mode));
}

static void devices_are_written_directly(void **state) {
  (void)state;
  Error err;
  assert_int_equal(write_to("/dev/null", "text", OK, &err), OK);
  assert_int_equal(write_to("/dev/full", "text", OK, &err), ERR_IO);
  assert_non_null(strstr(err.text, "cannot write /dev/full: No space left"));
  assert_int_equal(write_to("/nowhere/it", "text", OK, &err), ERR_IO);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
      T(the_old_file_stays_until_the_new_one_is_whole),
      T(a_failure_leaves_the_old_file_and_nothing_beside_it), T(links_are_followed),
      T(devices_are_written_directly)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
