// SPDX-License-Identifier: MIT
// --kernels: numbers, ranges, patterns, mistakes.
#include "run/kernel_choice.h"

#include <string.h>

#include "unit/cmocka_all.h"

static bool has(const char *text, uint64_t number, const char *name, const char *title) {
  KernelChoice choice = {0};
  Error err;
  Function kernel = {.name = (char *)(size_t)name, .title = (char *)(size_t)title};
  if (kernel_choice_parse(&choice, text, &err) != OK) fail_msg("%s: %s", text, err.text);
  assert_true(kernel_choice_is_given(&choice));
  bool it_has = kernel_choice_has(&choice, number, &kernel);
  kernel_choice_clear(&choice);
  return it_has;
}

static void without_a_choice_all_are_chosen(void **state) {
  (void)state;
  const KernelChoice none = {0};
  const Function kernel = {.name = "k"};
  assert_false(kernel_choice_is_given(&none));
  assert_true(kernel_choice_has(&none, 7, &kernel));
}

static void numbers_and_ranges_include_their_ends(void **state) {
  (void)state;
  static const char text[] = "3, 7-9 ,20-";
  static const uint64_t chosen[] = {3, 7, 8, 9, 20, 21, UINT64_MAX},
                        others[] = {0, 2, 4, 6, 10, 19};
  for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
    assert_true(has(text, chosen[i], "k", "k"));
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_false(has(text, others[i], "k", "k"));
}

static void names_are_patterns_of_any_form_of_the_name(void **state) {
  (void)state;
  static const char mangled[] = "_Z6reduceIfLi256EEvPKfPfj", title[] = "reduce<float, 256>";
  static const char *const matching[] = {
      "reduce", "red*",  "reduce<float, 256>", "reduce<float, 256>,other", "r?duce", "_Z6red*",
      "[a-r]*", "*256*", "other,reduce"};
  static const char *const others[] = {"redu", "Reduce", "reduce<int*", "reducer", "float"};
  for (size_t i = 0; i < sizeof matching / sizeof *matching; i++)
    if (!has(matching[i], 0, mangled, title)) fail_msg("'%s' should match", matching[i]);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (has(others[i], 0, mangled, title)) fail_msg("'%s' should not match", others[i]);
}

static void mistakes_are_told(void **state) {
  (void)state;
  static const char *const wrong[] = {"", ",", "1,,2", "1,", "5-3", "7x", "7-x", "7-8-9", "1 2"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    KernelChoice choice = {0};
    Error err = {0};
    if (kernel_choice_parse(&choice, wrong[i], &err) != ERR_USAGE) fail_msg("'%s'", wrong[i]);
    assert_true(err.text[0]);
    kernel_choice_clear(&choice);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(without_a_choice_all_are_chosen),
                                     cmocka_unit_test(numbers_and_ranges_include_their_ends),
                                     cmocka_unit_test(names_are_patterns_of_any_form_of_the_name),
                                     cmocka_unit_test(mistakes_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
