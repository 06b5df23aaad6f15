// SPDX-License-Identifier: MIT
// Indices in short loops become an address and steps, where they cannot overflow.
#include "cc/ir_indices.h"

#include "unit/cc_text_support.h"

// %1: an array; %2: a number; %3: the variable of a loop of as many iterations, from zero; %4: a
// variable declared with its value.
#define LOOP(iterations, before, body)                              \
  "define void @k(i32* %0) {\n"                                     \
  "  %1 = load i32*, i32** %0, align 8\n"                           \
  "  %2 = call i32 @n()\n"                                          \
  "  %3 = alloca i32, align 4\n"                                    \
  "  %4 = alloca i32, align 4\n" before                             \
  "  store i32 0, i32* %3, align 4\n"                               \
  "  br label %5\n\n"                                               \
  "5:                                               ; preds = %6\n" \
  "  %6 = load i32, i32* %3, align 4\n"                             \
  "  %7 = icmp slt i32 %6, " iterations                             \
  "\n"                                                              \
  "  br i1 %7, label %8, label %99\n\n"                             \
  "8:                                               ; preds = %5\n" \
  "  %9 = load i32, i32* %3, align 4\n" body                        \
  "  %90 = load i32, i32* %3, align 4\n"                            \
  "  %91 = add nsw i32 %90, 1\n"                                    \
  "  store i32 %91, i32* %3, align 4\n"                             \
  "  br label %5, !llvm.loop !1\n"                                  \
  "}\n"

#define EXTENSION(index) "  %20 = sext i32 " index " to i64\n"
#define ADDRESS "  %21 = getelementptr inbounds i32, i32* %1, i64 %20\n"
#define USE(index) EXTENSION(index) ADDRESS

// ( %2 + i ) * 6144 + 7
#define ADDITION "  %10 = add nsw i32 %2, %9\n"
#define PRODUCT ADDITION "  %11 = mul nsw i32 %10, 6144\n"
#define INDEX PRODUCT "  %12 = add nsw i32 %11, 7\n"
#define STEPS                                                                       \
  "  %heddle.wide.0 = sext i32 %2 to i64\n"                                         \
  "  %heddle.wide.1 = mul i64 %heddle.wide.0, 6144\n"                               \
  "  %heddle.wide.2 = add i64 %heddle.wide.1, 7\n"                                  \
  "  %heddle.step.3 = getelementptr i32, i32* %1, i64 %heddle.wide.2\n"             \
  "  %heddle.wide.5 = sext i32 %9 to i64\n"                                         \
  "  %heddle.wide.6 = mul i64 %heddle.wide.5, 6144\n"                               \
  "  %heddle.step.4 = getelementptr i32, i32* %heddle.step.3, i64 %heddle.wide.6\n" \
  "  %21 = getelementptr i32, i32* %heddle.step.4, i64 0\n"

static void assert_printed(const char *text, const char *expected) {
  assert_rewritten(ir_indices_print, text, expected);
}

static void assert_kept(const char *text) {
  assert_printed(text, text);
}

static void a_product_with_the_loops_variable_becomes_a_step(void **state) {
  (void)state;
  assert_printed(LOOP("30", "", INDEX USE("%12")), LOOP("30", "", INDEX EXTENSION("%12") STEPS));
}

static void a_variable_that_keeps_its_value_is_looked_through(void **state) {
  (void)state;
#define DECLARED(start) INDEX start "  store i32 %12, i32* %4, align 4\n"
#define START                        \
  "  %13 = bitcast i32* %4 to i8*\n" \
  "  call void @llvm.lifetime.start.p0i8(i64 4, i8* %13)\n"
#define READ "  %14 = load i32, i32* %4, align 4\n"
  assert_printed(LOOP("30", "", DECLARED(START) READ USE("%14")),
                 LOOP("30", "", DECLARED(START) READ EXTENSION("%14") STEPS));
  // Declared elsewhere, read before, set again, known by its address.
  assert_kept(LOOP("30", START, DECLARED("") READ USE("%14")));
  assert_kept(LOOP("30", "", READ DECLARED(START) USE("%14")));
  assert_kept(LOOP("30", "", DECLARED(START) "  store i32 1, i32* %4, align 4\n" READ USE("%14")));
  assert_kept(LOOP("30", "", DECLARED(START) "  call void @f(i32* %4)\n" READ USE("%14")));
  assert_kept(LOOP("30", "", DECLARED(START) "  call void @f(i8* %13)\n" READ USE("%14")));
}

static void an_index_that_may_wrap_around_stays(void **state) {
  (void)state;
  assert_kept(LOOP("30", "", "  %10 = add i32 %2, %9\n  %11 = mul nsw i32 %10, 6144\n" USE("%11")));
  assert_kept(LOOP("30", "", ADDITION "  %11 = mul i32 %10, 6144\n" USE("%11")));
  assert_kept(LOOP("30", "", INDEX "  %20 = zext i32 %12 to i64\n" ADDRESS));
}

static void an_index_without_such_a_product_stays(void **state) {
  (void)state;
  assert_kept(LOOP("30", "", ADDITION USE("%10")));
  assert_kept(
      LOOP("30", "", "  %10 = mul nsw i32 %9, 64\n  %11 = add nsw i32 %10, %2\n" USE("%11")));
  assert_kept(LOOP("30", "", ADDITION "  %11 = mul nsw i32 %10, %9\n" USE("%11")));
}

static void a_loop_that_is_long_or_not_known_stays(void **state) {
  (void)state;
  assert_printed(LOOP("64", "", INDEX USE("%12")), LOOP("64", "", INDEX EXTENSION("%12") STEPS));
  assert_kept(LOOP("65", "", INDEX USE("%12")));
  assert_kept(LOOP("%2", "", INDEX USE("%12")));
  assert_kept(LOOP("30", "  store i32 %2, i32* %3, align 4\n", INDEX USE("%12")));
  assert_kept(LOOP("30", "  call void @f(i32* %3)\n", INDEX USE("%12")));
}

// #pragma unroll 1, #pragma nounroll
static void a_loop_that_is_not_unrolled_stays(void **state) {
  (void)state;
#define NOTES(number, note)                                                                        \
  "\n!1 = distinct !{!1, !2, !34}\n!2 = !{!\"llvm.loop.mustprogress\"}\n!" number " = !{" note "}" \
                                                                                               "\n"
#define DISABLE "!\"llvm.loop.unroll.disable\""
#define COUNT(count) "!\"llvm.loop.unroll.count\", i32 " count
  assert_kept(LOOP("30", "", INDEX USE("%12")) NOTES("34", DISABLE));
  assert_kept(LOOP("30", "", INDEX USE("%12")) NOTES("34", COUNT("1")));
#define STEPPED LOOP("30", "", INDEX EXTENSION("%12") STEPS)
  assert_printed(LOOP("30", "", INDEX USE("%12")) NOTES("34", COUNT("10")),
                 STEPPED NOTES("34", COUNT("10")));
  assert_printed(LOOP("30", "", INDEX USE("%12")) NOTES("3", DISABLE), STEPPED NOTES("3", DISABLE));
}

static void elements_of_arrays_are_stepped_by(void **state) {
  (void)state;
#define ARRAY(index)                                                                       \
  "  %21 = getelementptr inbounds [8 x %struct.S], [8 x %struct.S]* %1, i64 0, i64 " index \
  ", !dbg !4\n"
  const char *expected = LOOP("30", "", PRODUCT EXTENSION("%11")
    "  %heddle.wide.0 = sext i32 %2 to i64\n"
    "  %heddle.wide.1 = mul i64 %heddle.wide.0, 6144\n"
    "  %heddle.step.2 = getelementptr [8 x %struct.S], [8 x %struct.S]* %1, i64 0, i64 "
    "%heddle.wide.1\n"
    "  %heddle.wide.4 = sext i32 %9 to i64\n"
    "  %heddle.wide.5 = mul i64 %heddle.wide.4, 6144\n"
    "  %heddle.step.3 = getelementptr %struct.S, %struct.S* %heddle.step.2, i64 %heddle.wide.5\n"
    "  %21 = getelementptr %struct.S, %struct.S* %heddle.step.3, i64 0\n");
  assert_printed(LOOP("30", "", PRODUCT EXTENSION("%11") ARRAY("%20")), expected);
  assert_kept(LOOP("30", "",
                   PRODUCT EXTENSION("%11") "  %21 = getelementptr inbounds %struct.S, "
                                            "%struct.S* %1, i32 0, i64 %20\n"));
}

// 7 - n * (i - %2)
static void differences_and_variable_factors(void **state) {
  (void)state;
  assert_printed(
      LOOP("30", "",
           "  %10 = sub nsw i32 %9, %2\n"
           "  %11 = mul nsw i32 %2, %10\n"
           "  %12 = sub nsw i32 7, %11\n" USE("%12")),
      LOOP("30", "",
           "  %10 = sub nsw i32 %9, %2\n"
           "  %11 = mul nsw i32 %2, %10\n"
           "  %12 = sub nsw i32 7, %11\n" EXTENSION(
               "%12") "  %heddle.wide.0 = sext i32 %2 to i64\n"
                      "  %heddle.wide.1 = sext i32 %2 to i64\n"
                      "  %heddle.wide.2 = sub i64 0, %heddle.wide.1\n"
                      "  %heddle.wide.3 = mul i64 %heddle.wide.2, %heddle.wide.0\n"
                      "  %heddle.wide.4 = sub i64 7, %heddle.wide.3\n"
                      "  %heddle.wide.5 = mul i64 %heddle.wide.0, -1\n"
                      "  %heddle.step.6 = getelementptr i32, i32* %1, i64 %heddle.wide.4\n"
                      "  %heddle.wide.8 = sext i32 %9 to i64\n"
                      "  %heddle.wide.9 = mul i64 %heddle.wide.8, %heddle.wide.5\n"
                      "  %heddle.step.7 = getelementptr i32, i32* %heddle.step.6, i64 "
                      "%heddle.wide.9\n"
                      "  %21 = getelementptr i32, i32* %heddle.step.7, i64 0\n"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_product_with_the_loops_variable_becomes_a_step),
      cmocka_unit_test(a_variable_that_keeps_its_value_is_looked_through),
      cmocka_unit_test(an_index_that_may_wrap_around_stays),
      cmocka_unit_test(an_index_without_such_a_product_stays),
      cmocka_unit_test(a_loop_that_is_long_or_not_known_stays),
      cmocka_unit_test(a_loop_that_is_not_unrolled_stays),
      cmocka_unit_test(elements_of_arrays_are_stepped_by),
      cmocka_unit_test(differences_and_variable_factors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
