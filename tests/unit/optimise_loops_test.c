// SPDX-License-Identifier: MIT
// The optimising pass: loops that are unrolled, and turns that are written out.
#include "unit/optimise_support.h"

static void loops_that_count_are_unrolled(void **state) {
  (void)state;
  // Four turns: their loads are offsets of one base and issued together.
  const char *loop =
      "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.f32 %f1, 0f00000000; mov.u64 %rd2, %rd1;"
      "L: ld.global.f32 %f2, [%rd2]; add.f32 %f1, %f1, %f2; add.s64 %rd2, %rd2, 4;"
      "add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; st.global.f32 [%rd1], %f1; ret; "
      "}";
  char text[1024];
  snprintf(text, sizeof text, "%s%s", KERNEL, loop);
  const char *code = code_of(text);
  assert_non_null(strstr(code, "bra ld.global.f32 ld.global.f32 ld.global.f32 ld.global.f32"));
  // Four turns, two, and one.
  assert_int_equal(count_of(code, "ld.global.f32"), 7);
  assert_int_equal(count_of(code, "bra"), 6);
  // How often is known only from memory.
  code = code_of(KERNEL
                 "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1];"
                 "L: ld.global.f32 %f2, [%rd1]; add.f32 %f1, %f1, %f2;"
                 "add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L;"
                 "st.global.f32 [%rd1], %f1; ret; }");
  assert_int_equal(count_of(code, "ld.global.f32"), 1);
}

// A sum over memory that ends with `end`: copies of its load.
static int copies_of(const char *end) {
  char text[1024];
  snprintf(text, sizeof text, "%s%s%s",
           KERNEL
           "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u64 %rd2, %rd1; mov.u32 %r2, 0;"
           "L: ld.global.f32 %f2, [%rd2]; add.f32 %f1, %f1, %f2; add.s64 %rd2, %rd2, 4;"
           "add.s32 %r2, %r2, 1; ",
           end, "E: st.global.f32 [%rd1], %f1; ret; }");
  return count_of(code_of(text), "ld.global.f32");
}

static void what_leaves_when_its_test_holds_is_not_unrolled(void **state) {
  (void)state;
  assert_int_equal(copies_of("setp.ne.s32 %p1, %r2, %r1; @%p1 bra L;"), 7);
  assert_int_equal(copies_of("setp.ne.s32 %p1, %r1, %r2; @%p1 bra L;"), 7);
  assert_int_equal(copies_of("setp.gt.s32 %p1, %r1, %r2; @%p1 bra L;"), 7);
  assert_int_equal(copies_of("setp.eq.s32 %p1, %r1, %r2; @%p1 bra E; bra.uni L;"), 1);
  assert_int_equal(copies_of("setp.ge.s32 %p1, %r2, %r1; @!%p1 bra L;"), 1);
}

// How often a loop with a branch in it stands in the code.
static int turns_of(const char *hint, const char *limit) {
  char text[1024];
  snprintf(text, sizeof text, "%s%s%s%s%s",
           KERNEL
           "ld.param.u64 %rd1, [p]; ld.param.u32 %r9, [n]; mov.u32 %r2, %tid.x;"
           "mov.u32 %r1, 0; L: ",
           hint,
           "setp.gt.u32 %p1, %r2, %r1; @%p1 bra M; atom.global.add.u32 %r3, [%rd1], %r1;"
           "M: add.s32 %r1, %r1, 3; setp.lt.s32 %p2, %r1, ",
           limit, "; @%p2 bra L; bar.sync 0; ret; }");
  return count_of(code_of(text), "atom");
}

static void turns_of_a_known_number_are_written_out(void **state) {
  (void)state;
  assert_int_equal(turns_of("", "13"), 5);
  assert_int_equal(turns_of("", "-7"), 1);
  assert_int_equal(turns_of("", "60"), 20);
  // Too many, not known, or not wanted.
  assert_int_equal(turns_of("", "3000"), 1);
  assert_int_equal(turns_of("", "%r9"), 1);
  assert_int_equal(turns_of(ONCE, "13"), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops_that_count_are_unrolled),
      cmocka_unit_test(what_leaves_when_its_test_holds_is_not_unrolled),
      cmocka_unit_test(turns_of_a_known_number_are_written_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
