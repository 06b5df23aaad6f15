// SPDX-License-Identifier: MIT
// Tokens of PTX: numbers, operators, comments, mistakes.
#include "frontends/ptx/parse/lexer.h"

#include <string.h>

#include "unit/cmocka_all.h"

static Token only_token(const char *text) {
  Lexer lexer;
  lexer_init(&lexer, text);
  return lexer.token;
}

static void expect_integer(const char *text, uint64_t bits, bool is_unsigned) {
  Token t = only_token(text);
  assert_int_equal(t.kind, TOKEN_INTEGER);
  assert_true(t.bits == bits);
  assert_int_equal(t.is_unsigned, is_unsigned);
  assert_int_equal(t.length, strlen(text));
}

static void integers_come_in_four_bases(void **state) {
  (void)state;
  expect_integer("0", 0, false);
  expect_integer("42", 42, false);
  expect_integer("42U", 42, true);
  expect_integer("0x2aU", 42, true);
  expect_integer("0XfF", 255, false);
  expect_integer("052", 42, false);
  expect_integer("0b101010", 42, false);
  expect_integer("9223372036854775807", INT64_MAX, false);
  expect_integer("0xffffffffffffffff", UINT64_MAX, true);
  expect_integer("18446744073709551615", UINT64_MAX, true);
}

static void floats_are_bits_or_decimals(void **state) {
  (void)state;
  Token single = only_token("0f3F800000");
  assert_int_equal(single.kind, TOKEN_SINGLE);
  assert_true(single.bits == 0x3f800000);
  Token hex = only_token("0dBFF0000000000000");
  assert_int_equal(hex.kind, TOKEN_DOUBLE);
  assert_true(hex.bits == 0xbff0000000000000);
  double value = 0;
  Token decimal = only_token("1.5e2");
  memcpy(&value, &decimal.bits, sizeof value);
  assert_int_equal(decimal.kind, TOKEN_DOUBLE);
  assert_true(value == 150.0);
}

static void malformed_numbers_say_why(void **state) {
  (void)state;
  static const char *const texts[] = {
      "0x",    "0f3F80000", "0f3F8000000",          "0d1", "09",
      "12abc", "0b2",       "18446744073709551616", "1e",  "0x10000000000000000"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    Token t = only_token(texts[i]);
    assert_int_equal(t.kind, TOKEN_BAD);
    assert_non_null(t.problem);
  }
}

static void expect_next(Lexer *lexer, int kind, const char *text) {
  assert_int_equal(lexer->token.kind, kind);
  assert_int_equal(lexer->token.length, strlen(text));
  assert_memory_equal(lexer->token.start, text, strlen(text));
  lexer_advance(lexer);
}

static void an_instruction_is_cut_into_tokens(void **state) {
  (void)state;
  Lexer lexer;
  lexer_init(&lexer, "@!%p1 ld.L1::evict_last.f32 $a_1|_, [%rd1+-8]; // end");
  static const char *const texts[] = {"@", "!", "%p1", "ld", "L1::evict_last", "f32", "$a_1",
                                      "|", "_", ",",   "[",  "%rd1",           "+",   "-",
                                      "8", "]", ";"};
  static const int kinds[] = {
      '@', '!', TOKEN_NAME, TOKEN_NAME, TOKEN_DOTTED, TOKEN_DOTTED,  TOKEN_NAME, '|', TOKEN_NAME,
      ',', '[', TOKEN_NAME, '+',        '-',          TOKEN_INTEGER, ']',        ';'};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) expect_next(&lexer, kinds[i], texts[i]);
  assert_int_equal(lexer.token.kind, TOKEN_END);
}

static void operators_of_two_characters_are_one_token(void **state) {
  (void)state;
  Lexer lexer;
  lexer_init(&lexer, "<<>><= >= == != && || < % %r");
  static const int kinds[] = {TOKEN_SHIFT_LEFT,
                              TOKEN_SHIFT_RIGHT,
                              TOKEN_LESS_EQUAL,
                              TOKEN_GREATER_EQUAL,
                              TOKEN_EQUAL,
                              TOKEN_NOT_EQUAL,
                              TOKEN_AND_AND,
                              TOKEN_OR_OR,
                              '<',
                              '%',
                              TOKEN_NAME,
                              TOKEN_END};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    assert_int_equal(lexer.token.kind, kinds[i]);
    lexer_advance(&lexer);
  }
}

static void comments_and_dwarf_lines_are_skipped_and_counted(void **state) {
  (void)state;
  Lexer lexer;
  lexer_init(&lexer, "// one\n/* two\n three */ a\n@@DWARF { \" b\n\tc");
  assert_int_equal(lexer.token.position.line, 3);
  assert_int_equal(lexer.token.position.column, 11);
  lexer_advance(&lexer);
  assert_int_equal(lexer.token.position.line, 5);
  assert_int_equal(lexer.token.position.column, 2);
  assert_memory_equal(lexer.token.start, "c", 1);
}

static void what_does_not_end_is_bad(void **state) {
  (void)state;
  Token comment = only_token("\n  /* never\n ends");
  assert_int_equal(comment.kind, TOKEN_BAD);
  assert_int_equal(comment.position.line, 2);
  assert_int_equal(comment.position.column, 3);
  assert_int_equal(only_token("\"open\n\"").kind, TOKEN_BAD);
  assert_int_equal(only_token("\"open\\").kind, TOKEN_BAD);
  assert_int_equal(only_token(". x").kind, TOKEN_BAD);
  assert_int_equal(only_token("\x80").kind, TOKEN_BAD);
}

static void strings_keep_their_escapes(void **state) {
  (void)state;
  Token t = only_token("\"a\\\"b\" rest");
  assert_int_equal(t.kind, TOKEN_STRING);
  assert_int_equal(t.length, 4);
  assert_memory_equal(t.start, "a\\\"b", 4);
}

static void peeking_sees_past_space_and_comments(void **state) {
  (void)state;
  Lexer lexer;
  lexer_init(&lexer, "label /* here */ \n : x");
  assert_int_equal(lexer_peek(&lexer), ':');
  assert_int_equal(lexer.token.position.line, 1);
  lexer_init(&lexer, "last");
  assert_int_equal(lexer_peek(&lexer), '\0');
}

static void a_block_is_skipped_whatever_it_holds(void **state) {
  (void)state;
  Lexer lexer;
  lexer_init(&lexer, "{ .b8 'x', ~ { } /* } */ \"}\" // }\n } after");
  assert_int_equal(lexer.token.kind, '{');
  assert_true(lexer_skip_block(&lexer));
  assert_memory_equal(lexer.token.start, "after", 5);
  assert_int_equal(lexer.token.position.line, 2);
  lexer_init(&lexer, "{ { }");
  assert_false(lexer_skip_block(&lexer));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers_come_in_four_bases),
      cmocka_unit_test(floats_are_bits_or_decimals),
      cmocka_unit_test(malformed_numbers_say_why),
      cmocka_unit_test(an_instruction_is_cut_into_tokens),
      cmocka_unit_test(operators_of_two_characters_are_one_token),
      cmocka_unit_test(comments_and_dwarf_lines_are_skipped_and_counted),
      cmocka_unit_test(what_does_not_end_is_bad),
      cmocka_unit_test(strings_keep_their_escapes),
      cmocka_unit_test(peeking_sees_past_space_and_comments),
      cmocka_unit_test(a_block_is_skipped_whatever_it_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
