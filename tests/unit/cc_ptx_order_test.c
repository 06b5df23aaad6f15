// SPDX-License-Identifier: MIT
// The same PTX, in whatever order clang has written the addresses of child kernels.
#include "cc/ptx_order.h"
#include "unit/cc_text_support.h"

#define ADDRESS(name) ".weak .global .align 8 .u64 _ZN6heddle14kernel_address" name " = k;\n"

static void assert_printed(const char *text, const char *expected) {
  assert_rewritten(ptx_order_print, text, expected);
}

static void addresses_are_sorted_where_they_are(void **state) {
  (void)state;
  assert_printed(".global .u32 z;\n" ADDRESS("Ic") ADDRESS("Ia") ".global .u32 a;\n" ADDRESS("Ib"),
                 ".global .u32 z;\n" ADDRESS("Ia") ADDRESS("Ib") ".global .u32 a;\n" ADDRESS("Ic"));
}

static void other_texts_stay_as_they_are(void **state) {
  (void)state;
  static const char *const texts[] = {"", "\n", ".version 7.5\n.entry k() { ret; }",
                                      ADDRESS("Ia") ADDRESS("Ib") "no end"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_printed(texts[i], texts[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(addresses_are_sorted_where_they_are),
      cmocka_unit_test(other_texts_stay_as_they_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
