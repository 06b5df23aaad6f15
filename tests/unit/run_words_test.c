// SPDX-License-Identifier: MIT
// How runs ended, in a word: stopped is not failed.
#include "study/run_words.h"

#include <stddef.h>

#include "unit/cmocka_all.h"

static void stopped_is_not_failed(void **state) {
  (void)state;
  static const char *const stops[] = {"a.case:8: stopped after 100 cycles",
                                      "stopped at cycle 11101228",
                                      "stopped by a signal",
                                      "not finished after 5 s",
                                      "./a was killed by signal 15 (Terminated)",
                                      "killed by signal 2 (Interrupt)"};
  for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
    assert_string_equal(run_word("incomplete", stops[i]), "stopped");
  assert_string_equal(run_word("stopped", NULL), "stopped");
}

static void everything_else_keeps_its_word(void **state) {
  (void)state;
  assert_string_equal(run_word(NULL, NULL), "no result");
  assert_string_equal(run_word("running", NULL), "running");
  assert_string_equal(run_word("lost", "its process was killed"), "lost");
  assert_string_equal(run_word("failed", "no kernels were launched"), "FAILED");
  assert_string_equal(run_word("incomplete", "exit code 3"), "FAILED");
  assert_string_equal(run_word("incomplete", "killed by signal 11 (Segmentation fault)"), "FAILED");
  assert_string_equal(run_word("incomplete", NULL), "FAILED");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stopped_is_not_failed),
      cmocka_unit_test(everything_else_keeps_its_word),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
