// SPDX-License-Identifier: MIT
// The order in which the optimising pass issues the instructions of a block.
#include "unit/optimise_support.h"

// Eight products of a word from global memory and sixteen from shared memory: unrolled, with 16
// sums. All loads from shared memory at once would take 128 registers.
static const char *tiles(void) {
  static char text[16384];
  int at = snprintf(text, sizeof text, "%s",
                    KERNEL
                    ".shared .align 16 .b8 s[1024]; .reg .f32 %v<16>, %s<16>; .reg .u32 %n;"
                    "ld.param.u64 %rd1, [p]; ld.param.u32 %n, [n];"
                    "ld.global.f32 %f1, [%rd1]; st.shared.f32 [s], %f1; bar.sync 0;");
  for (int l = 0; l < 8; l++) {
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "mul.lo.s32 %%r%d, %%n, %d; mul.wide.s32 %%rd%d, %%r%d, 4;"
                   "add.s64 %%rd%d, %%rd1, %%rd%d; ld.global.f32 %%f%d, [%%rd%d];",
                   l, l + 1, 2 + l, l, 12 + l, 2 + l, 2 + l, 12 + l);
    for (int j = 0; j < 16; j++) {
      at += snprintf(text + at, sizeof text - (size_t)at, "ld.shared.f32 %%v%d, [s+%d];", j,
                     64 * l + 4 * j);
      at += snprintf(text + at, sizeof text - (size_t)at,
                     l ? "fma.rn.f32 %%s%d, %%f%d, %%v%d, %%s%d;" : "mul.f32 %%s%d, %%f%d, %%v%d;",
                     j, 2 + l, j, j);
    }
  }
  for (int j = 0; j < 16; j++)
    at +=
        snprintf(text + at, sizeof text - (size_t)at, "st.global.f32 [%%rd1+%d], %%s%d;", 4 * j, j);
  snprintf(text + at, sizeof text - (size_t)at, "ret; }");
  return text;
}

static void loads_from_global_memory_come_first(void **state) {
  (void)state;
  const char *code = code_of(tiles()), *behind = strstr(code, "mul.f32");
  assert_int_equal(count_of(code, "ld.global"), 9);
  assert_int_equal(count_of(code, "ld.shared.v4"), 32);
  assert_non_null(behind);
  assert_int_equal(count_of(behind, "ld.global"), 0);
}

// The pipeline takes an instruction every second cycle: loads for the next products go out in
// between, not all before them.
static void loads_from_shared_memory_come_between(void **state) {
  (void)state;
  const char *code = code_of(tiles()), *products = strstr(code, "mul.f32");
  assert_in_range(count_of(products, "ld.shared.v4"), 20, 28);
  assert_in_range(count_of(products, "fma.rn.f32 ld.shared.v4"), 18, 28);
  assert_in_range(count_of(products, "ld.shared.v4.f32 ld.shared.v4"), 0, 4);
}

static void they_take_64_registers_at_most(void **state) {
  (void)state;
  Program *program = compile(tiles());
  assert_in_range(program_find_kernel(program, "k")->registers, 40, 64);
  program_destroy(program);
}

static void where_few_registers_are_kept_they_look_less_far_ahead(void **state) {
  (void)state;
  Program *program;
  Error err;
  PtxText ptx = {"test.ptx", tiles(), strlen(tiles())};
  CompilerConfig compiler = {.optimise = true, .architecture = 86};
  if (ptx_compile_texts(&program, &ptx, 1, PROGRAM_BASE, &compiler, &err) != OK)
    fail_msg("%s", err.text);
  assert_in_range(program_find_kernel(program, "k")->registers, 20, 40);
  program_destroy(program);
}

// A sum of words in a row: loads in front of the first addition, for 8.6.
static int loads_ahead(int words) {
  static char text[16384];
  int at = snprintf(text, sizeof text, "%s",
                    KERNEL ".reg .f32 %v<99>; ld.param.u64 %rd1, [p]; mov.f32 %f1, 0f00000000;");
  for (int i = 0; i < words; i++)
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "ld.global.f32 %%v%d, [%%rd1+%d]; add.f32 %%f1, %%f1, %%v%d;", i, 4 * i, i);
  snprintf(text + at, sizeof text - (size_t)at, "st.global.f32 [%%rd1], %%f1; ret; }");
  Program *program;
  Error err;
  PtxText ptx = {"test.ptx", text, strlen(text)};
  CompilerConfig compiler = {.optimise = true, .architecture = 86};
  if (ptx_compile_texts(&program, &ptx, 1, PROGRAM_BASE, &compiler, &err) != OK)
    fail_msg("%s", err.text);
  const Function *kernel = program_find_kernel(program, "k");
  const Instruction *in = program->code + kernel->entry;
  int count = 0;
  for (; in->form.op != OP_ADD || in->form.type != TYPE_F32; in++) count += in->form.op == OP_LD;
  program_destroy(program);
  return count;
}

// ptxas 13 has 27 of 32 with 38 registers.
static void as_many_loads_are_ahead_as_40_registers_allow(void **state) {
  (void)state;
  assert_int_equal(loads_ahead(8), 8);
  assert_in_range(loads_ahead(48), 20, 34);
}

// No store writes what ld.global.nc reads.
static void read_only_loads_pass_barriers(void **state) {
  (void)state;
  static const char *const after =
      ".shared .b32 s[64]; ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1];"
      "st.shared.u32 [s], %r1; bar.sync 0;";
  char text[1024];
  snprintf(text, sizeof text, "%s%s%s", KERNEL, after,
           "ld.global.nc.u32 %r2, [%rd1+64]; st.global.u32 [%rd1+128], %r2; ret; }");
  assert_non_null(strstr(strstr(code_of(text), "ld.global.nc"), "bar.sync"));
  snprintf(text, sizeof text, "%s%s%s", KERNEL, after,
           "ld.global.s32 %r2, [%rd1+64]; st.global.u32 [%rd1+128], %r2; ret; }");
  assert_null(strstr(strstr(code_of(text), "ld.global.s32"), "bar.sync"));
}

// Two sums of 200 words of shared memory, of which the second is 90 ahead: as written, 90 words are
// kept until the first needs them. The factors are operands from constant memory.
static const char *lagging_sums(void) {
  enum { TURNS = 110, AHEAD = 90 };
  static char text[32768];
  int at = snprintf(text, sizeof text, "%s",
                    KERNEL
                    ".const .align 4 .b8 c[1024]; .shared .align 16 .b8 s[1024];"
                    ".reg .f32 %v<200>, %s<2>, %c<110>;"
                    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.f32 %s0, 0f00000000;"
                    "mov.f32 %s1, 0f00000000; mov.u32 %r2, s; add.s32 %r2, %r2, %r1; bar.sync 0;");
  for (int v = 0; v < AHEAD; v++)
    at +=
        snprintf(text + at, sizeof text - (size_t)at, "ld.shared.f32 %%v%d, [%%r2+%d];", v, 4 * v);
  for (int i = 0; i < TURNS; i++)
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "ld.shared.f32 %%v%d, [%%r2+%d]; ld.const.f32 %%c%d, [c+%d];"
                   "fma.rn.f32 %%s0, %%v%d, %%c%d, %%s0; fma.rn.f32 %%s1, %%v%d, %%c%d, %%s1;",
                   i + AHEAD, 4 * (i + AHEAD), i, 4 * i, i, i, i + AHEAD, i);
  snprintf(text + at, sizeof text - (size_t)at,
           "st.global.f32 [%%rd1], %%s0; st.global.f32 [%%rd1+4], %%s1; ret; }");
  return text;
}

static void sums_that_share_words_advance_together(void **state) {
  (void)state;
  Program *program = compile(lagging_sums());
  assert_in_range(program_find_kernel(program, "k")->registers, 10, 64);
  program_destroy(program);
}

// As ptxas has it: the sum before a shift that needs the ALU is IMAD, one with time for it IADD3.
static void sums_beside_work_of_the_alu_are_multiplied(void **state) {
  (void)state;
  static const char text[] = KERNEL
      "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4];\n"
      "add.u32 %r3, %r1, %r2; shr.u32 %r4, %r1, 1; xor.b32 %r5, %r4, %r3; add.u32 %r6, %r5, %r5;\n"
      "st.global.u32 [%rd1], %r6; ret; }";
  Program *program = compile(text);
  const Function *kernel = program_find_kernel(program, "k");
  uint32_t sums = 0, multiplied = 0;
  for (uint32_t i = 0; i < kernel->code_count; i++) {
    const Instruction *in = &program->code[kernel->entry + i];
    assert_true(!in->is_multiplied || in->form.op == OP_ADD || in->form.op == OP_MOV);
    if (strcmp(in->text, "add.u32") != 0) continue;
    sums++;
    multiplied += in->is_multiplied;
  }
  program_destroy(program);
  assert_int_equal(sums, 2);
  assert_int_equal(multiplied, 1);
}

static void sums_among_sums_are_not(void **state) {
  (void)state;
  Program *program = compile(
      KERNEL
      "ld.param.u64 %rd1, [p]; ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];\n"
      "add.u32 %r5, %r1, 7; add.u32 %r6, %r2, 7; add.u32 %r7, %r3, 7; add.u32 %r8, %r4, 7;\n"
      "st.global.v4.u32 [%rd1], {%r5, %r6, %r7, %r8}; ret; }");
  const Function *kernel = program_find_kernel(program, "k");
  uint32_t multiplied = 0;
  for (uint32_t i = 0; i < kernel->code_count; i++) {
    const Instruction *in = &program->code[kernel->entry + i];
    multiplied += in->is_multiplied && in->form.op == OP_ADD;
  }
  program_destroy(program);
  assert_true(multiplied < 2);  // of four
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loads_from_global_memory_come_first),
      cmocka_unit_test(loads_from_shared_memory_come_between),
      cmocka_unit_test(they_take_64_registers_at_most),
      cmocka_unit_test(as_many_loads_are_ahead_as_40_registers_allow),
      cmocka_unit_test(where_few_registers_are_kept_they_look_less_far_ahead),
      cmocka_unit_test(read_only_loads_pass_barriers),
      cmocka_unit_test(sums_that_share_words_advance_together),
      cmocka_unit_test(sums_beside_work_of_the_alu_are_multiplied),
      cmocka_unit_test(sums_among_sums_are_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
