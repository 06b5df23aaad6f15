// SPDX-License-Identifier: MIT
// The gaps between an instruction and one that waits for its result, and
// between instructions that want the same unit, on the gtx480 of GPGPU-Sim 4.
//
// An instruction that issues at t takes a collector at t+1, reads its
// registers at t+2, is dispatched at t+3 and enters an arithmetic unit at t+4;
// with latency L its result is written at t+4+L+2, and what waits for it may
// issue then: t + 6 + L. Without register operands all is a cycle earlier.
#include "timing/issue_log.h"

static IssueLog issues;

static int64_t gap_of(const char *text) {
  GpuConfig config = log_config(1);
  log_run(&issues, &config, 1, 32, text);
  return log_gap(&issues, "A", "B");
}

static void a_result_is_ready_six_cycles_and_its_latency_later(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int latency;
  } classes[] = {
      {"add.u32 %r1, %r0, 1;  // A\nadd.u32 %r2, %r1, 1;  // B\n", 4},
      {"sub.s64 %rd1, %rd0, 8;  // A\nadd.s64 %rd2, %rd1, 1;  // B\n", 4},
      {"add.f32 %f1, %f0, 0f3f800000;  // A\nadd.f32 %f2, %f1, %f1;  // B\n", 4},
      {"max.s32 %r1, %r0, 5;  // A\nadd.u32 %r2, %r1, 1;  // B\n", 13},
      {"min.f32 %f1, %f0, 0f3f800000;  // A\nadd.f32 %f2, %f1, 0f3f800000;  // B\n", 13},
      {"mul.lo.u32 %r1, %r0, 3;  // A\nadd.u32 %r2, %r1, 1;  // B\n", 4},
      {"mul.wide.u32 %rd1, %r0, 4;  // A\nadd.s64 %rd2, %rd1, 1;  // B\n", 4},
      {"mul.f32 %f1, %f0, 0f40000000;  // A\nadd.f32 %f2, %f1, 0f3f800000;  // B\n", 4},
      {"mad.lo.u32 %r1, %r0, 3, 1;  // A\nadd.u32 %r2, %r1, 1;  // B\n", 5},
      {"mad.rn.f32 %f1, %f0, 0f40000000, 0f3f800000;  // A\nadd.f32 %f2, %f1, 0f3f800000;  // B\n",
       5},
      {"div.u32 %r1, %r0, 3;  // A\nadd.u32 %r2, %r1, 1;  // B\n", 145},
      {"div.rn.f32 %f1, %f0, 0f40400000;  // A\nadd.f32 %f2, %f1, 0f3f800000;  // B\n", 39},
      {"sqrt.approx.f32 %f1, %f0;  // A\nadd.f32 %f2, %f1, 0f3f800000;  // B\n", 8},
      {"rcp.approx.f32 %f1, %f0;  // A\nadd.f32 %f2, %f1, 0f3f800000;  // B\n", 8},
      {"ex2.approx.f32 %f1, %f0;  // A\nadd.f32 %f2, %f1, 0f3f800000;  // B\n", 8},
      // GPGPU-Sim has fma in the class of moves.
      {"fma.rn.f32 %f1, %f0, 0f40000000, 0f3f800000;  // A\nadd.f32 %f2, %f1, 0f3f800000;  // B\n",
       1},
      {"and.b32 %r1, %r0, 7;  // A\nadd.u32 %r2, %r1, 1;  // B\n", 1},
      {"shl.b32 %r1, %r0, 2;  // A\nadd.u32 %r2, %r1, 1;  // B\n", 1},
      {"cvt.rn.f32.u32 %f1, %r0;  // A\nadd.f32 %f2, %f1, 0f3f800000;  // B\n", 1},
      {"setp.lt.u32 %p1, %r0, 5;  // A\nselp.u32 %r2, 1, 2, %p1;  // B\n", 1},
      {"rem.u32 %r1, %r0, 5;  // A\nadd.u32 %r2, %r1, 1;  // B\n", 1},
      {"add.f64 %fd1, %fd0, 0d3ff0000000000000;  // A\nadd.f64 %fd2, %fd1, %fd1;  // B\n", 8},
      {"max.f64 %fd1, %fd0, 0d3ff0000000000000;  // A\nadd.f64 %fd2, %fd1, %fd1;  // B\n", 19},
      {"mul.f64 %fd1, %fd0, 0d3ff0000000000000;  // A\nadd.f64 %fd2, %fd1, %fd1;  // B\n", 8},
      {"div.rn.f64 %fd1, %fd0, 0d4008000000000000;  // A\nadd.f64 %fd2, %fd1, %fd1;  // B\n", 330},
  };
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
    int64_t gap = gap_of(classes[i].text);
    if (gap != 6 + classes[i].latency)
      fail_msg("%s: the gap is %d, not %d", classes[i].text, (int)gap, 6 + classes[i].latency);
  }
}

static void without_register_operands_it_is_a_cycle_earlier(void **state) {
  (void)state;
  assert_int_equal(gap_of("mov.u32 %r1, %ctaid.x;  // A\nadd.u32 %r2, %r1, 1;  // B\n"), 5 + 1);
}

// A bank gives one register a cycle; banks are the digits of the names modulo
// 16, so r1, r17 and f33 are in one.
static void operands_in_one_bank_are_read_one_after_the_other(void **state) {
  (void)state;
  const char *apart = "add.u32 %r3, %r1, %r2;  // A\nadd.u32 %r4, %r3, 1;  // B\n";
  const char *two = "add.u32 %r3, %r1, %r17;  // A\nadd.u32 %r4, %r3, 1;  // B\n";
  const char *three = "mad.lo.u32 %r3, %r1, %r17, %r33;  // A\nadd.u32 %r4, %r3, 1;  // B\n";
  assert_int_equal(gap_of(apart), 10);
  assert_int_equal(gap_of(two), 11);
  assert_int_equal(gap_of(three), 11 + 2);
}

// Results are stored in the end: registers that nobody reads share one place,
// and writing it twice waits.
//
// The buffer holds two instructions and is filled when it is empty: issue n,
// n + 1, then a fetch and a decode, n + 3.
static void a_lone_warp_issues_two_instructions_in_three_cycles(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  log_run(&issues, &config, 1, 32,
          "mov.u32 %r1, 1;  // A\nmov.u32 %r2, 1;  // B\nmov.u32 %r3, 1;  // C\n"
          "mov.u32 %r4, 1;  // D\nmov.u32 %r5, 1;  // E\n"
          "st.global.v2.u32 [%rd0], {%r1, %r2};\nst.global.v2.u32 [%rd0], {%r3, %r4};\n"
          "st.global.u32 [%rd0], %r5;\n");
  assert_int_equal(log_gap(&issues, "A", "B"), 1);
  assert_int_equal(log_gap(&issues, "B", "C"), 2);
  assert_int_equal(log_gap(&issues, "C", "D"), 1);
  assert_int_equal(log_gap(&issues, "D", "E"), 2);
}

// One SFU that takes an instruction every eight cycles. Two independent ones
// issue one behind the other; their results are eight cycles apart.
static void a_busy_unit_delays_by_its_interval(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  log_run(&issues, &config, 1, 32,
          "sqrt.approx.f32 %f1, %f0;  // A\nsqrt.approx.f32 %f2, %f3;\n"
          "add.f32 %f4, %f1, 0f3f800000;  // B\nadd.f32 %f5, %f2, 0f3f800000;  // C\n"
          "st.global.v2.f32 [%rd0], {%f4, %f5};\n");
  assert_int_equal(log_gap(&issues, "A", "B"), 14);
  assert_int_equal(log_gap(&issues, "A", "C"), 14 + 8);
}

// With an interval of their own, conversions that round take turns at the SFU; those that
// move bits do not.
static void conversions_can_be_the_sfus(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  config.latency.convert = 10;
  config.latency.convert_interval = 8;
  log_run(&issues, &config, 1, 32,
          "cvt.rn.f32.u32 %f1, %r0;  // A\ncvt.rn.f32.u32 %f2, %r3;\n"
          "add.f32 %f4, %f1, 0f3f800000;  // B\nadd.f32 %f5, %f2, 0f3f800000;  // C\n"
          "st.global.v2.f32 [%rd0], {%f4, %f5};\n");
  assert_int_equal(log_gap(&issues, "A", "B"), 6 + 10);
  assert_int_equal(log_gap(&issues, "A", "C"), 6 + 10 + 8);
  log_run(&issues, &config, 1, 32, "cvt.u64.u32 %rd1, %r0;  // A\nadd.s64 %rd2, %rd1, 1;  // B\n");
  assert_int_equal(log_gap(&issues, "A", "B"), 6 + 1);
}

// Writing a register that is still to be written waits as reading it does.
static void a_second_write_waits_for_the_first(void **state) {
  (void)state;
  assert_int_equal(gap_of("mul.lo.u32 %r1, %r0, 3;  // A\nmov.u32 %r1, 1;  // B\n"), 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_result_is_ready_six_cycles_and_its_latency_later),
      cmocka_unit_test(without_register_operands_it_is_a_cycle_earlier),
      cmocka_unit_test(operands_in_one_bank_are_read_one_after_the_other),
      cmocka_unit_test(a_lone_warp_issues_two_instructions_in_three_cycles),
      cmocka_unit_test(a_busy_unit_delays_by_its_interval),
      cmocka_unit_test(conversions_can_be_the_sfus),
      cmocka_unit_test(a_second_write_waits_for_the_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
