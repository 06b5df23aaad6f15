// SPDX-License-Identifier: MIT
// Reading files and checking paths: limits, byte-order marks, pipes.
#include "base/files/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "unit/cmocka_all.h"

static void a_file_is_read_whole_up_to_its_limit(void **state) {
  (void)state;
  char path[] = "/tmp/heddle_file_XXXXXX";
  int file = mkstemp(path);
  size_t size = 200000, length;
  char *bytes = calloc(1, size), *text;
  memset(bytes, 'w', size);
  assert_int_equal(write(file, bytes, size), size);
  close(file);
  Error err;
  assert_int_equal(file_read(path, size, &text, &length, &err), OK);
  assert_int_equal(length, size);
  assert_memory_equal(text, bytes, size);
  assert_int_equal(text[size], 0);
  memory_free(text);
  assert_int_equal(file_read(path, size - 1, &text, &length, &err), ERR_IO);
  assert_null(text);
  size_t got;
  assert_int_equal(file_read_prefix(path, bytes, 10, &got, &err), OK);
  assert_int_equal(got, 10);
  remove(path);
  free(bytes);
}

static void what_could_block_or_never_end_is_refused(void **state) {
  (void)state;
  char *text, path[] = "/tmp/heddle_fifo_XXXXXX";
  size_t length;
  assert_int_equal(file_read("/dev/zero", 100, &text, &length, NULL), ERR_IO);
  assert_int_equal(file_read("/tmp", 100, &text, &length, NULL), ERR_IO);
  close(mkstemp(path));
  remove(path);
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_int_equal(file_read(path, 100, &text, &length, NULL), ERR_IO);
  remove(path);
}

static void a_byte_order_mark_is_dropped_and_utf16_refused(void **state) {
  (void)state;
  static const struct {
    const char *bytes, *text;  // NULL: refused
    size_t size;
  } files[] = {{"\xef\xbb\xbf[sm]", "[sm]", 7}, {"\xef\xbb\xbf", "", 3},
               {"\xef\xbb", "\xef\xbb", 2},     {"x\xef\xbb\xbf", "x\xef\xbb\xbf", 4},
               {"\xff\xfe[\0", NULL, 4},         {"\xfe\xff\0[", NULL, 4}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char *text, path[] = "/tmp/heddle_file_XXXXXX";
    size_t length;
    Error err;
    int file = mkstemp(path);
    assert_int_equal(write(file, files[i].bytes, files[i].size), files[i].size);
    close(file);
    Status status = file_read(path, 100, &text, &length, &err);
    assert_int_equal(status, files[i].text ? OK : ERR_SYNTAX);
    if (status == OK) {
      assert_string_equal(text, files[i].text);
      assert_int_equal(length, strlen(files[i].text));
      memory_free(text);
    } else {
      assert_non_null(strstr(err.text, "save it as UTF-8"));
    }
    remove(path);
  }
}

static void only_mapped_bytes_are_readable(void **state) {
  (void)state;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *pages = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_int_equal(mprotect(pages + 2 * page, page, PROT_NONE), 0);
  assert_true(memory_is_readable(pages + 5, 2 * page - 5));
  assert_false(memory_is_readable(pages + 5, 2 * page - 4));
  assert_true(memory_is_readable(NULL, 0));
  assert_false(memory_is_readable(NULL, 1));
  assert_false(memory_is_readable(pages, SIZE_MAX));
  munmap(pages, 3 * page);
}

static void paths_are_taken_from_the_folder_of_a_file(void **state) {
  (void)state;
  Arena arena = {0};
  assert_string_equal(path_beside(&arena, "a/b/c.case", "../d.ptx"), "a/b/../d.ptx");
  assert_string_equal(path_beside(&arena, "c.case", "d.ptx"), "d.ptx");
  assert_string_equal(path_beside(&arena, "/c.case", "d.ptx"), "/d.ptx");
  assert_string_equal(path_beside(&arena, "a/c.case", "/d.ptx"), "/d.ptx");
  arena_clear(&arena);
}

static void whether_a_file_can_be_written_is_known_before(void **state) {
  (void)state;
  Error err;
  assert_int_equal(file_check_writable("-", &err), OK);
  assert_int_equal(file_check_writable("/tmp/heddle_not_there_yet", &err), OK);
  assert_int_equal(access("/tmp/heddle_not_there_yet", F_OK), -1);
  assert_int_equal(file_check_writable("/tmp/heddle_none/out", &err), ERR_IO);
  assert_string_equal(err.text, "cannot write /tmp/heddle_none/out: No such file or directory");
  assert_int_equal(file_check_writable("/tmp", &err), ERR_IO);
  assert_string_equal(err.text, "cannot write /tmp: is a directory");
}

static void words_with_a_slash_or_the_ending_are_paths(void **state) {
  (void)state;
  assert_true(word_is_path("tiny.cfg", ".cfg"));
  assert_true(word_is_path("./tiny", ".cfg"));
  assert_false(word_is_path("tiny", ".cfg"));
  assert_false(word_is_path(".cfg", ".cfg"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_is_read_whole_up_to_its_limit),
      cmocka_unit_test(what_could_block_or_never_end_is_refused),
      cmocka_unit_test(a_byte_order_mark_is_dropped_and_utf16_refused),
      cmocka_unit_test(only_mapped_bytes_are_readable),
      cmocka_unit_test(paths_are_taken_from_the_folder_of_a_file),
      cmocka_unit_test(whether_a_file_can_be_written_is_known_before),
      cmocka_unit_test(words_with_a_slash_or_the_ending_are_paths),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
