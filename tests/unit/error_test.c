// SPDX-License-Identifier: MIT
// Errors: prefixes, truncation, exit codes, source lines with a caret.
#include "base/error.h"

#include <string.h>

#include "base/text/source_error.h"
#include "unit/cmocka_all.h"

static void an_error_carries_its_text_and_grows_a_prefix(void **state) {
  (void)state;
  Error err = {0};
  assert_int_equal(error_set(&err, ERR_IO, "cannot open %s", "x"), ERR_IO);
  assert_int_equal(error_prefix(&err, "%s:%d", "a.cfg", 3), ERR_IO);
  assert_string_equal(err.text, "a.cfg:3: cannot open x");
}

static void a_long_text_is_cut_and_still_ends(void **state) {
  (void)state;
  static char long_text[3 * ERROR_TEXT_BYTES];
  memset(long_text, 'a', sizeof long_text - 1);
  Error err;
  error_set(&err, ERR_SYNTAX, "%s", long_text);
  assert_int_equal(strlen(err.text), ERROR_TEXT_BYTES - 1);
  error_prefix(&err, "%s", long_text);
  assert_int_equal(strlen(err.text), ERROR_TEXT_BYTES - 1);
}

static void nobody_has_to_want_the_text(void **state) {
  (void)state;
  assert_int_equal(error_set(NULL, ERR_LINK, "unheard"), ERR_LINK);
}

static void exit_codes_tell_whose_fault_it_was(void **state) {
  (void)state;
  assert_int_equal(status_exit_code(OK), 0);
  assert_int_equal(status_exit_code(ERR_PROGRAM), 1);
  assert_int_equal(status_exit_code(ERR_SYNTAX), 2);
  assert_int_equal(status_exit_code(ERR_INTERNAL), 3);
}

static const char *shown(const char *text, uint32_t line, uint32_t column) {
  static Error err;
  SourceText source = {"k.case", text, strlen(text)};
  assert_int_equal(source_error(&source, &err, ERR_SYNTAX, line, column, "bad %d", 7), ERR_SYNTAX);
  return err.text;
}

static void a_source_error_shows_the_line_and_a_caret(void **state) {
  (void)state;
  assert_string_equal(shown("one\n\ttwo three\nfour", 2, 6),
                      "k.case:2:6: bad 7\n   two three\n       ^");
  assert_string_equal(shown("one\nfour", 2, 1), "k.case:2:1: bad 7\n  four\n  ^");
}

static void a_source_error_survives_places_that_do_not_exist(void **state) {
  (void)state;
  assert_string_equal(shown("", 1, 1), "k.case:1:1: bad 7\n  \n  ^");
  assert_string_equal(shown("ab", 9, 99), "k.case:9:99: bad 7\n  ab\n    ^");
}

static void of_a_long_line_the_part_around_the_caret_is_shown(void **state) {
  (void)state;
  char line[1001];
  memset(line, '.', sizeof line);
  line[1000] = '\0';
  line[700] = '!';
  line[699] = '\033';  // would change the terminal's colours
  const char *text = shown(line, 1, 701);
  const char *piece = strchr(text, '\n') + 1, *caret = strchr(piece, '\n') + 1;
  assert_true(strlen(caret) < 110);
  assert_int_equal(strchr(caret, '^') - caret, strchr(piece, '!') - piece);
  assert_null(strchr(text, '\033'));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_error_carries_its_text_and_grows_a_prefix),
      cmocka_unit_test(a_long_text_is_cut_and_still_ends),
      cmocka_unit_test(nobody_has_to_want_the_text),
      cmocka_unit_test(exit_codes_tell_whose_fault_it_was),
      cmocka_unit_test(a_source_error_shows_the_line_and_a_caret),
      cmocka_unit_test(a_source_error_survives_places_that_do_not_exist),
      cmocka_unit_test(of_a_long_line_the_part_around_the_caret_is_shown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
