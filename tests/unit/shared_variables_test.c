// SPDX-License-Identifier: MIT
// Shared variables that clang refuses are found in its messages and rewritten.
#include <stdlib.h>
#include <string.h>

#include "cc/shared_variables.h"
#include "unit/cmocka_all.h"

#define REFUSED ": error: initialization is not supported for __shared__ variables."
#define VARIABLE(name)                                                                         \
  " __shared__ heddle::Shared<heddle_type_" name "> heddle_shared_" name "; heddle_type_" name \
  " &" name " = heddle_shared_" name ".value;"

static void becomes(const char *messages, const char *from, const char *to) {
  Words places = {0};
  char *out;
  size_t length;
  shared_variables_find(messages, &places);
  bool is_new = shared_variables_rewrite("a.cu", from, strlen(from), &places, &out, &length);
  assert_int_equal(is_new, to != NULL);
  if (to) assert_string_equal(out, to);
  free(out);
  words_clear(&places);
}

static void messages_name_places_once(void **state) {
  (void)state;
  Words places = {0};
  const char *messages = "a.cu:3:14" REFUSED "\n  code\n\033[1mb.h:9:2\033[0m" REFUSED
                         "\nb.h:9:2" REFUSED "\na.cu:4:1: error: another\n";
  assert_int_equal(shared_variables_find(messages, &places), 2);
  assert_string_equal(places.items[0], "a.cu:3:14");
  assert_string_equal(places.items[1], "b.h:9:2");
  assert_int_equal(shared_variables_find(messages, &places), 0);
  words_clear(&places);
}

static void a_variable_becomes_a_reference(void **state) {
  (void)state;
  becomes("a.cu:2:16" REFUSED, "void f() {\n  __shared__ T s;\n}",
          "void f() {\n  typedef T heddle_type_s;" VARIABLE("s") "\n}");
  becomes("a.cu:1:26" REFUSED, "static __shared__ A<1,2> s[3][4]; int x;",
          "typedef A<1,2> heddle_type_s[3][4];" VARIABLE("s") " int x;");
}

static void a_declaration_may_have_several(void **state) {
  (void)state;
  becomes("a.cu:1:14" REFUSED "\na.cu:1:20" REFUSED, "__shared__ T a[2], b;",
          "typedef T heddle_type_a[2], heddle_type_b;" VARIABLE("a") VARIABLE("b"));
}

static void what_is_not_understood_stays(void **state) {
  (void)state;
  becomes("a.cu:1:14" REFUSED, "__shared__ T s = 1;", NULL);
  becomes("a.cu:1:14" REFUSED, "__shared__ T s", NULL);
  becomes("a.cu:1:3" REFUSED, "T s; __shared__ int x;", NULL);
  becomes("a.cu:9:3" REFUSED, "__shared__ T s;", NULL);
  becomes("a.cu:1:99" REFUSED, "__shared__ T s;", NULL);
  becomes("a.cu:0:0" REFUSED, "__shared__ T s;", NULL);
  becomes("b.cu:1:14" REFUSED, "__shared__ T s;", NULL);
  becomes("a.cu:1:1" REFUSED, "", NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(messages_name_places_once),
      cmocka_unit_test(a_variable_becomes_a_reference),
      cmocka_unit_test(a_declaration_may_have_several),
      cmocka_unit_test(what_is_not_understood_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
