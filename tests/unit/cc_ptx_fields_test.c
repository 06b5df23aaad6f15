// SPDX-License-Identifier: MIT
// Fields of 64-bit values that include copies of the sign.
#include "cc/ptx_fields.h"
#include "unit/cc_text_support.h"

static void assert_printed(const char *text, const char *expected) {
  assert_rewritten(ptx_fields_print, text, expected);
}

static void fields_beyond_64_bits_are_shifted_and_masked(void **state) {
  (void)state;
  assert_printed("\tret;\n\tbfe.u64 \t%rd24, %rd60, 63, 3;\n\tret;\n",
                 "\tret;\n\tshr.s64 \t%rd24, %rd60, 63;\n\tand.b64  \t%rd24, %rd24, 7;\n\tret;\n");
  assert_printed("\tbfe.u64 \t%rd1, %rd1, 33, 32;\n",
                 "\tshr.s64 \t%rd1, %rd1, 33;\n\tand.b64  \t%rd1, %rd1, 4294967295;\n");
}

static void other_texts_stay_as_they_are(void **state) {
  (void)state;
  static const char *const texts[] = {"",
                                      "\n",
                                      "\tbfe.u64 \t%rd1, %rd2, 61, 3;\n",
                                      "\tbfe.u64 \t%rd1, %rd2, %r1, 3;\n",
                                      "\tbfe.u64 \t%rd1",
                                      "\tbfe.u32 \t%r1, %r2, 31, 3;\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_printed(texts[i], texts[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fields_beyond_64_bits_are_shifted_and_masked),
      cmocka_unit_test(other_texts_stay_as_they_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
