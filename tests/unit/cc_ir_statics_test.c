// SPDX-License-Identifier: MIT
// Static variables that a host may write.
#include "cc/ir_statics.h"
#include "unit/cc_text_support.h"

static void variables_become_visible(void **state) {
  (void)state;
  assert_rewritten(ir_statics_print,
                   "@_ZL5table = internal addrspace(4) global [4 x i32] zeroinitializer, align 4\n"
                   "@_ZL1c = internal addrspace(1) global i32 3, align 4\n",
                   "@_ZL5table = addrspace(4) externally_initialized global [4 x i32] "
                   "zeroinitializer, align 4\n"
                   "@_ZL1c = addrspace(1) externally_initialized global i32 3, align 4\n");
}

static void other_lines_stay_as_they_are(void **state) {
  (void)state;
  static const char *const texts[] = {
      "", "@f = internal addrspace(4) constant i32 1\n",
      "@s = internal addrspace(3) global i32 undef\n",
      "@v = dso_local addrspace(1) externally_initialized global i32 0\n", "  %1 = internal"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    assert_rewritten(ir_statics_print, texts[i], texts[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(variables_become_visible),
      cmocka_unit_test(other_lines_stay_as_they_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
