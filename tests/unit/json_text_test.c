// SPDX-License-Identifier: MIT
// JSON strings from arbitrary bytes.
#include "base/text/json_text.h"

#include "unit/cmocka_all.h"

static void assert_text(const char *given, const char *wanted) {
  json_t *string = json_text(given);
  assert_string_equal(json_string_value(string), wanted);
  json_decref(string);
}

static void utf8_stays_as_it_is(void **state) {
  (void)state;
  assert_text("", "");
  assert_text("a/b.case", "a/b.case");
  assert_text("\xc3\xa9 \xe2\x82\xac \xf0\x9f\xa7\xb5", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\xa7\xb5");
  assert_true(json_is_null(json_text(NULL)));
}

static void other_bytes_are_replaced_one_by_one(void **state) {
  (void)state;
  assert_text("caf\xe9", "caf\xef\xbf\xbd");
  assert_text(
      "\xff\xfe"
      "x",
      "\xef\xbf\xbd\xef\xbf\xbdx");
  assert_text("\xc3\xa9\xc3", "\xc3\xa9\xef\xbf\xbd");  // cut short
  assert_text("\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd");  // too long for what it says
}

static void keys_are_repaired_too(void **state) {
  (void)state;
  json_t *object = json_object();
  json_set_named(object, "\xff", json_integer(3));
  assert_int_equal(json_integer_value(json_object_get(object, "\xef\xbf\xbd")), 3);
  json_decref(object);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(utf8_stays_as_it_is),
      cmocka_unit_test(other_bytes_are_replaced_one_by_one),
      cmocka_unit_test(keys_are_repaired_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
