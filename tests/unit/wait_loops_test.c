// SPDX-License-Identifier: MIT
// Which loops wait for a time, and what they write.
#include "unit/cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "exec/memory/device_memory.h"
#include "frontends/ptx/link/load.h"
#include "sm/waiting/wait_loops.h"

static Program *load(const char *body, bool optimises) {
  char text[2048];
  snprintf(text, sizeof text,
           ".version 6.3\n.target sm_70\n.address_size 64\n"
           ".shared .align 4 .b8 shared[64];\n"
           ".visible .entry k()\n{\n.reg .u32 %%r<9>;\n.reg .u64 %%rd<9>;\n.reg .f32 %%f<9>;\n"
           ".reg .pred %%p<4>;\n%s\nret;\n}\n",
           body);
  PtxText ptx = {"test", text, strlen(text)};
  CompilerConfig compiler = {.optimise = optimises};
  Program *program;
  Error err;
  if (ptx_compile_texts(&program, &ptx, 1, PROGRAM_BASE, &compiler, &err) != OK)
    fail_msg("%s", err.text);
  return program;
}

static uint32_t count(const char *body) {
  Program *program = load(body, false);
  WaitLoops loops;
  wait_loops_find(&loops, program);
  uint32_t found = loops.count;
  wait_loops_clear(&loops);
  program_destroy(program);
  return found;
}

#define WAIT                                                                     \
  "L: mov.u32 %r1, %clock;\nsub.u32 %r2, %r1, %r0;\nsetp.lt.u32 %p1, %r2, 99;\n" \
  "@%p1 bra L;\n"

static void loops_that_read_the_clock_wait(void **state) {
  (void)state;
  assert_int_equal(count(WAIT), 1);
  assert_int_equal(count(WAIT "M: nanosleep.u32 9;\nadd.u32 %r3, %r3, 1;\n"
                              "setp.lt.u32 %p2, %r3, 9;\n@%p2 bra M;\n"),
                   2);
  assert_int_equal(count("L: mov.u64 %rd1, %globaltimer;\nsetp.lt.u64 %p1, %rd1, %rd2;\n"
                         "@!%p1 bra E;\nbra L;\nE:\n"),
                   1);
}

static void others_do_not(void **state) {
  (void)state;
  // no clock; clock outside the loop
  assert_int_equal(count("L: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 99;\n@%p1 bra L;\n"), 0);
  assert_int_equal(count("mov.u32 %r0, %clock;\nL: add.u32 %r1, %r1, 1;\n"
                         "setp.lt.u32 %p1, %r1, %r0;\n@%p1 bra L;\n"),
                   0);
  // memory, a barrier, other lanes, a carry
  static const char *const with[] = {
      "ld.volatile.shared.u32 %r3, [shared];",  "st.global.u32 [%rd1], %r1;", "bar.sync 0;",
      "shfl.sync.idx.b32 %r3, %r1, 0, 31, -1;", "add.cc.u32 %r3, %r1, %r1;",  "membar.gl;"};
  for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
    char body[512];
    snprintf(body, sizeof body,
             "L: mov.u32 %%r1, %%clock;\n%s\nsetp.lt.u32 %%p1, %%r1, 99;\n"
             "@%%p1 bra L;\n",
             with[i]);
    assert_int_equal(count(body), 0);
  }
}

static void a_loop_names_what_it_writes(void **state) {
  (void)state;
  Program *program = load("mov.u32 %r0, %clock;\n" WAIT "add.u32 %r5, %r2, 1;\n", false);
  WaitLoops loops;
  wait_loops_find(&loops, program);
  assert_int_equal(loops.count, 1);
  const WaitLoop *loop = &loops.loops[0];
  assert_int_equal(loop->first, 1);
  assert_int_equal(loop->last, 4);
  assert_int_equal(loop->place_count, 2);     // r1, r2
  assert_int_equal(loop->register_count, 4);  // r0, p1
  assert_false(loop->reads_timer);
  assert_ptr_equal(wait_loops_at(&loops, 3), loop);
  assert_null(wait_loops_at(&loops, 0));
  assert_null(wait_loops_at(&loops, 5));
  wait_loops_clear(&loops);
  program_destroy(program);
}

// A difference of 64 bits is a step and the difference.
static void optimised_code_has_steps(void **state) {
  (void)state;
  Program *program = load(
      "mov.u64 %rd0, %clock64;\nL: mov.u64 %rd1, %clock64;\n"
      "sub.u64 %rd2, %rd1, %rd0;\nsetp.lt.u64 %p1, %rd2, 99;\n@%p1 bra L;\n"
      "st.shared.u64 [shared], %rd2;\n",
      true);
  WaitLoops loops;
  wait_loops_find(&loops, program);
  assert_int_equal(loops.count, 1);
  uint32_t steps = 0, length = loops.loops[0].last - loops.loops[0].first + 1;
  for (uint32_t i = 0; i < length; i++)
    steps += wait_op(&program->code[loops.loops[0].first + i]) == WAIT_STEP;
  assert_true(steps >= 2);
  assert_int_equal(loops.loops[0].place_count, 2);
  wait_loops_clear(&loops);
  program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops_that_read_the_clock_wait),
      cmocka_unit_test(others_do_not),
      cmocka_unit_test(a_loop_names_what_it_writes),
      cmocka_unit_test(optimised_code_has_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
