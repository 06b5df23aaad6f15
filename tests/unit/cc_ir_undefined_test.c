// SPDX-License-Identifier: MIT
// Arguments that only some lanes have a value for.
#include "cc/ir_undefined.h"
#include "unit/cc_text_support.h"

static void marks_of_arguments_and_results_go(void **state) {
  (void)state;
  assert_rewritten(ir_undefined_print,
                   "define noundef i32 @f(i32 noundef %0, i32* noundef nonnull %1) #0 {\n"
                   "  %2 = call noundef i32 @g(i32 noundef %0, i32 noundef)\n"
                   "declare i32 @g(i32 noundef, i32 noundef)\n",
                   "define i32 @f(i32 %0, i32* nonnull %1) #0 {\n"
                   "  %2 = call i32 @g(i32 %0, i32)\n"
                   "declare i32 @g(i32, i32)\n");
}

static void marks_of_kernels_stay(void **state) {
  (void)state;
  assert_rewritten(ir_undefined_print,
                   "define void @f(i32 noundef %0) {\n"
                   "define void @ff(i32 noundef %0) {\n"
                   "\n"
                   "!1 = !{void (i32)* @f, !\"kernel\", i32 1}\n",
                   "define void @f(i32 noundef %0) {\n"
                   "define void @ff(i32 %0) {\n"
                   "\n"
                   "!1 = !{void (i32)* @f, !\"kernel\", i32 1}\n");
}

static void marks_of_functions_without_parameters_stay(void **state) {
  (void)state;
  assert_rewritten(ir_undefined_print,
                   "  %1 = call noundef i32 @tid()\n"
                   "  %2 = call noundef i32 @g(void ()* noundef %1)\n",
                   "  %1 = call noundef i32 @tid()\n"
                   "  %2 = call i32 @g(void ()* %1)\n");
}

static void other_lines_stay_as_they_are(void **state) {
  (void)state;
  static const char *const texts[] = {"", "@s = constant [10 x i8] c\"a noundef \"\n",
                                      "  %2 = load i8, i8* %1, !noundef !4\n",
                                      "  call void @noundefined(i32 noundefs)\n", " noundef"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    assert_rewritten(ir_undefined_print, texts[i], texts[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(marks_of_arguments_and_results_go),
      cmocka_unit_test(marks_of_kernels_stay),
      cmocka_unit_test(marks_of_functions_without_parameters_stay),
      cmocka_unit_test(other_lines_stay_as_they_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
