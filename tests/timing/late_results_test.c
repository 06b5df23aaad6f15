// SPDX-License-Identifier: MIT
// Results that reach guards, accesses and the other unit later than others (latency.to_*).
#include "sm/issue_info.h"
#include "timing/issue_log.h"

static IssueLog issues;

static int64_t gap_of(const GpuConfig *config, const char *text) {
  log_run(&issues, config, 1, 32, text);
  return log_gap(&issues, "A", "B");
}

#define COMPARE "setp.lt.u32 %p1, %r0, 5;  // A\n"
#define SUM "add.u32 %r1, %r0, 1;  // A\n"

// 6 + latency: 1 of comparisons, 4 of sums (arithmetic_test.c).
#define SKIPPED_4 "add.u32 %r1, %r0, 2;\nadd.u32 %r1, %r1, 2;\nadd.u32 %r1, %r1, 2;\nadd.u32 %r1, %r1, 2;\n"
#define SKIPPED SKIPPED_4 SKIPPED_4 SKIPPED_4 SKIPPED_4  // a line of 8 bytes each

static void guards_get_results_later(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  config.latency.to_guard = 8;
  assert_int_equal(gap_of(&config, COMPARE "@%p1 add.u32 %r2, %r0, 1;  // B\n"), 7 + 8);
  assert_int_equal(gap_of(&config, COMPARE "@%p1 bra E;  // B\nE:\n"), 7 + 8);
  assert_int_equal(gap_of(&config, COMPARE "selp.u32 %r2, 1, 2, %p1;  // B\n"), 7);
  assert_int_equal(gap_of(&config, SUM "add.u32 %r2, %r1, 1;  // B\n"), 10);
}

static void accesses_get_results_later(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  config.latency.to_memory = 3;
  assert_int_equal(gap_of(&config, SUM "st.global.u32 [%rd0], %r1;  // B\n"), 10 + 3);
  assert_int_equal(
      gap_of(&config, "add.s64 %rd1, %rd0, 8;  // A\nld.global.u32 %r1, [%rd1];  // B\n"), 10 + 3);
  assert_int_equal(gap_of(&config, SUM "add.u32 %r2, %r1, 1;  // B\n"), 10);
}

static void special_functions_get_results_later(void **state) {
  (void)state;
  static const char text[] = "add.f32 %f1, %f0, %f0;  // A\nsqrt.approx.f32 %f2, %f1;  // B\n";
  GpuConfig config = log_config(1);
  int64_t before = gap_of(&config, text);
  config.latency.to_sfu = 2;
  assert_int_equal(gap_of(&config, text), before + 2);
  assert_int_equal(gap_of(&config, SUM "add.u32 %r2, %r1, 1;  // B\n"), 10);
}

static void the_other_unit_gets_results_later(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  config.sm.int_units = config.sm.int_mul_on_sp = 1;
  config.latency.to_other_unit = 2;
  assert_int_equal(gap_of(&config, SUM "add.u32 %r2, %r1, 1;  // B\n"), 10);
  assert_int_equal(gap_of(&config, SUM "mul.lo.u32 %r2, %r1, 3;  // B\n"), 10 + 2);
  assert_int_equal(gap_of(&config, "mul.lo.u32 %r1, %r0, 3;  // A\nadd.u32 %r2, %r1, 1;  // B\n"),
                   10 + 2);
}

// What is long there waits for nothing.
static void only_fresh_results_are_late(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  int64_t before, after;
  static const char text[] = COMPARE
      "sqrt.approx.f32 %f1, %f0;\nadd.f32 %f2, %f1, %f1;\n"
      "add.f32 %f3, %f2, %f2;\n@%p1 mov.f32 %f4, %f3;  // B\n";
  before = gap_of(&config, text);
  config.latency.to_guard = 8;
  after = gap_of(&config, text);
  assert_int_equal(before, after);
}

// Whether it is taken or not.
static void what_follows_a_branch_waits(void **state) {
  (void)state;
  static const char text[] = "@%p1 bra E;  // A\nadd.u32 %r1, %r0, 1;  // B\nE:\n";
  static const char barrier[] = "bar.sync 0;  // A\nadd.u32 %r1, %r0, 1;  // B\n";
  GpuConfig config = log_config(1);
  int64_t before = gap_of(&config, text),
          plain = gap_of(&config, SUM "add.u32 %r2, %r0, 2;  // B\n");
  config.latency.after_control = 9;
  assert_true(before < 9);
  assert_int_equal(gap_of(&config, text), 9);
  assert_int_equal(gap_of(&config, barrier), 9);
  assert_int_equal(gap_of(&config, SUM "add.u32 %r2, %r0, 2;  // B\n"), plain);
}

// Of the first reconvergence in optimised code: behind a branch around atomics.
static uint32_t cycles_after_sync(uint32_t after_sync) {
  static const char body[] =
      ".version 6.4\n.target sm_70\n.address_size 64\n.entry k(.param .u64 p) {\n"
      ".reg .u32 %r<9>; .reg .u64 %rd<9>; .reg .pred %p<9>;\n"
      "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 7; @%p1 bra X;"
      "atom.global.add.u32 %r2, [%rd1], 1; atom.global.add.u32 %r3, [%rd1+4], %r2;"
      "atom.global.add.u32 %r4, [%rd1+8], %r3; atom.global.add.u32 %r5, [%rd1+12], %r4;"
      "atom.global.add.u32 %r2, [%rd1+16], %r5; atom.global.add.u32 %r3, [%rd1+20], %r2;"
      "atom.global.add.u32 %r4, [%rd1+24], %r3; atom.global.add.u32 %r5, [%rd1+28], %r4;"
      "X: bar.sync 0; ret; }";
  GpuConfig config = log_config(1);
  config.latency.after_control = 5;
  config.latency.after_sync = after_sync;
  const IssueConfig issue = {&config.sm, &config.latency, &config.tensor};
  const CompilerConfig compiler = {.optimise = true};
  const PtxText text = {"test.ptx", body, strlen(body)};
  Program *program;
  IssueTable table;
  Error err;
  log_check(ptx_compile_texts(&program, &text, 1, PROGRAM_BASE, &compiler, &err), &err);
  issue_table_init(&table, program, &issue, 0);
  uint32_t pc = 0;
  while (pc < program->code_count && !program->code[pc].is_reconvergence) pc++;
  assert_true(pc < program->code_count);
  uint32_t cycles = table.infos[pc].after_cycles;
  issue_table_clear(&table);
  program_destroy(program);
  return cycles;
}

static void what_follows_reconvergence_waits(void **state) {
  (void)state;
  assert_int_equal(cycles_after_sync(0), 5);
  assert_int_equal(cycles_after_sync(10), 10);
}

// Within a line of the L1I the code behind a branch has been fetched with it.
static void a_jump_to_another_line_waits(void **state) {
  (void)state;
  static const char near[] = "bra E;  // A\nadd.u32 %r1, %r0, 2;\nE:\nadd.u32 %r2, %r0, 1;  // B\n";
  static const char not_taken[] =
      "setp.ne.u32 %p2, %r0, %r0;\n@%p2 bra E;  // A\nadd.u32 %r1, %r0, 2;  // B\n" SKIPPED "E:\n";
  static const char far[] = "bra E;  // A\n" SKIPPED "E:\nadd.u32 %r2, %r0, 1;  // B\n";
  GpuConfig config = log_config(1);
  int64_t before = gap_of(&config, near), stayed = gap_of(&config, not_taken);
  assert_int_equal(gap_of(&config, far), before);
  config.latency.after_jump = 25;
  assert_int_equal(gap_of(&config, far), 25);
  assert_int_equal(gap_of(&config, near), before);
  assert_int_equal(gap_of(&config, not_taken), stayed);
}

// Two sums, a comparison and an access beside a branch and a special register, one f64 sum.
static void pipelines_count_arithmetic(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  config.sm.dp_units = 1;
  log_run(&issues, &config, 1, 32, "mov.u32 %r9, %tid.x;\n@%p1 bra E;\nE:\n");
  uint64_t pipe = issues.stats.sm.pipe_cycles;
  log_run(&issues, &config, 1, 32,
          "mov.u32 %r9, %tid.x;\n@%p1 bra E;\nE:\nmul.lo.u32 %r1, %r0, 3;\n"
          "setp.lt.u32 %p1, %r1, 5;\nadd.f64 %fd1, %fd0, %fd0;\n");
  // Intervals: multiply 2, comparison 1, f64 sum 8.
  assert_int_equal(issues.stats.sm.pipe_cycles - pipe, 2 + 1 + 8);
  assert_int_equal(issues.stats.sm.fp64_cycles, 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(guards_get_results_later),
      cmocka_unit_test(accesses_get_results_later),
      cmocka_unit_test(special_functions_get_results_later),
      cmocka_unit_test(the_other_unit_gets_results_later),
      cmocka_unit_test(only_fresh_results_are_late),
      cmocka_unit_test(what_follows_a_branch_waits),
      cmocka_unit_test(what_follows_reconvergence_waits),
      cmocka_unit_test(a_jump_to_another_line_waits),
      cmocka_unit_test(pipelines_count_arithmetic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
