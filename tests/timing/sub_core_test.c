// SPDX-License-Identifier: MIT
// What an SM may have beyond the gtx480's: a part of it for each scheduler,
// more ports of the register file, collectors for all units, several fetches.
// Gaps are those of arithmetic_test.c where nothing is said.
#include "timing/issue_log.h"

static IssueLog issues;

// Of one warp, from its first issue of A to that of B.
static int64_t gap_of_warp(uint32_t warp) {
  return (int64_t)(log_issue(&issues, "B", warp, 0) - log_issue(&issues, "A", warp, 0));
}

static int64_t gap_with(const GpuConfig *config, const char *text) {
  log_run(&issues, config, 1, 32, text);
  return log_gap(&issues, "A", "B");
}

// Two schedulers with two SFUs. Warps 0 and 2 are scheduler 0's.
static GpuConfig two_sfus(void) {
  GpuConfig config = log_config(1);
  config.sm.sfu_units = config.sm.sfu_ports = config.sm.mem_ports = 2;
  config.sm.fetches_per_cycle = 4;
  config.latency.sfu_interval = config.latency.sfu = 40;
  return config;
}

static const char square_root[] =
    "sqrt.approx.f32 %f1, %f0;  // A\nadd.f32 %f2, %f1, 0f3f800000;  // B\n"
    "st.global.f32 [%rd0], %f2;\n";

static void schedulers_share_units_unless_they_have_sub_cores(void **state) {
  (void)state;
  GpuConfig config = two_sfus();
  log_run(&issues, &config, 1, 96, square_root);
  // Whoever comes third waits until the first has its result.
  int waits = 0;
  for (uint32_t w = 0; w < 3; w++) waits += gap_of_warp(w) > 50;
  assert_int_equal(waits, 1);
  config.sm.sub_cores = true;
  log_run(&issues, &config, 1, 96, square_root);
  assert_int_equal(gap_of_warp(1), 6 + 40);  // alone on its side
  int64_t first = gap_of_warp(0), second = gap_of_warp(2);
  assert_int_equal(first < second ? first : second, 6 + 40);
  assert_true((first < second ? second : first) > 6 + 40 + 30);
}

// The first of two warps works, in each of two CTAs: rotated, their first warps are apart.
static const char first_works[] =
    "setp.gt.u32 %p1, %r0, 31;\n@%p1 exit;\nsqrt.approx.f32 %f1, %f0;  // A\n"
    "add.f32 %f2, %f1, 0f3f800000;  // B\nst.global.f32 [%rd0], %f2;\n";

static void rotated_ctas_begin_at_different_sub_cores(void **state) {
  (void)state;
  GpuConfig config = two_sfus();
  config.sm.sub_cores = true;
  config.sm.warp_slots = SLOTS_DYNAMIC;
  log_run(&issues, &config, 2, 64, first_works);
  assert_true(gap_of_warp(0) + gap_of_warp(2) > 2 * (6 + 40) + 30);
  config.sm.warp_slots = SLOTS_ROTATED;
  log_run(&issues, &config, 2, 64, first_works);
  assert_int_equal(gap_of_warp(0), 6 + 40);
  assert_int_equal(gap_of_warp(3), 6 + 40);
}

// Of 32 warps the even ones fill SFUs, collectors and latch; of the odd ones
// only warp 1 stays, and comes a hundred cycles later.
static const char late_warp[] =
    "shr.u32 %r1, %r0, 5;\nand.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 1;\n"
    "setp.gt.u32 %p2, %r1, 1;\nand.pred %p3, %p1, %p2;\n@%p3 exit;\n@!%p1 bra both;\n"
    "max.s32 %r3, %r0, 5;\nmax.s32 %r3, %r3, 6;\nmax.s32 %r3, %r3, 7;\nmax.s32 %r3, %r3, 8;\n"
    "max.s32 %r3, %r3, 9;\nadd.u32 %r3, %r3, 1;  // C\nst.global.u32 [%rd0], %r3;\n"
    "both:\nsqrt.approx.f32 %f1, %f0;  // A\nst.global.f32 [%rd0], %f1;\n";

static int64_t wait_to_issue(const GpuConfig *config) {
  log_run(&issues, config, 1, 1024, late_warp);
  return (int64_t)(log_issue(&issues, "A", 1, 0) - log_issue(&issues, "C", 1, 0));
}

static void a_full_latch_of_one_sub_core_blocks_no_other(void **state) {
  (void)state;
  GpuConfig config = two_sfus();
  config.sm.sfu_collectors = 2;
  config.latency.sfu_interval = config.latency.sfu = 200;
  assert_true(wait_to_issue(&config) > 60);
  config.sm.sub_cores = true;
  assert_true(wait_to_issue(&config) < 20);
}

// Fewer units of a kind than sub-cores: these share it.
static void sub_cores_share_a_unit_that_is_alone(void **state) {
  (void)state;
  GpuConfig config = two_sfus();
  config.sm.sub_cores = true;
  log_run(&issues, &config, 1, 64, square_root);
  assert_int_equal(gap_of_warp(0) + gap_of_warp(1), 2 * (6 + 40));
  config.sm.sfu_units = 1;
  log_run(&issues, &config, 1, 64, square_root);
  assert_true(gap_of_warp(0) + gap_of_warp(1) > 2 * (6 + 40) + 30);
}

// Sub-cores have their own banks: registers of warps on both sides never meet,
// and a side of one bank reads one register after the other.
static void a_sub_core_has_its_share_of_the_banks(void **state) {
  (void)state;
  const char *three = "mad.lo.u32 %r3, %r1, %r2, %r4;  // A\nadd.u32 %r5, %r3, 1;  // B\n";
  GpuConfig config = log_config(1);
  config.sm.register_banks = 2;
  assert_int_equal(gap_with(&config, three), 6 + 5 + 1);  // r2 and r4 meet
  config.sm.sub_cores = true;
  config.sm.sfu_ports = config.sm.mem_ports = 2;
  assert_int_equal(gap_with(&config, three), 6 + 5 + 2);
}

// Two steps a cycle: allocate and read at t+1, dispatch at t+2. Three reads of
// one bank are done by t+2, and what is dispatched at t+3 is as early as always.
static void more_ports_read_a_bank_more_often(void **state) {
  (void)state;
  const char *apart = "add.u32 %r3, %r1, %r2;  // A\nadd.u32 %r4, %r3, 1;  // B\n";
  const char *three = "mad.lo.u32 %r3, %r1, %r17, %r33;  // A\nadd.u32 %r4, %r3, 1;  // B\n";
  GpuConfig config = log_config(1);
  assert_int_equal(gap_with(&config, apart), 6 + 4);
  assert_int_equal(gap_with(&config, three), 6 + 5 + 2);
  config.sm.register_ports = 2;
  assert_int_equal(gap_with(&config, apart), 6 + 4 - 1);
  assert_int_equal(gap_with(&config, three), 6 + 5);
}

// A lone collector holds the square root for two cycles before the add that
// issued behind it may have it; with two, each has its own.
static void general_collectors_serve_all_units(void **state) {
  (void)state;
  const char *text =
      "sqrt.approx.f32 %f1, %f0;\nadd.f32 %f2, %f3, 0f3f800000;  // A\n"
      "add.f32 %f4, %f2, 0f3f800000;  // B\nst.global.v2.f32 [%rd0], {%f1, %f4};\n";
  GpuConfig config = log_config(1);
  assert_int_equal(gap_with(&config, text), 6 + 4);
  config.sm.general_collectors = 2;
  assert_int_equal(gap_with(&config, text), 6 + 4);
  config.sm.general_collectors = 1;
  int64_t gap = gap_with(&config, text);
  assert_in_range(gap, 6 + 4 + 1, 6 + 4 + 2);
}

// The buffer of a lone warp is filled in the cycle in which it runs empty.
static void several_fetches_keep_a_lone_warp_busy(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  config.sm.fetches_per_cycle = 2;
  log_run(&issues, &config, 1, 32,
          "mov.u32 %r1, 1;  // A\nmov.u32 %r2, 1;  // B\nmov.u32 %r3, 1;  // C\n"
          "mov.u32 %r4, 1;  // D\n"
          "st.global.v2.u32 [%rd0], {%r1, %r2};\nst.global.v2.u32 [%rd0], {%r3, %r4};\n");
  assert_int_equal(log_gap(&issues, "A", "B"), 1);
  assert_int_equal(log_gap(&issues, "B", "C"), 1);
  assert_int_equal(log_gap(&issues, "C", "D"), 1);
}

// A multiplication takes the INT unit for 13 cycles; a move behind it waits only
// if moves go there.
static void int_units_may_take_moves(void **state) {
  (void)state;
  const char *text =
      "mul.lo.u32 %r1, %r0, 3;\nmov.u32 %r2, %r0;  // A\nadd.f32 %f2, %f3, %f3;\n"
      "mov.u32 %r3, %r2;  // B\nadd.u32 %r4, %r1, %r3;\nst.global.u32 [%rd0], %r4;\n";
  GpuConfig config = log_config(1);
  config.sm.int_units = 1;
  config.latency.int_mul = config.latency.int_mul_interval = 13;
  assert_int_equal(gap_with(&config, text), 6 + 1);
  config.sm.int_takes_simple = true;
  int64_t gap = gap_with(&config, text);
  assert_int_equal(gap, 6 + 1 + 12);
}

static void what_cannot_be_shared_out_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *assignment, *part;
  } wrong[] = {
      {"sm.register_banks=15", "sm.register_banks = 15"},
      {"sm.sp_collectors=5", "sm.sp_collectors = 5 does not divide among 2 schedulers"},
      {"sm.mem_ports=1", "sm.mem_ports = 1"},
      {"sm.general_collectors=3", "use a multiple of 2"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    GpuConfig config = log_config(1);
    Error err = {0};
    Gpu *gpu;
    config.sm.sub_cores = true;
    config.sm.sfu_ports = config.sm.mem_ports = 2;
    assert_int_equal(gpu_config_assign(&config, wrong[i].assignment, &err), OK);
    assert_int_equal(gpu_create(&gpu, &config, NULL, &err), ERR_CONFIG);
    if (!strstr(err.text, wrong[i].part)) fail_msg("%s", err.text);
  }
}

// Stores reach memory at the end of a cycle. A warp that a barrier releases in the same cycle
// would load what was there before.
static void a_barrier_is_not_issued_with_a_store(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  config.sm.issues_per_warp = 2;
  config.sm.dual_issue_different_units = true;
  assert_int_equal(gap_with(&config, "sqrt.approx.f32 %f1, %f0;  // A\nbar.sync 0;  // B\n"), 0);
  assert_int_equal(gap_with(&config, "st.global.u32 [%rd0], %r0;  // A\nbar.sync 0;  // B\n"), 1);
  assert_int_equal(gap_with(&config, "ld.global.u32 %r1, [%rd0];  // A\nbar.sync 0;  // B\n"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(schedulers_share_units_unless_they_have_sub_cores),
      cmocka_unit_test(rotated_ctas_begin_at_different_sub_cores),
      cmocka_unit_test(a_full_latch_of_one_sub_core_blocks_no_other),
      cmocka_unit_test(sub_cores_share_a_unit_that_is_alone),
      cmocka_unit_test(a_sub_core_has_its_share_of_the_banks),
      cmocka_unit_test(more_ports_read_a_bank_more_often),
      cmocka_unit_test(general_collectors_serve_all_units),
      cmocka_unit_test(several_fetches_keep_a_lone_warp_busy),
      cmocka_unit_test(int_units_may_take_moves),
      cmocka_unit_test(what_cannot_be_shared_out_is_refused),
      cmocka_unit_test(a_barrier_is_not_issued_with_a_store),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
