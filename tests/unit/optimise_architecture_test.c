// SPDX-License-Identifier: MIT
// What the optimising pass does differently for each architecture (isa/compiler.h).
#include "unit/optimise_support.h"

// How many instructions of kernel k have the text, with the timing of an opcode (or of any).
static int count_in(const char *text, uint32_t architecture, const char *word, int op) {
  Program *program = compile_for(text, architecture);
  const Function *kernel = program_find_kernel(program, "k");
  int count = 0;
  for (uint32_t i = 0; i < kernel->code_count; i++) {
    const Instruction *in = &program->code[kernel->entry + i];
    count += strstr(in->text, word) && (op < 0 || in->form.op == op);
  }
  program_destroy(program);
  return count;
}

static uint32_t registers_for(const char *text, uint32_t architecture) {
  Program *program = compile_for(text, architecture);
  uint32_t registers = program_find_kernel(program, "k")->registers;
  program_destroy(program);
  return registers;
}

// Of the first atomic of kernel k.
static Aggregation aggregation_in(const char *text, uint32_t architecture) {
  Program *program = compile_for(text, architecture);
  const Function *kernel = program_find_kernel(program, "k");
  const Instruction *in = program->code + kernel->entry;
  while (in->form.op != OP_ATOM && in->form.op != OP_RED) in++;
  Aggregation aggregation = (Aggregation)in->aggregation;
  program_destroy(program);
  return aggregation;
}

#define LOADS                                                                       \
  "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4];" \
  "ld.global.u32 %r3, [%rd1+8];"

static void sums_and_logic_of_three_operands_begin_with_maxwell(void **state) {
  (void)state;
  const char *sum = KERNEL LOADS
      "add.u32 %r4, %r1, %r2; add.u32 %r5, %r4, %r3; st.global.u32 [%rd1], %r5; ret; }";
  const char *logic = KERNEL LOADS
      "and.b32 %r4, %r1, %r2; xor.b32 %r5, %r4, %r3; st.global.u32 [%rd1], %r5; ret; }";
  static const struct {
    uint32_t architecture;
    int count;
  } tries[] = {{20, 0}, {35, 0}, {37, 0}, {50, 1}, {61, 1}, {70, 1}, {90, 1}, {0, 1}};
  for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
    assert_int_equal(count_in(sum, tries[i].architecture, "add.three", -1), tries[i].count);
    assert_int_equal(count_in(logic, tries[i].architecture, "lop3", -1), tries[i].count);
  }
}

// A step of MD5: LEA.HI, LOP3.
static void rotations_and_selections_are_one_instruction_from_volta_on(void **state) {
  (void)state;
  const char *rotation = KERNEL LOADS
      "shf.l.wrap.b32 %r4, %r1, %r1, 7; add.u32 %r5, %r4, %r2; st.global.u32 [%rd1], %r5; ret; }";
  assert_int_equal(count_in(rotation, 61, "shf", -1), 1);
  assert_int_equal(count_in(rotation, 70, "shf", -1), 0);
  assert_int_equal(count_in(rotation, 70, "funnel.add", -1), 1);
  const char *selection = KERNEL LOADS
      "and.b32 %r4, %r1, %r3; not.b32 %r5, %r3; and.b32 %r6, %r2, %r5; or.b32 %r7, %r4, %r6;"
      "st.global.u32 [%rd1], %r7; ret; }";
  Program *program = compile_for(selection, 70);
  const Function *kernel = program_find_kernel(program, "k");
  const Instruction *logic = &program->code[kernel->entry + kernel->code_count - 3];
  assert_int_equal(logic->form.op, OP_LOP3);
  assert_int_equal(count_in(selection, 70, ".b32", -1), count_in(selection, 70, "lop3", -1));
  assert_true(count_in(selection, 61, "not.b32", -1) == 1);
  // Where the third operand is set, the first, else the second.
  int at_first = -1;
  for (int i = 0; i < 3; i++)
    if (logic->src[i] == program->code[kernel->entry].dst[0]) at_first = i;
  assert_true(at_first >= 0);
  assert_int_equal(__builtin_popcountll((uint64_t)logic->offset), 4);
  program_destroy(program);
}

// ptxas: 18 instructions, and 10 for a second division by the same register in the block.
static void divisions_by_one_register_share_its_reciprocal(void **state) {
  (void)state;
  const char *text = KERNEL LOADS
      "div.u32 %r4, %r1, %r3; div.u32 %r5, %r2, %r3; add.u32 %r6, %r4, %r5;"
      "st.global.u32 [%rd1], %r6; ret; }";
  assert_int_equal(count_in(text, 61, "div.u32", -1), 36);
  assert_int_equal(count_in(text, 86, "div.u32", -1), 28);
  const char *other = KERNEL LOADS
      "div.u32 %r4, %r1, %r3; add.u32 %r3, %r3, 1; div.u32 %r5, %r2, %r3; add.u32 %r6, %r4, %r5;"
      "st.global.u32 [%rd1], %r6; ret; }";
  assert_int_equal(count_in(other, 86, "div.u32", -1), 36);
}

// Around the call for numbers that are not normal, and where its threads are back.
static void exact_divisions_branch_from_volta_on(void **state) {
  (void)state;
  const char *text = KERNEL
      "ld.param.u64 %rd1, [p]; ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4];"
      "div.rn.f32 %f3, %f1, %f2; st.global.f32 [%rd1], %f3; ret; }";
  assert_int_equal(count_in(text, 61, "meet", -1), 0);
  assert_int_equal(count_in(text, 86, "meet", -1), 2);
  const char *root = KERNEL
      "ld.param.u64 %rd1, [p]; ld.global.f32 %f1, [%rd1]; sqrt.rn.f32 %f3, %f1;"
      "st.global.f32 [%rd1], %f3; ret; }";
  assert_int_equal(count_in(root, 86, "sqrt", OP_SETP), 1);
  assert_int_equal(count_in(root, 61, "sqrt", OP_SETP), 0);
}

// Of what no store writes; a plain one may have changed.
// One for each that releases beyond the CTA; the last releases nothing.
static void releases_beyond_a_cta_are_fences_from_volta_on(void **state) {
  (void)state;
  const char *text = KERNEL LOADS
      "st.release.gpu.global.u32 [%rd1], %r1; st.release.cta.global.u32 [%rd1+4], %r2;"
      "atom.acq_rel.sys.global.add.u32 %r5, [%rd1+8], 1; red.release.gpu.global.add.u32 [%rd1+12], "
      "1;"
      "st.release.gpu.shared.u32 [0], %r3; st.relaxed.gpu.global.u32 [%rd1+16], %r5; ret; }";
  assert_int_equal(count_in(text, 70, "fence", OP_FENCE), 3);
  assert_int_equal(count_in(text, 90, "fence", OP_FENCE), 3);
  assert_int_equal(count_in(text, 61, "fence", OP_FENCE), 0);
}

static void a_read_only_load_is_not_repeated_from_volta_on(void **state) {
  (void)state;
  const char *text = KERNEL
      "ld.param.u64 %rd1, [p]; ld.global.nc.u32 %r1, [%rd1+8]; ld.global.nc.u32 %r2, [%rd1+8];"
      "mad.lo.u32 %r3, %r1, %r2, %r1; st.global.u32 [%rd1], %r3; ret; }";
  assert_int_equal(count_in(text, 61, "ld.global.nc", -1), 2);
  assert_int_equal(count_in(text, 70, "ld.global.nc", -1), 1);
  const char *plain = KERNEL
      "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1+8]; ld.global.u32 %r2, [%rd1+8];"
      "mad.lo.u32 %r3, %r1, %r2, %r1; st.global.u32 [%rd1], %r3; ret; }";
  assert_int_equal(count_in(plain, 70, "ld.global", -1), 2);
}

static void a_scaled_sum_costs_a_shift_before_volta(void **state) {
  (void)state;
  const char *text =
      KERNEL LOADS "shl.b32 %r4, %r1, 3; add.u32 %r5, %r4, %r2; st.global.u32 [%rd1], %r5; ret; }";
  assert_int_equal(count_in(text, 35, "mad.lo", OP_SHL), 1);
  assert_int_equal(count_in(text, 52, "mad.lo", OP_SHL), 1);
  assert_int_equal(count_in(text, 70, "mad.lo", OP_MAD), 1);
  const char *product = KERNEL LOADS
      "mul.lo.u32 %r4, %r1, 7; add.u32 %r5, %r4, %r2; st.global.u32 [%rd1], %r5; ret; }";
  assert_int_equal(count_in(product, 35, "mad.lo", OP_MAD), 1);
}

// IMAD.WIDE; before, IMAD and IMAD.HI, and on Maxwell shifts and sums.
static void an_address_takes_more_instructions_before_volta(void **state) {
  (void)state;
  const char *text = KERNEL LOADS
      "mul.wide.s32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;"
      "ld.global.u32 %r5, [%rd3]; st.global.u32 [%rd1], %r5; ret; }";
  static const struct {
    uint32_t architecture;
    int count;
  } tries[] = {{20, 2}, {35, 2}, {52, 4}, {70, 1}};
  for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++)
    assert_int_equal(count_in(text, tries[i].architecture, "mad.wide", -1), tries[i].count);
}

static void divergence_costs_what_the_architecture_emits(void **state) {
  (void)state;
  const char *text = KERNEL LOADS
      "mov.u32 %r9, %tid.x; setp.lt.u32 %p1, %r9, %r1; @%p1 bra L;"
      "atom.global.add.u32 %r4, [%rd1+64], %r2; atom.global.add.u32 %r5, [%rd1+68], %r3;"
      "atom.global.add.u32 %r6, [%rd1+72], %r3; atom.global.add.u32 %r7, [%rd1+76], %r3;"
      "atom.global.add.u32 %r6, [%rd1+72], %r3; atom.global.add.u32 %r7, [%rd1+76], %r3;"
      "atom.global.add.u32 %r6, [%rd1+72], %r3; atom.global.add.u32 %r7, [%rd1+76], %r3;"
      "L: st.global.u32 [%rd1], %r3; ret; }";
  static const struct {
    uint32_t architecture;
    int count;
  } tries[] = {{20, 1}, {35, 1}, {52, 2}, {70, 3}};
  for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++)
    assert_int_equal(count_in(text, tries[i].architecture, "meet", -1), tries[i].count);
}

// The latencies of the older GPUs' configurations are those of the PTX instruction.
static void approximate_functions_are_expanded_from_volta_on(void **state) {
  (void)state;
  const char *text = KERNEL
      "ld.param.u64 %rd1, [p]; ld.global.f32 %f1, [%rd1]; ex2.approx.f32 %f2, %f1;"
      "st.global.f32 [%rd1], %f2; ret; }";
  assert_int_equal(count_in(text, 52, "ex2", -1), 1);
  assert_int_equal(count_in(text, 70, "ex2", -1), 4);
}

// Forty loads, which may all be issued before the first sum.
static void fermi_keeps_fewer_registers(void **state) {
  (void)state;
  static char text[8192];
  int at = snprintf(text, sizeof text, "%s", KERNEL "ld.param.u64 %rd1, [p]; mov.u32 %r0, 0;");
  for (int i = 0; i < 60; i++)
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "ld.shared.u32 %%r%d, [%d]; mul.lo.u32 %%r%d, %%r%d, %%r%d;"
                   "add.u32 %%r0, %%r0, %%r%d;",
                   1 + i % 30, 8 * i, 1 + i % 30, 1 + i % 30, 1 + i % 30, 1 + i % 30);
  snprintf(text + at, sizeof text - (size_t)at, "st.global.u32 [%%rd1], %%r0; ret; }");
  assert_in_range(registers_for(text, 20), 8, 20);
  assert_in_range(registers_for(text, 70), 21, 40);
}

// What ptxas 13.0 emits for these kernels, by architecture: frontends/ptx/optimise/aggregate.c.
static void atomics_at_one_address_are_aggregated_as_ptxas_does(void **state) {
  (void)state;
#define ADDRESS "ld.param.u64 %rd1, [p]; ld.param.u32 %r9, [n]; mov.u32 %r1, %tid.x;"
#define LANE "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [%rd3];"
  static const struct {
    const char *body;
    Aggregation pascal, volta, ampere;
  } tries[] = {
      {"red.global.add.u32 [%rd1], 1; ret; }", BY_LANE, BY_WARP, BY_WARP},
      {"red.global.add.u32 [%rd1], %r9; ret; }", BY_LANE, BY_WARP, BY_WARP},
      {"red.global.add.u64 [%rd1], 1; ret; }", BY_LANE, BY_WARP, BY_WARP},
      {"atom.global.add.u32 %r3, [%rd1], 1; st.global.u32 [%rd1+8], %r3; ret; }", BY_LANE, BY_WARP,
       BY_WARP},
      {"mov.u32 %r4, %ctaid.x; mul.wide.u32 %rd4, %r4, 4; add.s64 %rd5, %rd1, %rd4;"
       "red.global.add.u32 [%rd5], 1; ret; }",
       BY_LANE, BY_WARP, BY_WARP},
      {"ld.global.u64 %rd4, [%rd1]; red.global.add.u32 [%rd4], 1; ret; }", BY_LANE, BY_WARP,
       BY_WARP},
      {LANE "red.global.add.u32 [%rd1], %r2; ret; }", BY_LANE, BY_FULL_WARP, BY_WARP},
      {LANE "red.global.max.s32 [%rd1], %r2; ret; }", BY_LANE, BY_FULL_WARP, BY_WARP},
      {LANE "atom.global.add.u32 %r3, [%rd1], %r2; st.global.u32 [%rd3], %r3; ret; }", BY_LANE,
       BY_FULL_WARP, BY_FULL_WARP},
      {LANE "atom.global.max.u32 %r3, [%rd1], %r2; st.global.u32 [%rd3], %r3; ret; }", BY_LANE,
       BY_LANE, BY_LANE},
      {LANE "cvt.u64.u32 %rd6, %r2; red.global.add.u64 [%rd1], %rd6; ret; }", BY_LANE, BY_LANE,
       BY_LANE},
      {"red.global.inc.u32 [%rd1], 9; ret; }", BY_LANE, BY_LANE, BY_LANE},
      {"mov.f32 %f1, 0f3F800000; red.global.add.f32 [%rd1], %f1; ret; }", BY_LANE, BY_LANE,
       BY_LANE},
      {LANE "red.global.add.u32 [%rd3], 1; ret; }", BY_LANE, BY_LANE, BY_LANE},
      {"shr.u32 %r4, %r1, 5; mul.wide.u32 %rd4, %r4, 4; add.s64 %rd5, %rd1, %rd4;"
       "red.global.add.u32 [%rd5], 1; ret; }",
       BY_LANE, BY_LANE, BY_LANE},
      // An address that depends on the way taken, and one by which a divergent loop has come.
      {LANE "setp.gt.u32 %p1, %r2, 3; add.s64 %rd4, %rd1, 4; selp.b64 %rd5, %rd1, %rd4, %p1;"
            "red.global.add.u32 [%rd5], 1; ret; }",
       BY_LANE, BY_LANE, BY_LANE},
      {LANE "mov.u64 %rd5, %rd1; mov.u32 %r5, 0;" ONCE
            "LOOP: red.global.add.u32 [%rd5], 1; add.s64 %rd5, %rd5, 4; add.u32 %r5, %r5, 1;"
            "setp.lt.u32 %p1, %r5, %r2; @%p1 bra LOOP; ret; }",
       BY_LANE, BY_LANE, BY_LANE},
      {"mov.u64 %rd5, %rd1; mov.u32 %r5, 0;" ONCE
       "LOOP: red.global.add.u32 [%rd5], 1; add.s64 %rd5, %rd5, 4; add.u32 %r5, %r5, 1;"
       "setp.lt.u32 %p1, %r5, %r9; @%p1 bra LOOP; ret; }",
       BY_LANE, BY_WARP, BY_WARP},
  };
  for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
    char text[2048];
    snprintf(text, sizeof text, "%s%s", KERNEL ADDRESS, tries[i].body);
    assert_int_equal(aggregation_in(text, 61), tries[i].pascal);
    assert_int_equal(aggregation_in(text, 75), tries[i].volta);
    assert_int_equal(aggregation_in(text, 80), tries[i].ampere);
  }
}

// As in the code of ptxas 13: PRMT; SHF and LOP3; three for a field known at run time.
static void fields_from_volta_on_are_short(void **state) {
  (void)state;
  static const struct {
    const char *operands;
    int count;
  } tries[] = {{"8, 8", 1}, {"16, 8", 1}, {"3, 20", 2}, {"%r2, 20", 3}, {"%r2, %r3", 3}};
  for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
    char text[1024];
    snprintf(text, sizeof text, "%s%s bfe.u32 %%r4, %%r1, %s; st.global.u32 [%%rd1], %%r4; ret; }",
             KERNEL, LOADS, tries[i].operands);
    assert_int_equal(count_in(text, 70, "bfe", -1), tries[i].count);
    assert_int_equal(count_in(text, 86, "bfe", -1), tries[i].count);
  }
}

// A byte that was loaded is widened by nothing, one of a word by a mask: ptxas 13 for 7.5 and 8.6.
static void what_fits_is_converted_by_a_copy_from_volta_on(void **state) {
  (void)state;
  const char *byte = KERNEL LOADS
      "ld.global.u8 %h1, [%rd1]; ld.global.u8 %h2, [%rd1+1]; xor.b16 %h3, %h1, %h2;"
      "cvt.u32.u8 %r4, %h3; cvt.u64.u16 %rd2, %h3; and.b64 %rd3, %rd2, 255; add.u32 %r5, %r4, %r1;"
      "add.s64 %rd4, %rd1, %rd3; st.global.u32 [%rd4], %r5; ret; }";
  const char *word = KERNEL LOADS
      "cvt.u16.u32 %h1, %r1; cvt.u32.u8 %r4, %h1; add.u32 %r5, %r4, %r1;"
      "st.global.u32 [%rd1], %r5; ret; }";
  assert_int_equal(count_in(byte, 60, "cvt.u32.u8", -1), 1);
  assert_int_equal(count_in(byte, 70, "cvt.u32.u8", -1), 0);
  assert_int_equal(count_in(byte, 86, "and", -1), 0);
  assert_int_equal(count_in(word, 86, "cvt.u32.u8", -1), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fields_from_volta_on_are_short),
      cmocka_unit_test(what_fits_is_converted_by_a_copy_from_volta_on),
      cmocka_unit_test(sums_and_logic_of_three_operands_begin_with_maxwell),
      cmocka_unit_test(rotations_and_selections_are_one_instruction_from_volta_on),
      cmocka_unit_test(divisions_by_one_register_share_its_reciprocal),
      cmocka_unit_test(exact_divisions_branch_from_volta_on),
      cmocka_unit_test(releases_beyond_a_cta_are_fences_from_volta_on),
      cmocka_unit_test(a_read_only_load_is_not_repeated_from_volta_on),
      cmocka_unit_test(a_scaled_sum_costs_a_shift_before_volta),
      cmocka_unit_test(an_address_takes_more_instructions_before_volta),
      cmocka_unit_test(divergence_costs_what_the_architecture_emits),
      cmocka_unit_test(approximate_functions_are_expanded_from_volta_on),
      cmocka_unit_test(fermi_keeps_fewer_registers),
      cmocka_unit_test(atomics_at_one_address_are_aggregated_as_ptxas_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
