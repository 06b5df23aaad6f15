// SPDX-License-Identifier: MIT
// PTX that is wrong, not supported or hostile is refused, and the place is shown.
#include <stdlib.h>

#include "unit/ptx_support.h"

static void errors_show_the_line_and_a_caret(void **state) {
  (void)state;
  const char *text = HEAD ".entry k() {\n\tadd.s32 \t%r1, 2, 3;\n}";
  PtxModule *module;
  Error err = {0};
  assert_int_equal(ptx_parse(&module, "dir/t.ptx", text, strlen(text), &err), ERR_SYNTAX);
  assert_string_equal(
      err.text,
      "dir/t.ptx:3:11: `%r1` is neither a declared register nor a supported special "
      "register\n"
      " add.s32  %r1, 2, 3;\n"
      "          ^");
}

static void long_lines_are_cut_around_the_caret(void **state) {
  (void)state;
  char text[4000] = HEAD "// ";
  size_t length = strlen(text);
  memset(text + length, ' ', 3000);
  strcpy(text + length + 3000, "\n");
  char *line = text + length + 3001;
  memset(line, ' ', 500);
  strcpy(line + 500, "\x01 bogus bogus");
  PtxModule *module;
  Error err = {0};
  assert_int_equal(ptx_parse(&module, "t.ptx", text, strlen(text), &err), ERR_SYNTAX);
  assert_non_null(strstr(err.text, "t.ptx:3:501: unexpected character\n..."));
  const char *caret = strrchr(err.text, '\n') + 1, *shown = strstr(err.text, "...");
  assert_int_equal(shown[strlen(caret) - 1], '?');
}

static void mistakes_are_errors(void **state) {
  (void)state;
  expect_error("", "expected `.version`, found the end");
  expect_error(".version 7.0", "expected `.target`");
  expect_error(".version seven", "version such as");
  expect_error(HEAD ".address_size 16", "32 or 64");
  expect_error(HEAD ".global x;", "expected a type");
  expect_error(HEAD ".global .u32 x", "found the end of the file");
  expect_error(HEAD ".global .pred x;", "predicate can only be a register");
  expect_error(HEAD ".global .align 3 .u32 x;", "power of two");
  expect_error(HEAD ".global .u32 x[2] = {1, 2, 3};", "too many initial values");
  expect_error(HEAD ".global .u32 x[2] = {{1}, 2};", "more braces");
  expect_error(HEAD ".global .b8 x[1099511627776][1099511627776];", "too large");
  expect_error(HEAD ".global .b8 x[0][1099511627776][1099511627776];", "too large");
  expect_error(HEAD ".global .u32 x[9][1000000] = {{1}, {2}, {3}};",
               "more ranges or arrays than are supported");
  expect_error(HEAD ".global .u16 x = 1.5;", "does not fit");
  expect_error(HEAD ".global .u64 x = nowhere;", "`nowhere` is not declared");
  expect_error(HEAD ".global .b8 x = 0xFFF(x);", "must select one byte");
  expect_error(HEAD ".param .u32 x;", "outside a function");
  expect_error(BODY(".reg .u32 a, a;"), "declared twice");
  expect_error(BODY(".reg .u32 a<3>, a<2>;"), "declared twice");
  expect_error(BODY("x: ret; x: ret;"), "declared twice");
  expect_error(BODY("bra nowhere;"), "label `nowhere` is not defined");
  expect_error(BODY("{ inner: ret; }\n bra inner;"), "label `inner` is not defined");
  expect_error(BODY(".reg .u32 a; mov.u32 a, 1 / 0;"), "division by zero");
  expect_error(BODY(".reg .u32 a<2>; mov.u32 a2, 0;"), "`a2` is not declared");
  expect_error(BODY("call nothing;"), "`nothing` is not declared");
  expect_error(BODY(".reg .u32 a; @a ret;"), "guard must be a predicate");
  expect_error(BODY(".reg .u32 a; ld.u32 a, [%tid.x];"), "invalid address");
  expect_error(BODY(".reg .u32 a; mov.u32 a, ;"), "expected an operand");
  expect_error(BODY(".reg .u32 a; mov.u32 a, 1 2;"), "`,` or `;`, found `2`");
  expect_error(HEAD ".entry k() { ret;", "found the end");
  expect_error(HEAD "/* ", "unterminated comment");
  expect_error(HEAD ".section .debug { {} ", "unterminated section");
}

static void what_we_lack_is_refused(void **state) {
  (void)state;
  expect_refused(BODY("tcgen05.fence {a};"),
                 "t.ptx:3:1: `tcgen05.fence` is not supported "
                 "(tensor-core instructions)\ntcgen05.fence");
  expect_refused(HEAD ".alias a, b;", "two names");
}

static void hostile_texts_are_bounded(void **state) {
  (void)state;
  size_t size = 1 << 20;
  char *text = malloc(size);
  assert_non_null(text);
  int head = snprintf(text, size, HEAD ".entry k() {");
  memset(text + head, '{', size - (size_t)head);
  expect_error_of(text, size, ERR_SYNTAX, "blocks nested more than");
  head = snprintf(text, size, HEAD ".global .u32 x = ");
  memset(text + head, '(', size - (size_t)head);
  expect_error_of(text, size, ERR_SYNTAX, "nested too deeply");
  memset(text + head, '-', size - (size_t)head);
  expect_error_of(text, size, ERR_SYNTAX, "nested too deeply");
  memset(text + head, '{', size - (size_t)head);
  expect_error_of(text, size, ERR_SYNTAX, "more braces");
  free(text);
}

static void a_nul_is_text_only_at_the_end(void **state) {
  (void)state;
  static const char fine[] = HEAD "\0\0", bad[] = HEAD "\n \0 .file";
  PtxModule *module;
  Error err = {0};
  assert_int_equal(ptx_parse(&module, "t.ptx", fine, sizeof fine, &err), OK);
  ptx_module_destroy(module);
  expect_error_of(bad, sizeof bad, ERR_SYNTAX, "t.ptx:3:2: NUL byte");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_show_the_line_and_a_caret),
      cmocka_unit_test(long_lines_are_cut_around_the_caret),
      cmocka_unit_test(mistakes_are_errors),
      cmocka_unit_test(what_we_lack_is_refused),
      cmocka_unit_test(hostile_texts_are_bounded),
      cmocka_unit_test(a_nul_is_text_only_at_the_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
