// SPDX-License-Identifier: MIT
// Edits of sources: order, overlaps, and the steps through C++ text.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clustering/diff.h"
#include "clustering/rewrite/edits.h"
#include "clustering/text.h"

static Arena arena;

static const char *apply(Edits *edits, const char *text) {
  char *result;
  size_t length;
  uint32_t conflict;
  assert_true(edits_apply(edits, &arena, text, strlen(text), &result, &length, &conflict));
  assert_int_equal(strlen(result), length);
  edits_clear(edits);
  return result;
}

static void edits_are_applied_in_the_order_of_their_places(void **state) {
  (void)state;
  Edits edits = {0};
  edits_replace(&edits, 8, 11, "three");
  edits_insert(&edits, 0, "zero ");
  edits_replace(&edits, 4, 7, "2");
  edits_insert(&edits, 11, "!");
  assert_string_equal(apply(&edits, "one two 3.0"), "zero one 2 three!");
}

static void an_edit_that_is_added_twice_counts_once(void **state) {
  (void)state;
  Edits edits = {0};
  for (int i = 0; i < 3; i++) {
    edits_insert(&edits, 2, "b");
    edits_replace(&edits, 0, 1, "A");
  }
  assert_int_equal(edits.count, 2);
  assert_string_equal(apply(&edits, "a c"), "A bc");
}

static void insertions_at_one_place_keep_their_order_and_stand_before_a_replacement(void **state) {
  (void)state;
  Edits edits = {0};
  edits_replace(&edits, 1, 2, "X");
  edits_insert(&edits, 1, "<");
  edits_insert(&edits, 1, "(");
  assert_string_equal(apply(&edits, "abc"), "a<(Xc");
}

static void edits_that_overlap_are_reported(void **state) {
  (void)state;
  Edits edits = {0};
  char *result;
  size_t length;
  uint32_t conflict = 0;
  edits_replace(&edits, 0, 4, "x");
  edits_replace(&edits, 3, 5, "y");
  assert_false(edits_apply(&edits, &arena, "abcdef", 6, &result, &length, &conflict));
  assert_int_equal(conflict, 3);
  edits_clear(&edits);
}

// ---- texts

static SourceFile source(const char *text) {
  return (SourceFile){.path = "a.cu", .real_path = "a.cu", .text = text, .length = strlen(text)};
}

static void spaces_and_comments_are_skipped(void **state) {
  (void)state;
  SourceFile file = source(" \t// one\n /* two\n */ x");
  assert_int_equal(file.text[text_skip_space(&file, 0)], 'x');
  SourceFile endless = source("/* never closed");
  assert_int_equal(text_skip_space(&endless, 0), endless.length);
}

static void brackets_are_matched_around_literals_and_comments(void **state) {
  (void)state;
  SourceFile call = source("(a, \")\", ')', /* ) */ b[(1)], R\"x()\")x\") rest");
  assert_string_equal(call.text + text_skip_brackets(&call, 0), " rest");
  SourceFile angles = source("<A<(1 > 2)>, B> rest");
  assert_string_equal(angles.text + text_skip_brackets(&angles, 0), " rest");
  SourceFile open = source("((((");
  assert_int_equal(text_skip_brackets(&open, 0), open.length);
}

static void parameters_are_found_behind_template_arguments(void **state) {
  (void)state;
  SourceFile file = source("kernel < float, (2 > 1) > /* here */ (int a)");
  assert_string_equal(file.text + text_find_parameters(&file, 0), "(int a)");
}

static void words_in_literals_and_comments_are_not_found(void **state) {
  (void)state;
  SourceFile file = source("\"agents\" /* agents */ my_agents agents_ 1'000 agents");
  uint32_t at = 0;
  assert_true(text_find_word(&file, 0, (uint32_t)file.length, "agents", &at));
  assert_int_equal(at, file.length - strlen("agents"));
  assert_false(text_find_word(&file, 0, at, "agents", NULL));
}

// ---- differences

static const char *difference(SourceFile *file) {
  static char text[4096];
  char *result;
  size_t length;
  uint32_t conflict;
  assert_true(
      edits_apply(&file->edits, &arena, file->text, file->length, &result, &length, &conflict));
  FILE *out = fmemopen(text, sizeof text, "w");
  diff_print(file, "b.cu", out);
  fclose(out);
  edits_clear(&file->edits);
  return text;
}

static void a_difference_shows_changed_lines_and_three_around_them(void **state) {
  (void)state;
  SourceFile file = source("1\n2\n3\n4\n5\n6\n7\n8\n");
  edits_replace(&file.edits, 8, 9, "five");
  assert_string_equal(difference(&file),
                      "--- a.cu\n+++ b.cu\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

static void lines_that_are_inserted_remove_none(void **state) {
  (void)state;
  SourceFile file = source("1\n2\n3\n");
  edits_insert(&file.edits, 2, "new\n");
  assert_string_equal(difference(&file), "--- a.cu\n+++ b.cu\n@@ -1,3 +1,4 @@\n 1\n+new\n 2\n 3\n");
}

static void changes_far_apart_are_hunks_of_their_own(void **state) {
  (void)state;
  SourceFile file = source("a\n2\n3\n4\n5\n6\n7\n8\n9\nb");
  edits_insert(&file.edits, 0, "A");
  edits_insert(&file.edits, (uint32_t)file.length, "B");
  assert_string_equal(difference(&file),
                      "--- a.cu\n+++ b.cu\n@@ -1,4 +1,4 @@\n-a\n+Aa\n 2\n 3\n 4\n"
                      "@@ -7,4 +7,4 @@\n 7\n 8\n 9\n-b\n\\ No newline at end of file\n"
                      "+bB\n\\ No newline at end of file\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(edits_are_applied_in_the_order_of_their_places),
      cmocka_unit_test(an_edit_that_is_added_twice_counts_once),
      cmocka_unit_test(insertions_at_one_place_keep_their_order_and_stand_before_a_replacement),
      cmocka_unit_test(edits_that_overlap_are_reported),
      cmocka_unit_test(spaces_and_comments_are_skipped),
      cmocka_unit_test(brackets_are_matched_around_literals_and_comments),
      cmocka_unit_test(parameters_are_found_behind_template_arguments),
      cmocka_unit_test(words_in_literals_and_comments_are_not_found),
      cmocka_unit_test(a_difference_shows_changed_lines_and_three_around_them),
      cmocka_unit_test(lines_that_are_inserted_remove_none),
      cmocka_unit_test(changes_far_apart_are_hunks_of_their_own),
  };
  int result = cmocka_run_group_tests(tests, NULL, NULL);
  arena_clear(&arena);
  return result;
}
