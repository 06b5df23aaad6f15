// SPDX-License-Identifier: MIT
// The optimising pass, step by step: what becomes of small kernels. That results
// stay the same is for kernels_test and optimise_fuzz to say.
#include <stdio.h>
#include <string.h>

#include "exec/device_memory.h"
#include "frontends/ptx/link/load.h"
#include "unit/cmocka_all.h"

#define KERNEL                                      \
  ".version 6.4\n.target sm_70\n.address_size 64\n" \
  ".entry k(.param .u64 p, .param .u32 n) {\n"      \
  ".reg .u32 %r<40>; .reg .u64 %rd<40>; .reg .f32 %f<40>; .reg .pred %p<20>; .reg .b16 %h<9>;\n"

static Program *compile(const char *text) {
  Program *program;
  Error err;
  PtxText ptx = {"test.ptx", text, strlen(text)};
  CompilerConfig compiler = {.optimise = true};
  if (ptx_compile_texts(&program, &ptx, 1, PROGRAM_BASE, &compiler, &err) != OK)
    fail_msg("%s", err.text);
  return program;
}

// The opcodes of kernel k, one behind the other.
static const char *code_of(const char *text) {
  static char list[4096];
  Program *program = compile(text);
  const Function *kernel = program_find_kernel(program, "k");
  size_t used = 0;
  list[0] = 0;
  for (uint32_t i = 0; i < kernel->code_count; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? " " : "",
                             program->code[kernel->entry + i].text);
  program_destroy(program);
  return list;
}

static void what_nobody_reads_is_removed(void **state) {
  (void)state;
  assert_string_equal(code_of(KERNEL "mov.u32 %r1, %tid.x; add.s32 %r2, %r1, 1;"
                                     "mul.lo.s32 %r3, %r2, %r2; ret; }"),
                      "ret");
  // A load may fault, and the user wants to know.
  assert_string_equal(code_of(KERNEL "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; ret; }"),
                      "ld.param.u64 ld.global.u32 ret");
}

static void clocks_atomics_and_carries_stay(void **state) {
  (void)state;
  assert_string_equal(
      code_of(KERNEL "ld.param.u64 %rd1, [p]; mov.u32 %r1, %clock; add.cc.u32 %r2, %r1, 1;"
                     "addc.u32 %r3, 0, 0; atom.global.add.u32 %r4, [%rd1], 1; ret; }"),
      "ld.param.u64 mov.u32 add.cc.u32 addc.u32 atom.global.add.u32 ret");
}

static void copies_are_read_through(void **state) {
  (void)state;
  assert_string_equal(
      code_of(KERNEL "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; mov.u64 %rd3, %rd2;"
                     "mov.u32 %r1, 7; mov.u32 %r2, %r1; st.global.u32 [%rd3], %r2; ret; }"),
      "ld.param.u64 st.global.u32 ret");
}

static void a_copy_of_what_changes_stays(void **state) {
  (void)state;
  assert_string_equal(
      code_of(KERNEL "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %r1;"
                     "add.s32 %r1, %r1, 1; st.global.u32 [%rd1], %r2; st.global.u32 [%rd1+4], %r1;"
                     "ret; }"),
      "ld.param.u64 mov.u32 mov.u32 add.s32 st.global.u32 st.global.u32 ret");
}

static void unreached_blocks_are_removed(void **state) {
  (void)state;
  assert_string_equal(code_of(KERNEL "bra B; A: bar.sync 0; bra A; B: ret; }"), "bra ret");
}

static void lines_and_targets_follow_the_code(void **state) {
  (void)state;
  Program *program = compile(KERNEL
                             "mov.u32 %r1, 0;\n"
                             "mov.u32 %r9, 5;\n"
                             "L: add.s32 %r1, %r1, 1;\n"
                             "mov.u32 %r8, %r9;\n"
                             "setp.lt.u32 %p1, %r1, %r8;\n"
                             "@%p1 bra L;\n"
                             "ret; }");
  const Function *kernel = program_find_kernel(program, "k");
  const Instruction *code = program->code + kernel->entry;
  assert_int_equal(kernel->code_count, 5);  // mov add setp bra ret
  assert_int_equal(code[3].target, kernel->entry + 1);
  assert_int_equal(code[3].reconverge, kernel->entry + 4);
  assert_int_equal(code[1].line, code[0].line + 2);
  program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_nobody_reads_is_removed),
      cmocka_unit_test(clocks_atomics_and_carries_stay),
      cmocka_unit_test(copies_are_read_through),
      cmocka_unit_test(a_copy_of_what_changes_stays),
      cmocka_unit_test(unreached_blocks_are_removed),
      cmocka_unit_test(lines_and_targets_follow_the_code),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
