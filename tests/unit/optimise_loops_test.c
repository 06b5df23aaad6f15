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

// Copies of the products in a loop of one block: their number and what else is in it are given.
static int copies_of_block(int products, const char *other, const char *end) {
  char text[16384], body[8192] = "";
  for (int i = 0; i < products; i++)
    snprintf(body + strlen(body), sizeof body - strlen(body),
             "fma.rn.f32 %%f%d, %%f%d, %%f9, %%f9;", i % 8, i % 8);
  snprintf(text, sizeof text, "%s%s%s%s%s%s",
           KERNEL
           "ld.param.u64 %rd1, [p]; ld.param.u32 %r9, [n]; ld.global.f32 %f9, [%rd1];"
           "mov.u32 %r1, 0; L: ",
           other, body, "add.s32 %r1, %r1, 1; ", end,
           "add.f32 %f0, %f0, %f1; add.f32 %f2, %f2, %f3; add.f32 %f4, %f4, %f5;"
           "add.f32 %f6, %f6, %f7; add.f32 %f0, %f0, %f2; add.f32 %f4, %f4, %f6;"
           "add.f32 %f0, %f0, %f4; st.global.f32 [%rd1], %f0; ret; }");
  return count_of(code_of(text), "fma") / products;
}

static const char *eight = "setp.ne.s32 %p1, %r1, 8; @%p1 bra L;";

// ptxas 13 has the same numbers, but for the limits: 57 products there.
static void known_turns_of_one_block_are_written_out_if_few_are_added(void **state) {
  (void)state;
  assert_int_equal(copies_of_block(8, "", eight), 8);
  assert_int_equal(copies_of_block(48, "", eight), 8);
  // Each added product weighs with the size of the loop: a divisor, or none.
  assert_int_equal(copies_of_block(56, "", eight), 4);
  assert_int_equal(copies_of_block(76, "", eight), 1);
  assert_int_equal(copies_of_block(8, "", "setp.ne.s32 %p1, %r1, 64; @%p1 bra L;"), 64);
  assert_int_equal(copies_of_block(16, "", "setp.ne.s32 %p1, %r1, 64; @%p1 bra L;"), 16);
  // Accesses to an address that is known weigh less.
  assert_int_equal(
      copies_of_block(60, "st.shared.u32 [%r1], %r9; st.shared.u32 [%r1+8], %r9;", eight), 8);
}

static void some_loops_of_one_block_are_kept(void **state) {
  (void)state;
  assert_int_equal(copies_of_block(8, ONCE, eight), 1);
  assert_int_equal(copies_of_block(8, "shfl.sync.bfly.b32 %r2, %r2, 1, 31, -1;", eight), 1);
  assert_int_equal(copies_of_block(8, "membar.gl;", eight), 1);
  assert_int_equal(
      copies_of_block(8, "sqrt.rn.f32 %f0, %f0;", "setp.eq.s32 %p1, %r1, 8; @!%p1 bra L;"), 1);
  assert_int_equal(copies_of_block(8, "bar.sync 0;", eight), 8);
  assert_int_equal(copies_of_block(8, "atom.global.add.u32 %r3, [%rd1], %r9;", eight), 8);
}

// A row of 20 bytes for each turn: the rows are offsets of one address, and where an offset is
// aligned, words are loaded together.
static void rows_of_a_tile_become_offsets(void **state) {
  (void)state;
  const char *code =
      code_of(KERNEL
              ".shared .align 16 .b8 tile[4096]; ld.param.u64 %rd1, [p]; mov.u32 %r2, %tid.x;"
              "shl.b32 %r3, %r2, 2; mov.u32 %r8, tile; mov.u32 %r1, 0;"
              "L: mad.lo.s32 %r4, %r1, 5, %r3; shl.b32 %r5, %r4, 2; add.s32 %r6, %r8, %r5;"
              "ld.shared.f32 %f1, [%r6]; ld.shared.f32 %f2, [%r6+4]; ld.shared.f32 %f3, [%r6+8];"
              "ld.shared.f32 %f4, [%r6+12]; add.f32 %f0, %f0, %f1; add.f32 %f0, %f0, %f2;"
              "add.f32 %f0, %f0, %f3; add.f32 %f0, %f0, %f4; add.s32 %r1, %r1, 1;"
              "setp.ne.s32 %p1, %r1, 4; @%p1 bra L; st.global.f32 [%rd1], %f0; ret; }");
  assert_int_equal(count_of(code, "ld.shared.v4"), 1);
  assert_int_equal(count_of(code, "ld.shared.v2"), 4);
  assert_int_equal(count_of(code, "ld.shared.f32"), 4);
  assert_int_equal(count_of(code, "mad"), 0);
  assert_int_equal(count_of(code, "shl"), 2);
  assert_int_equal(count_of(code, "bra"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops_that_count_are_unrolled),
      cmocka_unit_test(what_leaves_when_its_test_holds_is_not_unrolled),
      cmocka_unit_test(turns_of_a_known_number_are_written_out),
      cmocka_unit_test(known_turns_of_one_block_are_written_out_if_few_are_added),
      cmocka_unit_test(some_loops_of_one_block_are_kept),
      cmocka_unit_test(rows_of_a_tile_become_offsets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
