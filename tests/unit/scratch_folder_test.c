// SPDX-License-Identifier: MIT
// Scratch folders are removed with their process, even by SIGKILL.
#include "base/files/scratch_folder.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/cmocka_all.h"

static bool exists(const char *path) {
  struct stat about;
  return lstat(path, &about) == 0;
}

// A folder with a file and a folder in it.
static void make(ScratchFolder *folder) {
  char path[160];
  Error err;
  if (scratch_folder_make(folder, "heddle-test", false, &err) != OK) _exit(9);
  snprintf(path, sizeof path, "%s/deeper", folder->path);
  mkdir(path, 0700);
  snprintf(path, sizeof path, "%s/deeper/file", folder->path);
  fclose(fopen(path, "w"));
}

static void it_is_removed_with_all_that_is_in_it(void **state) {
  (void)state;
  ScratchFolder folder;
  struct stat about;
  make(&folder);
  assert_int_equal(stat(folder.path, &about), 0);
  assert_int_equal(about.st_mode & 0777, 0700);
  scratch_folder_remove(&folder);
  assert_false(exists(folder.path));
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);  // no process is left
}

static void it_goes_when_its_process_is_killed(void **state) {
  (void)state;
  ScratchFolder folder;
  int ends[2], status;
  assert_int_equal(pipe(ends), 0);
  pid_t pid = fork();
  if (pid == 0) {
    make(&folder);
    if (write(ends[1], folder.path, sizeof folder.path) > 0) raise(SIGKILL);
    _exit(9);
  }
  close(ends[1]);
  assert_int_equal(read(ends[0], folder.path, sizeof folder.path), sizeof folder.path);
  close(ends[0]);
  waitpid(pid, &status, 0);
  assert_true(WIFSIGNALED(status));
  for (int i = 0; i < 2000 && exists(folder.path); i++) usleep(5000);
  assert_false(exists(folder.path));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_removed_with_all_that_is_in_it),
                                     cmocka_unit_test(it_goes_when_its_process_is_killed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
