// SPDX-License-Identifier: MIT
// The optimising pass, step by step: what becomes of small kernels. That results
// stay the same is for kernels_test and optimise_fuzz to say.
#include "unit/optimise_support.h"

static void what_nobody_reads_is_removed(void **state) {
  (void)state;
  assert_string_equal(code_of(KERNEL "mov.u32 %r1, %tid.x; add.s32 %r2, %r1, 1;"
                                     "mul.lo.s32 %r3, %r2, %r2; ret; }"),
                      "ret");
  // A load may fault, and the user wants to know.
  assert_string_equal(code_of(KERNEL "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; ret; }"),
                      "ld.global.u32 ret");
}

static void clocks_atomics_and_carries_stay(void **state) {
  (void)state;
  assert_string_equal(
      code_of(KERNEL "ld.param.u64 %rd1, [p]; mov.u32 %r1, %clock; add.cc.u32 %r2, %r1, 1;"
                     "addc.u32 %r3, 0, 0; atom.global.add.u32 %r4, [%rd1], 1; ret; }"),
      "mov.u32 atom.global.add.u32 add.cc.u32 addc.u32 ret");
}

static void copies_are_read_through(void **state) {
  (void)state;
  assert_string_equal(
      code_of(KERNEL "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; mov.u64 %rd3, %rd2;"
                     "mov.u32 %r1, 7; mov.u32 %r2, %r1; st.global.u32 [%rd3], %r2; ret; }"),
      "st.global.u32 ret");
}

static void a_copy_of_what_changes_stays(void **state) {
  (void)state;
  assert_string_equal(
      code_of(KERNEL "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %r1;"
                     "add.s32 %r1, %r1, 1; st.global.u32 [%rd1], %r2; st.global.u32 [%rd1+4], %r1;"
                     "ret; }"),
      "mov.u32 mov.u32 add.s32 st.global.u32 st.global.u32 ret");
}

static void constants_are_computed(void **state) {
  (void)state;
  assert_string_equal(
      code_of(KERNEL "ld.param.u64 %rd1, [p]; mov.u32 %r1, 6; mul.lo.s32 %r2, %r1, 7;"
                     "add.s32 %r3, %r2, 0; shl.b32 %r4, %r3, 1; st.global.u32 [%rd1], %r4; ret; }"),
      "st.global.u32 ret");
}

static void what_was_computed_is_not_computed_again(void **state) {
  (void)state;
  assert_string_equal(
      code_of(KERNEL "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.x;"
                     "xor.b32 %r3, %r1, 5; xor.b32 %r4, %r2, 5; ld.param.u64 %rd2, [p];"
                     "st.global.u32 [%rd1], %r3; st.global.u32 [%rd2+8], %r4; ret; }"),
      "mov.u32 xor.b32 st.global.u32 st.global.u32 ret");
  // Between the two, the operand has changed.
  assert_string_equal(
      code_of(KERNEL "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; xor.b32 %r3, %r1, 5;"
                     "add.s32 %r1, %r1, 1; xor.b32 %r4, %r1, 5;"
                     "st.global.u32 [%rd1], %r3; st.global.u32 [%rd1+8], %r4; ret; }"),
      "mov.u32 xor.b32 add.s32 xor.b32 st.global.u32 st.global.u32 ret");
}

static void products_and_sums_become_one(void **state) {
  (void)state;
  assert_string_equal(
      code_of(KERNEL "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;"
                     "add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1; ret; }"),
      "mov.u32 mad.wide.u32 st.global.u32 ret");
  assert_string_equal(
      code_of(KERNEL "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; cvt.s64.s32 %rd2, %r1;"
                     "shl.b64 %rd3, %rd2, 3; add.s64 %rd4, %rd3, %rd1; add.s64 %rd5, %rd4, 16;"
                     "st.global.u32 [%rd5+4], %r1; ret; }"),
      "mov.u32 mad.wide.s32 st.global.u32 ret");
  // The result of a float product is rounded.
  assert_string_equal(code_of(KERNEL "ld.param.u64 %rd1, [p]; ld.global.f32 %f1, [%rd1];"
                                     "mul.f32 %f2, %f1, %f1; add.f32 %f3, %f2, %f1;"
                                     "st.global.f32 [%rd1], %f3; ret; }"),
                      "ld.global.f32 mul.f32 add.f32 st.global.f32 ret");
}

static void sums_become_offsets(void **state) {
  (void)state;
  Program *program =
      compile(KERNEL
              ".shared .align 4 .b8 a[64]; .shared .align 4 .b8 s[256]; mov.u32 %r1, %tid.x;"
              "shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.s32 %r4, %r3, %r2;"
              "add.s32 %r5, %r4, 8; st.shared.u32 [a], %r1; st.shared.u32 [%r5+4], %r1; ret; }");
  const Function *kernel = program_find_kernel(program, "k");
  const Instruction *code = program->code + kernel->entry;
  assert_int_equal(kernel->code_count, 5);  // mov shl st st ret
  assert_int_equal(code[3].offset - code[2].offset, 64 + 12);
  assert_int_equal(code[3].src[0], code[1].dst[0]);
  program_destroy(program);
}

static const Instruction *find_op(const Program *program, Opcode op) {
  const Function *kernel = program_find_kernel(program, "k");
  const Instruction *in = program->code + kernel->entry;
  while (in->form.op != op) in++;
  return in;
}

// As LDSM and LDGSTS have them.
static void matrices_and_copies_have_offsets(void **state) {
  (void)state;
  Program *program =
      compile(KERNEL
              ".shared .align 16 .b8 s[4096]; ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x;"
              "shl.b32 %r2, %r1, 4; add.s32 %r3, %r2, 1024; add.s64 %rd2, %rd1, 64;"
              "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r3];"
              "cp.async.ca.shared.global [%r3], [%rd2+4], 4; st.global.u32 [%rd1], %r4; ret; }");
  const Instruction *matrix = find_op(program, OP_LDMATRIX), *copy = find_op(program, OP_CP);
  assert_int_equal(matrix->offset, 1024);
  assert_int_equal(copy->offset, 1024);
  assert_int_equal(copy->target, 64 + 4);
  assert_int_equal(matrix->src[0], copy->src[0]);
  program_destroy(program);
}

#define SHARED                                                            \
  ".shared .align 16 .b8 s[4096]; mov.u32 %r1, %tid.x; mov.u32 %r2, s;\n" \
  "ld.param.u64 %rd1, [p]; shl.b32 %r3, %r1, 4; add.s32 %r4, %r2, %r3;\n"
#define LOADS                                                                         \
  "ld.shared.f32 %f1, [%r4]; ld.shared.f32 %f2, [%r4+4]; ld.shared.f32 %f3, [%r4+8];" \
  "ld.shared.f32 %f4, [%r4+12];"
#define SUM                                                                                     \
  "add.f32 %f5, %f1, %f2; add.f32 %f6, %f3, %f4; add.f32 %f7, %f5, %f6; st.global.f32 [%rd1], " \
  "%f7;"

static void neighbours_become_vectors(void **state) {
  (void)state;
  assert_string_equal(code_of(KERNEL SHARED LOADS SUM "ret; }"),
                      "mov.u32 shl.b32 ld.shared.v4.f32 add.f32 add.f32 add.f32 "
                      "st.global.f32 ret");
  // The variable of a loop that counts in steps of 64 stays aligned.
  assert_string_equal(
      code_of(KERNEL SHARED "mov.f32 %f9, 0f00000000; mov.u32 %r9, 0; L:" ONCE
                            "add.s32 %r8, %r2, %r9;"
                            "ld.shared.f32 %f1, [%r8]; add.f32 %f9, %f9, %f1;"
                            "ld.shared.f32 %f2, [%r8+4]; add.f32 %f9, %f9, %f2;"
                            "add.s32 %r9, %r9, 64; setp.lt.u32 %p1, %r9, 512; @%p1 bra L;"
                            "st.global.f32 [%rd1], %f9; ret; }"),
      "mov.f32 mov.u32 ld.shared.v2.f32 add.s32 setp.lt.u32 add.f32 add.f32 bra "
      "st.global.f32 ret");
  assert_string_equal(
      code_of(KERNEL SHARED "mov.b32 %r5, 7; st.shared.u32 [%r4], %r5; st.shared.u32 [%r4+8], %r1;"
                            "st.shared.u32 [%r4+4], %r1; st.shared.u32 [%r4+12], %r3; ret; }"),
      "mov.u32 shl.b32 st.shared.v4.u32 ret");
}

static void what_cannot_be_a_vector_stays(void **state) {
  (void)state;
  // Aligned to 4 bytes only.
  assert_string_equal(
      code_of(KERNEL SHARED "shl.b32 %r5, %r1, 2; add.s32 %r6, %r2, %r5; ld.shared.u32 %r7, [%r6];"
                            "ld.shared.u32 %r8, [%r6+4]; st.global.u32 [%rd1], %r7;"
                            "st.global.u32 [%rd1+4], %r8; ret; }"),
      "mov.u32 shl.b32 ld.shared.u32 ld.shared.u32 st.global.u32 st.global.u32 ret");
  // A barrier, a store that may hit the second word, a volatile access.
  assert_string_equal(
      code_of(KERNEL SHARED "ld.shared.u32 %r7, [%r4]; bar.sync 0; ld.shared.u32 %r8, [%r4+4];"
                            "st.global.v2.u32 [%rd1], {%r7, %r8}; ret; }"),
      "mov.u32 shl.b32 ld.shared.u32 bar.sync ld.shared.u32 st.global.v2.u32 ret");
  assert_string_equal(
      code_of(KERNEL SHARED
              "ld.shared.u32 %r7, [%r4]; st.shared.u32 [%r1], %r1;"
              "ld.shared.u32 %r8, [%r4+4]; st.global.v2.u32 [%rd1], {%r7, %r8}; ret; }"),
      "mov.u32 shl.b32 ld.shared.u32 st.shared.u32 ld.shared.u32 st.global.v2.u32 "
      "ret");
  assert_string_equal(
      code_of(KERNEL SHARED
              "ld.volatile.shared.u32 %r7, [%r4]; ld.volatile.shared.u32 %r8, [%r4+4];"
              "st.global.v2.u32 [%rd1], {%r7, %r8}; ret; }"),
      "mov.u32 shl.b32 ld.volatile.shared.u32 ld.volatile.shared.u32 "
      "st.global.v2.u32 ret");
}

static void unreached_blocks_are_removed(void **state) {
  (void)state;
  assert_string_equal(code_of(KERNEL "bra B; A: bar.sync 0; bra A; B: ret; }"), "ret");
}

static void comparisons_join(void **state) {
  (void)state;
  assert_string_equal(
      code_of(KERNEL "ld.param.u64 %rd1, [p]; ld.param.u32 %r2, [n]; mov.u32 %r1, %tid.x;"
                     "setp.gt.s32 %p1, %r1, 3; setp.lt.s32 %p2, %r1, %r2; and.pred %p3, %p1, %p2;"
                     "@%p3 st.global.u32 [%rd1], %r1; ret; }"),
      "mov.u32 setp.lt.s32 setp.gt.and.s32 st.global.u32 ret");
}

static void branches_around_branches_go(void **state) {
  (void)state;
  assert_string_equal(
      code_of(KERNEL "ld.param.u64 %rd1, [p]; mov.u32 %r1, 0; L:" ONCE "st.global.u32 [%rd1], %r1;"
                     "add.s32 %r1, %r1, 1; setp.eq.s32 %p1, %r1, 9; @%p1 bra A; bra L; A: bra B;"
                     "B: ret; }"),
      "mov.u32 st.global.u32 add.s32 setp.eq.s32 bra ret");
}

static void copies_at_the_ends_of_loops_go(void **state) {
  (void)state;
  assert_string_equal(
      code_of(KERNEL "ld.param.u64 %rd1, [p]; mov.u32 %r1, 0; L:" ONCE "mul.lo.s32 %r2, %r1, %r1;"
                     "st.global.u32 [%rd1], %r2; add.s32 %r3, %r1, 1; mov.u32 %r1, %r3;"
                     "setp.ne.s32 %p1, %r3, 9; @%p1 bra L; ret; }"),
      "mov.u32 mul.lo.s32 add.s32 setp.ne.s32 st.global.u32 bra ret");
  // Both are alive: the old count is stored behind the copy.
  assert_string_equal(
      code_of(KERNEL "ld.param.u64 %rd1, [p]; mov.u32 %r1, 0; L: add.s32 %r3, %r1, 1;"
                     "st.global.u32 [%rd1+4], %r1; mov.u32 %r1, %r3; xor.b32 %r3, %r3, 5;"
                     "st.global.u32 [%rd1], %r3;"
                     "setp.ne.s32 %p1, %r1, 9; @%p1 bra L; ret; }"),
      "mov.u32 add.s32 st.global.u32 mov.u32 xor.b32 setp.ne.s32 st.global.u32 bra ret");
}

// A guarded load of two, of which nobody reads one, does not write over what a copy
// behind it reads.
static void what_is_loaded_for_nobody_spares_the_others(void **state) {
  (void)state;
  Program *program = compile(KERNEL
                             "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1];"
                             "setp.gt.u32 %p1, %r1, 7; @%p1 ld.global.v2.u32 {%r2, %r4}, [%rd1+8];"
                             "@%p1 bra X; bar.sync 0; X: mov.u32 %r4, %r1;"
                             "st.global.u32 [%rd1+4], %r4; ret; }");
  const Function *kernel = program_find_kernel(program, "k");
  const Instruction *load = NULL, *store = NULL;
  for (uint32_t i = 0; i < kernel->code_count; i++) {
    const Instruction *in = &program->code[kernel->entry + i];
    if (in->form.op == OP_LD && in->form.vector == 2) load = in;
    if (in->form.op == OP_ST) store = in;
  }
  assert_non_null(load);
  assert_non_null(store);
  assert_int_not_equal(store->src[1], load->dst[0]);
  assert_int_not_equal(store->src[1], load->dst[1]);
  program_destroy(program);
}

static void loads_are_issued_early(void **state) {
  (void)state;
  assert_string_equal(
      code_of(KERNEL "ld.param.u64 %rd1, [p]; ld.global.f32 %f1, [%rd1]; add.f32 %f2, %f1, %f1;"
                     "ld.global.f32 %f3, [%rd1+4]; add.f32 %f4, %f3, %f2;"
                     "st.global.f32 [%rd1+8], %f4; ret; }"),
      "ld.global.f32 ld.global.f32 add.f32 add.f32 st.global.f32 ret");
  // Not past a store that may hit the same word, nor past a barrier or a clock.
  assert_string_equal(
      code_of(KERNEL
              "ld.param.u64 %rd1, [p]; ld.global.u64 %rd2, [%rd1];"
              "st.global.u32 [%rd2], 5; ld.global.u32 %r3, [%rd1+4]; bar.sync 0;"
              "ld.global.u32 %r4, [%rd1+8]; mov.u32 %r5, %clock; ld.global.u32 %r6, [%rd1+12];"
              "st.global.v4.u32 [%rd1+16], {%r3, %r4, %r5, %r6}; ret; }"),
      "ld.global.u64 st.global.u32 ld.global.u32 bar.sync ld.global.u32 mov.u32 ld.global.u32 "
      "st.global.v4.u32 ret");
}

static void short_branches_become_guards(void **state) {
  (void)state;
  Program *program = compile(KERNEL
                             "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 7;"
                             "@%p1 bra X; xor.b32 %r2, %r1, 5; ld.global.u32 %r3, [%rd1+16];"
                             "add.s32 %r4, %r3, %r2; st.global.u32 [%rd1], %r4;"
                             "X: bar.sync 0; ret; }");
  const Function *kernel = program_find_kernel(program, "k");
  int guarded = 0;
  for (uint32_t i = 0; i < kernel->code_count; i++) {
    const Instruction *in = &program->code[kernel->entry + i];
    assert_int_not_equal(in->form.op, OP_BRA);
    bool is_access = in->form.op == OP_LD || in->form.op == OP_ST;
    assert_int_equal(in->guard != NO_PLACE, is_access);
    if (in->guard != NO_PLACE) assert_true(in->guard_negated);
    guarded += in->guard != NO_PLACE;
  }
  assert_int_equal(guarded, 2);
  program_destroy(program);
  // Not around a barrier.
  assert_int_equal(count_of(code_of(KERNEL "mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 7;"
                                           "@%p1 bra X; bar.sync 0; X: bar.sync 0; ret; }"),
                            "bra"),
                   1);
  // Nor where the threads that branch are done.
  assert_int_equal(count_of(code_of(KERNEL "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x;"
                                           "setp.gt.u32 %p1, %r1, 7; @%p1 bra X;"
                                           "st.global.u32 [%rd1], %r1; X: ret; }"),
                            "bra"),
                   1);
}

// Bodies in a loop, behind a barrier: how many branches there are besides the one back.
static int branches_around(const char *body, uint32_t architecture) {
  char text[2048];
  snprintf(text, sizeof text, "%s%s%s%s",
           KERNEL
           "ld.param.u64 %rd1, [p]; ld.param.u32 %r9, [n]; mov.u32 %r1, %tid.x;"
           "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; mov.u32 %r2, 0;"
           "ld.global.u32 %r8, [%rd3+64]; setp.gt.u32 %p1, %r1, 7;"
           "L: bar.sync 0; @%p1 bra X;",
           body, "X: bar.sync 0; add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, %r9; @%p2 bra L;",
           "st.global.u32 [%rd3], %r8; ret; }");
  return count_of(code_for(text, architecture), "bra") - 1;
}

static void loads_that_stores_wait_for_stay_behind_branches_in_loops(void **state) {
  (void)state;
  static const char *const load_and_store =
      "ld.global.u32 %r3, [%rd3+4]; add.u32 %r4, %r3, %r8; st.global.u32 [%rd3+8], %r4;";
  assert_int_equal(branches_around(load_and_store, 75), 1);
  assert_int_equal(branches_around(load_and_store, 86), 1);
  assert_int_equal(branches_around(load_and_store, 90), 0);
  assert_int_equal(branches_around(load_and_store, 61), 0);
  assert_int_equal(branches_around("ld.global.u32 %r8, [%rd3+4];", 75), 0);
  assert_int_equal(branches_around("ld.global.u32 %r8, [%rd3+4]; st.global.u32 [%rd3+8], %r1;", 75),
                   0);
  assert_int_equal(branches_around("ld.global.u32 %r3, [%rd3+4]; mul.wide.u32 %rd4, %r3, 4;"
                                   "add.s64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], %r8;",
                                   75),
                   1);
}

// A branch around ten instructions that cannot be guards, on a comparison.
static int meetings_of(const char *comparison, const char *end) {
  char text[2048];
  int at = snprintf(text, sizeof text, "%s%s%s",
                    KERNEL "ld.param.u64 %rd1, [p]; ld.param.u32 %r9, [n]; mov.u32 %r1, %tid.x;",
                    comparison, "@%p1 bra X;");
  for (int i = 0; i < 10; i++)
    at += snprintf(text + at, sizeof text - (size_t)at, "atom.global.add.u32 %%r2, [%%rd1+%d], 1;",
                   4 * i);
  snprintf(text + at, sizeof text - (size_t)at, "X: %s ret; }", end);
  return count_of(code_of(text), "meet");
}

static void threads_that_part_meet(void **state) {
  (void)state;
  const char *barrier = "bar.sync 0;";
  assert_int_equal(meetings_of("setp.gt.u32 %p1, %r1, 7;", barrier), 3);
  // At the end nobody waits, and where a warp agrees nobody parts.
  assert_int_equal(meetings_of("setp.gt.u32 %p1, %r1, 7;", ""), 0);
  assert_int_equal(meetings_of("setp.gt.u32 %p1, %r9, 7;", barrier), 0);
  // Threads that leave a loop part before it: the branch back is behind these steps.
  Program *program = compile(KERNEL
                             "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x;"
                             "L: atom.global.add.u32 %r2, [%rd1], %r1; setp.gt.u32 %p1, %r2, 7;"
                             "@%p1 bra L; bar.sync 0; ret; }");
  const Function *kernel = program_find_kernel(program, "k");
  const Instruction *code = program->code + kernel->entry;
  for (uint32_t i = 0; i < kernel->code_count; i++)
    if (code[i].form.op == OP_BRA) {
      assert_string_equal(program->code[code[i].target].text, "atom.global.add.u32");
      assert_string_equal(code[i + 1].text, "meet");
    }
  program_destroy(program);
}

static void constants_beside_constants_are_moved(void **state) {
  (void)state;
  Program *program =
      compile(KERNEL
              "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;"
              "add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1; ret; }");
  const Instruction *code = program->code + program_find_kernel(program, "k")->entry;
  // The factor is moved, the parameter is the one operand from constant memory.
  assert_string_equal(code[0].text, "mov.b32");
  assert_string_equal(code[2].text, "mad.wide.u32");
  assert_int_equal(code[2].src[1], code[0].dst[0]);
  program_destroy(program);
  // Two instructions for 64 bits, once for both stores; zero has a register of its own.
  program = compile(KERNEL
                    "ld.param.u64 %rd1, [p]; st.global.u32 [%rd1], 0;"
                    "st.global.u32 [%rd1+4], 0; ret; }");
  assert_int_equal(program_find_kernel(program, "k")->code_count, 5);
  program_destroy(program);
}

// What two statements on three loaded words become.
static const char *triple_of(const char *statements) {
  static char text[1024];
  snprintf(text, sizeof text, "%s%s%s",
           KERNEL
           "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4];"
           "ld.global.u32 %r3, [%rd1+12];",
           statements, "st.global.u32 [%rd1], %r5; ret; }");
  return code_of(text) + strlen("ld.global.u32 ld.global.u32 ld.global.u32 ");
}

static void pairs_become_operations_of_three(void **state) {
  (void)state;
  assert_string_equal(triple_of("sub.s32 %r4, %r1, %r2; sub.s32 %r5, %r3, %r4;"),
                      "add.three.s32 st.global.u32 ret");
  assert_string_equal(triple_of("shr.u32 %r4, %r1, 7; add.s32 %r5, %r4, %r2;"),
                      "shift.add.u32 st.global.u32 ret");
  assert_string_equal(triple_of("and.b32 %r4, %r1, %r2; xor.b32 %r5, %r3, %r4;"),
                      "lop3.b32 st.global.u32 ret");
  assert_string_equal(
      triple_of("cvt.u64.u32 %rd2, %r1; cvt.u64.u32 %rd3, %r2; neg.s64 %rd2, %rd2;"
                "and.b64 %rd4, %rd2, %rd3; xor.b64 %rd5, %rd4, %rd1;"
                "st.global.u64 [%rd1+8], %rd5; mov.u32 %r5, %r3;"),
      "cvt.u64.u32 cvt.u64.u32 st.global.u32 neg.s64 neg.s64 lop3.b64 st.global.u64 ret");
  // Not if somebody else reads the first, nor with two constants, nor with its sign.
  assert_string_equal(triple_of("add.s32 %r4, %r1, %r2; add.s32 %r5, %r3, %r4;"
                                "st.global.u32 [%rd1+8], %r4;"),
                      "add.s32 add.s32 st.global.u32 st.global.u32 ret");
  assert_string_equal(triple_of("and.b32 %r4, %r1, 5; or.b32 %r5, %r4, 64;"),
                      "and.b32 or.b32 st.global.u32 ret");
  assert_string_equal(triple_of("shr.s32 %r4, %r1, 7; add.s32 %r5, %r4, %r2;"),
                      "shr.s32 add.s32 st.global.u32 ret");
}

static void addresses_in_shared_memory_are_short(void **state) {
  (void)state;
  assert_string_equal(
      code_of(KERNEL ".shared .b32 s[64]; mov.u32 %r1, %tid.x; cvt.u64.u32 %rd1, %r1;"
                     "shl.b64 %rd2, %rd1, 2; mov.u64 %rd3, s; add.s64 %rd4, %rd3, %rd2;"
                     "st.shared.u32 [%rd4], %r1; ret; }"),
      "mov.u32 shl.b32 st.shared.u32 ret");
  // So are numbers that are cut before they are compared.
  assert_int_equal(count_of(code_of(KERNEL "ld.param.u64 %rd5, [p]; mov.u32 %r1, %tid.x;"
                                           "cvt.s64.s32 %rd1, %r1; and.b64 %rd2, %rd1, 3;"
                                           "setp.lt.s64 %p1, %rd2, 2; selp.b32 %r2, 5, 6, %p1;"
                                           "st.global.u32 [%rd5], %r2; ret; }"),
                            "setp"),
                   1);
  // The upper half is looked at: every step is two.
  const char *code = code_of(KERNEL
                             "ld.param.u64 %rd5, [p]; mov.u32 %r1, %tid.x; cvt.s64.s32 %rd1, %r1;"
                             "xor.b64 %rd2, %rd1, %rd5; st.global.u64 [%rd5], %rd2; ret; }");
  assert_int_equal(count_of(code, "xor.b64"), 2);
}

// How many instructions a kernel has that computes one thing and stores it, less
// those of one that computes nothing.
static int cost_of(const char *statement, const char *store) {
  char text[1024];
  int count[2];
  for (int i = 0; i < 2; i++) {
    snprintf(text, sizeof text, "%s%s%s%s%s",
             KERNEL
             "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4];"
             "ld.global.u64 %rd2, [%rd1+8]; ld.global.u64 %rd3, [%rd1+16];"
             "ld.global.f32 %f1, [%rd1+24]; ld.global.f32 %f2, [%rd1+32];",
             i ? statement : "", "st.global.", i ? store : "u32 [%rd1], %r1", "; ret; }");
    Program *program = compile(text);
    count[i] = (int)program_find_kernel(program, "k")->code_count;
    program_destroy(program);
  }
  return count[1] - count[0];
}

static void what_hardware_does_in_several_steps_is_several(void **state) {
  (void)state;
  assert_int_equal(cost_of("add.s32 %r3, %r1, %r2;", "u32 [%rd1], %r3"), 1);
  assert_int_equal(cost_of("add.s64 %rd4, %rd2, %rd3;", "u64 [%rd1], %rd4"), 2);
  assert_int_equal(cost_of("mul.lo.s64 %rd4, %rd2, %rd3;", "u64 [%rd1], %rd4"), 4);
  // Upper halves that are zero. Masks and shifts that only move halves cost nothing more.
  const char *small = "and.b64 %rd4, %rd2, 4294967295; mul.lo.s64 %rd5, %rd4, %rd3;",
             *square = "and.b64 %rd4, %rd2, 4294967295; mul.lo.s64 %rd5, %rd4, %rd4;";
  assert_int_equal(cost_of(small, "u64 [%rd1], %rd5"), 3);
  assert_int_equal(cost_of(square, "u64 [%rd1], %rd5"), 2);
  assert_int_equal(cost_of("shr.u64 %rd4, %rd2, 32;", "u64 [%rd1], %rd4"), 1);
  assert_int_equal(cost_of("shr.u64 %rd4, %rd2, 31;", "u64 [%rd1], %rd4"), 2);
  assert_int_equal(cost_of("and.b64 %rd4, %rd2, -4294967296;", "u64 [%rd1], %rd4"), 1);
  assert_int_equal(cost_of("and.b64 %rd4, %rd2, %rd3;", "u64 [%rd1], %rd4"), 2);
  assert_int_equal(cost_of("div.rn.f32 %f3, %f1, %f2;", "f32 [%rd1], %f3"), 11);
  assert_int_equal(cost_of("sqrt.approx.ftz.f32 %f3, %f1;", "f32 [%rd1], %f3"), 1);
  assert_int_equal(cost_of("div.u32 %r3, %r1, %r2;", "u32 [%rd1], %r3"), 18);
  assert_int_equal(cost_of("rem.s32 %r3, %r1, 10;", "u32 [%rd1], %r3"), 16);
  assert_int_equal(cost_of("div.s32 %r3, %r1, 10;", "u32 [%rd1], %r3"), 18);
  // Only the lower half is read.
  assert_int_equal(cost_of("add.s64 %rd4, %rd2, %rd3; cvt.u32.u64 %r3, %rd4;", "u32 [%rd1], %r3"),
                   2);
  // An address in shared memory has 32 bits.
  assert_int_equal(
      cost_of("add.s64 %rd4, %rd2, %rd3; st.shared.u32 [%rd4], %r1;", "u32 [%rd1], %r1"), 2);
}

static uint32_t registers_of(const char *text) {
  Program *program = compile(text);
  uint32_t registers = program_find_kernel(program, "k")->registers;
  program_destroy(program);
  return registers;
}

static void registers_are_those_alive_at_once(void **state) {
  (void)state;
  // Ten loaded words, their address (a pair), the stack pointer.
  char text[4096];
  int at = snprintf(text, sizeof text, "%s",
                    KERNEL
                    "ld.param.u64 %rd1, [p]; mov.u32 %r30, %tid.x; mul.wide.u32 %rd2, %r30, 64;"
                    "add.s64 %rd3, %rd1, %rd2;");
  for (int i = 0; i < 10; i++)
    at +=
        snprintf(text + at, sizeof text - (size_t)at, "ld.global.u32 %%r%d, [%%rd3+%d];", i, 8 * i);
  for (int i = 0; i < 10; i++)
    at += snprintf(text + at, sizeof text - (size_t)at, "st.global.u32 [%%rd3+%d], %%r%d;",
                   8 * ((i + 3) % 10), i);
  snprintf(text + at, sizeof text - (size_t)at, "ret; }");
  assert_int_equal(registers_of(text), 13);
  // The four words of a vector stand side by side, at a multiple of four: behind
  // %tid.x, the factor 64, an address in shared memory and a pair, itself aligned.
  assert_int_equal(
      registers_of(KERNEL SHARED "mul.wide.u32 %rd3, %r1, 64; add.s64 %rd4, %rd1, %rd3;" LOADS
                                 "st.global.u32 [%rd4], %r1; st.global.v4.f32 [%rd4+16], {%f1, %f2,"
                                 "%f3, %f4}; ret; }"),
      13);
}

// Forty vectors, each for one sum: all at once they would take 160 registers.
static void loads_do_not_take_all_registers(void **state) {
  (void)state;
  char text[8192];
  int at = snprintf(text, sizeof text, "%s",
                    KERNEL
                    ".shared .align 16 .b8 s[1024]; .reg .f32 %v<160>;"
                    "ld.param.u64 %rd1, [p]; ld.global.f32 %f1, [%rd1];");
  for (int i = 0; i < 160; i += 4) {
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "ld.shared.v4.f32 {%%v%d, %%v%d, %%v%d, %%v%d}, [s+%d];", i, i + 1, i + 2, i + 3,
                   4 * i);
    for (int k = 0; k < 4; k++)
      at += snprintf(text + at, sizeof text - (size_t)at, "add.f32 %%f1, %%f1, %%v%d;", i + k);
  }
  snprintf(text + at, sizeof text - (size_t)at, "st.global.f32 [%%rd1], %%f1; ret; }");
  assert_in_range(registers_of(text), 16, 70);
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

// A word of a vector that nothing reads must not end in the place of another.
static void unread_parameters_are_not_preloaded(void **state) {
  (void)state;
  Program *program = compile(".version 6.4\n.target sm_70\n.address_size 64\n"
                             ".entry k(.param .u64 p, .param .align 8 .b8 s[8]) {\n"
                             ".reg .u32 %r<3>; .reg .u64 %rd<3>;\n"
                             "ld.param.u64 %rd1, [p];\n"
                             "ld.param.v2.u32 {%r1, %r2}, [s];\n"
                             "st.global.u32 [%rd1], %r1;\n"
                             "ret; }");
  const Function *kernel = program_find_kernel(program, "k");
  assert_int_equal(kernel->preload_count, 2);
  for (uint32_t i = 0; i < kernel->preload_count; i++)
    assert_int_equal(kernel->preloads[i].offset, 8 * i);
  program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_nobody_reads_is_removed),
      cmocka_unit_test(clocks_atomics_and_carries_stay),
      cmocka_unit_test(copies_are_read_through),
      cmocka_unit_test(a_copy_of_what_changes_stays),
      cmocka_unit_test(constants_are_computed),
      cmocka_unit_test(what_was_computed_is_not_computed_again),
      cmocka_unit_test(products_and_sums_become_one),
      cmocka_unit_test(sums_become_offsets),
      cmocka_unit_test(matrices_and_copies_have_offsets),
      cmocka_unit_test(neighbours_become_vectors),
      cmocka_unit_test(what_cannot_be_a_vector_stays),
      cmocka_unit_test(comparisons_join),
      cmocka_unit_test(branches_around_branches_go),
      cmocka_unit_test(copies_at_the_ends_of_loops_go),
      cmocka_unit_test(what_is_loaded_for_nobody_spares_the_others),
      cmocka_unit_test(loads_are_issued_early),
      cmocka_unit_test(short_branches_become_guards),
      cmocka_unit_test(loads_that_stores_wait_for_stay_behind_branches_in_loops),
      cmocka_unit_test(threads_that_part_meet),
      cmocka_unit_test(constants_beside_constants_are_moved),
      cmocka_unit_test(pairs_become_operations_of_three),
      cmocka_unit_test(addresses_in_shared_memory_are_short),
      cmocka_unit_test(what_hardware_does_in_several_steps_is_several),
      cmocka_unit_test(registers_are_those_alive_at_once),
      cmocka_unit_test(unreached_blocks_are_removed),
      cmocka_unit_test(loads_do_not_take_all_registers),
      cmocka_unit_test(lines_and_targets_follow_the_code),
      cmocka_unit_test(unread_parameters_are_not_preloaded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
