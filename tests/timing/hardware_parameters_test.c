// SPDX-License-Identifier: MIT
// What GPUs that follow hardware have and those that follow GPGPU-Sim do not: each parameter by
// itself on the gtx480, where the gaps without it are those of arithmetic_test.c, front_end_test.c
// and memory_latency_test.c.
#include "timing/issue_log.h"

static IssueLog issues;

static int64_t gap_with(const GpuConfig *config, const char *text) {
  log_run(&issues, config, 1, 32, text);
  return log_gap(&issues, "A", "B");
}

#define AFTER(op) op "  // A\nadd.f32 %f2, %f1, 0f3f800000;  // B\nst.global.f32 [%rd0], %f2;\n"

static void bypassing_shortens_issue_to_dependent_issue(void **state) {
  (void)state;
  const char *text = AFTER("add.f32 %f1, %f3, 0f3f800000;");
  GpuConfig config = log_config(1);
  assert_int_equal(gap_with(&config, text), 6 + 4);
  config.sm.bypass_cycles = 2;
  assert_int_equal(gap_with(&config, text), 6 + 4 - 2);
  config.sm.bypass_cycles = 6;
  assert_int_equal(gap_with(&config, text), 4);
  // The unit takes it four cycles after its issue: no result comes before that.
  config.latency.fp_add = 1;
  assert_int_equal(gap_with(&config, text), 4);
}

static void sfu_functions_have_their_own_latencies(void **state) {
  (void)state;
  static const char *const texts[] = {
      AFTER("sin.approx.f32 %f1, %f3;"), AFTER("ex2.approx.f32 %f1, %f3;"),
      AFTER("rcp.approx.f32 %f1, %f3;"), AFTER("rsqrt.approx.f32 %f1, %f3;")};
  GpuConfig config = log_config(1);
  for (int i = 0; i < 4; i++) assert_int_equal(gap_with(&config, texts[i]), 6 + 8);
  config.latency.sfu_sin = 20, config.latency.sfu_ex2 = 21;
  config.latency.sfu_rcp = 22, config.latency.sfu_sqrt = 23;
  for (int i = 0; i < 4; i++) assert_int_equal(gap_with(&config, texts[i]), 6 + 20 + i);
}

// f16 to f32 (1), f32 to f16 (2), integers to f32 (3), but not back.
static void some_conversions_are_as_simple_as_moves(void **state) {
  (void)state;
  static const char *const texts[] = {
      ".reg .b16 %h0;\n" AFTER("cvt.f32.f16 %f1, %h0;"),
      ".reg .b16 %h1;\ncvt.rn.f16.f32 %h1, %f3;  // A\n"
      "mov.b32 %r2, {%h1, %h1};  // B\nst.global.u32 [%rd0], %r2;\n",
      AFTER("cvt.rn.f32.s32 %f1, %r0;")};
  GpuConfig config = log_config(1);
  config.latency.convert = 30, config.latency.convert_interval = 8;
  for (uint32_t kinds = 0; kinds <= 3; kinds++) {
    config.sm.simple_conversions = kinds;
    for (uint32_t i = 0; i < 3; i++)
      assert_int_equal(gap_with(&config, texts[i]), 6 + (i < kinds ? 1 : 30));
  }
  const char *count =
      "popc.b32 %r1, %r0;  // A\nadd.u32 %r2, %r1, 1;  // B\nst.global.u32 [%rd0], %r2;\n";
  assert_int_equal(gap_with(&config, count), 6 + 1);
  config.sm.counts_on_sfu = true;
  assert_int_equal(gap_with(&config, count), 6 + 30);
}

static void shifts_have_their_own_latency(void **state) {
  (void)state;
  const char *shift =
      "shl.b32 %r1, %r0, 2;  // A\nadd.u32 %r2, %r1, 1;  // B\nst.global.u32 [%rd0], %r2;\n";
  const char *logic =
      "xor.b32 %r1, %r0, 2;  // A\nadd.u32 %r2, %r1, 1;  // B\nst.global.u32 [%rd0], %r2;\n";
  GpuConfig config = log_config(1);
  assert_int_equal(gap_with(&config, shift), 6 + 1);
  config.latency.shift = 5;
  assert_int_equal(gap_with(&config, shift), 6 + 5);
  assert_int_equal(gap_with(&config, logic), 6 + 1);
}

// ---- launch

static Cycle first_issue(const GpuConfig *config, uint32_t ctas) {
  log_run(&issues, config, ctas, 32, "mov.u32 %r1, 0;  // A\n");
  return log_issue(&issues, "A", 0, 0);
}

static void a_launch_costs_what_it_is_said_to(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  Cycle before = first_issue(&config, 1), cycles = issues.cycles;
  config.gpu.host_launch_cycles = 1000;
  assert_int_equal(first_issue(&config, 1), before + 1000);
  assert_int_equal(issues.cycles, cycles + 1000);
  // Longer than what would pass for a deadlock.
  config.gpu.deadlock_cycles = 1000;
  config.gpu.host_launch_cycles = 5000;
  assert_int_equal(first_issue(&config, 1), before + 5000);
}

static Cycle last_issue(void) {
  Cycle last = 0;
  for (uint32_t i = 0; i < issues.count; i++)
    if (issues.entries[i].kind == EVENT_ISSUE && issues.entries[i].cycle > last)
      last = issues.entries[i].cycle;
  return last;
}

static void ctas_start_one_after_the_other(void **state) {
  (void)state;
  GpuConfig config = log_config(8);
  first_issue(&config, 8);
  Cycle together = last_issue();
  config.gpu.cta_start_cycles = 2.5;  // the eighth starts 7 * 2.5 = 17.5 cycles after the first
  first_issue(&config, 8);
  assert_int_equal(last_issue(), together + 17);
  config.gpu.cta_start_cycles = 0.5;  // two in each cycle: the last pair three cycles later
  first_issue(&config, 8);
  assert_int_equal(last_issue(), together + 3);
}

// ---- turnaround of CTAs

// The second of two CTAs on an SM that holds one.
static Cycle second_start(const GpuConfig *config, const char *text) {
  log_run(&issues, config, 2, 32, text);
  return log_issue(&issues, "A", 0, 1) - log_issue(&issues, "A", 0, 0);
}

static void a_cta_starts_after_the_turnaround_of_the_one_before(void **state) {
  (void)state;
  const char *text = "mov.u32 %r1, 0;  // A\n";
  GpuConfig config = log_config(1);
  config.sm.max_ctas = 1;
  Cycle at_once = second_start(&config, text), cycles = issues.cycles;
  config.sm.cta_turnaround_cycles = 300;
  assert_int_equal(second_start(&config, text), at_once + 300);
  // Behind the last CTA nothing waits.
  assert_int_equal(issues.cycles, cycles + 300);
}

// Of the second CTA: lines that the first left in the L1D.
static void the_l1_keeps_its_lines_during_the_turnaround(void **state) {
  (void)state;
  const char *text = "ld.global.u32 %r1, [%rd0];  // A\nst.global.u32 [%rd0+128], %r1;\n";
  GpuConfig config = log_config(1);
  config.sm.max_ctas = 1;
  log_run(&issues, &config, 2, 32, text);
  assert_int_equal(issues.stats.l1d.hits, 0);  // flushed, as in GPGPU-Sim
  config.sm.cta_turnaround_cycles = 300;
  log_run(&issues, &config, 2, 32, text);
  assert_int_equal(issues.stats.l1d.hits, 1);
}

static void a_cta_ends_before_its_stores_are_acknowledged(void **state) {
  (void)state;
  const char *text = "mov.u32 %r1, 0;  // A\nst.global.u32 [%rd0], %r1;\n";
  GpuConfig config = log_config(1);
  config.sm.max_ctas = 1;
  Cycle acknowledged = second_start(&config, text);
  config.sm.exit_awaits_stores = false;
  Cycle issued = second_start(&config, text);
  // The way to the L2 and back is 168 cycles.
  assert_int_equal(acknowledged, 192);
  assert_int_equal(issued, 24);
  // Nothing is left behind, and the store of the second is still awaited by the kernel.
  assert_int_equal(issues.stats.l2.writes, 2);
  assert_true(issues.cycles > issued + 168);
}

// ---- code

// 64 instructions in four lines; a warp's fetch misses each of them.
static Cycle cycles_of_code(const GpuConfig *config) {
  char text[8192] = "";
  for (int i = 0; i < 64; i++) strcat(text, "add.u32 %r1, %r0, 1;\n");
  strcat(text, "st.global.u32 [%rd0], %r1;\n");
  log_run(&issues, config, 1, 32, text);
  return issues.cycles;
}

static void code_is_fetched_ahead(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  Cycle free = cycles_of_code(&config);
  config.l1i.enabled = true;
  Cycle cold = cycles_of_code(&config), misses = issues.stats.l1i.misses;
  assert_true(misses >= 4 && cold > free + 4 * 240);
  config.sm.code_prefetch_lines = 4;
  config.l1i.mshrs = config.l1i.miss_queue = 8;
  Cycle ahead = cycles_of_code(&config);
  assert_int_equal(issues.stats.l1i.misses, 1);
  assert_int_equal(issues.stats.sm.code_prefetches, misses - 1);
  // One latency of memory instead of one per line.
  assert_true(ahead > free + 240 && ahead < free + 320);
}

// ---- constants

// Between two lines, with so much between the load and its use.
static int64_t gap_after_constant(const GpuConfig *config, const char *between, const char *to) {
  Error err;
  Gpu *gpu;
  Program *program;
  uint64_t buffer;
  issues = (IssueLog){0};
  snprintf(
      issues.text, LOG_TEXT_BYTES,
      ".version 6.0\n.target sm_35\n.address_size 64\n.const .align 4 .b32 table[64];\n"
      ".visible .entry k(.param .u64 buffer)\n{\n"
      ".shared .align 4 .b32 place[32];\n"
      ".reg .u32 %%r<8>; .reg .u64 %%rd<8>;\nld.param.u64 %%rd0, [buffer];\n"
      "mov.u32 %%r0, %%tid.x;\nmov.u64 %%rd2, table;\nmul.wide.u32 %%rd1, %%r0, 4;\n"
      "add.u64 %%rd1, %%rd1, %%rd2;\nmov.u64 %%rd4, place;\nld.const.u32 %%r2, [%%rd1];\n"  // zeros
      "cvt.u64.u32 %%rd3, %%r2;\nadd.u64 %%rd1, %%rd1, %%rd3;\n"
      "ld.const.u32 %%r3, [%%rd1];  // A\n%sadd.u32 %%r4, %%r3, 1;  // B\n"
      "st.global.u32 [%%rd0], %%r4;\nexit;\n}\n",
      between);
  PtxText text = {"test.ptx", issues.text, strlen(issues.text)};
  log_check(ptx_load_texts(&program, &text, 1, PROGRAM_BASE, &err), &err);
  log_check(gpu_create(&gpu, config, NULL, &err), &err);
  log_check(program_place_variables(program, gpu_memory(gpu), &err), &err);
  log_check(device_memory_alloc(gpu_memory(gpu), 4096, ALLOCATION_HEAP, "buffer", &buffer, &err),
            &err);
  log_current = &issues;
  log_program = program;
  log_check(gpu_observe(gpu, &log_observer, "log", &err), &err);
  log_launch(gpu, program, buffer, 1, 32);
  gpu_destroy(gpu);
  program_destroy(program);
  return log_gap(&issues, "A", to);
}

static int64_t constant_gap(const GpuConfig *config) {
  return gap_after_constant(config, "", "B");
}

// 32 words are two blocks of 64 bytes.
static void constants_are_read_word_by_word(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  config.l1c.enabled = true;
  int64_t blocks = constant_gap(&config);
  config.sm.constant_by_word = true;
  assert_int_equal(constant_gap(&config), blocks + 32 - 2);
  config.sm.constant_latency_cycles = 20;
  // The port writes it back in the cycle after it is chosen.
  assert_int_equal(constant_gap(&config), blocks + 32 - 2 + 20 + 1);
}

// A load of shared memory, in the load/store unit behind 32 words, or past them.
static void constants_wait_beside_the_load_store_unit(void **state) {
  (void)state;
  const char *between = "ld.shared.u32 %r5, [%rd4];\nadd.u32 %r6, %r5, 1;  // C\n";
  GpuConfig config = log_config(1);
  config.l1c.enabled = config.sm.constant_by_word = true;
  int64_t behind = gap_after_constant(&config, between, "C"), alone = constant_gap(&config);
  config.sm.block_queue_entries = 1;
  assert_int_equal(gap_after_constant(&config, between, "C"), behind - (32 - 2));
  assert_int_equal(constant_gap(&config), alone + 1);  // into the queue
}

// ---- barriers

// Eight warps, of which the first goes on.
static int64_t barrier_gap(const GpuConfig *config) {
  log_run(&issues, config, 1, 256, "bar.sync 0;  // A\nmov.u32 %r1, 0;  // B\n");
  return log_gap(&issues, "A", "B");
}

static void a_barrier_takes_warps_one_after_the_other(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  int64_t at_once = barrier_gap(&config);
  config.sm.barrier_interval_cycles = 8;
  int64_t slow = barrier_gap(&config);
  assert_true(slow > 7 * 8 && at_once < 8);
  config.sm.barrier_interval_cycles = 10;
  assert_int_equal(barrier_gap(&config), slow + 8 * 2);
  config.sm.barrier_latency_cycles = 22;
  assert_int_equal(barrier_gap(&config), slow + 8 * 2 + 22);
}

// ... but not of the oracle without barriers.
static void no_barriers_take_no_time(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  const char *text = "bar.sync 0;  // A\nmov.u32 %r1, 0;  // B\n";
  config.sm.barrier_interval_cycles = 2;
  config.sm.barrier_latency_cycles = 22;
  log_run(&issues, &config, 1, 32, text);
  assert_int_equal(log_gap(&issues, "A", "B"), 24);
  config.ideal.no_barriers = true;
  log_run(&issues, &config, 1, 32, text);
  assert_true(log_gap(&issues, "A", "B") < 8);
}

// Who only arrives, and a warp that waits for its own lanes, pass by the unit.
static void only_those_who_wait_take_the_latency_of_a_barrier(void **state) {
  (void)state;
  static const char *const texts[] = {"bar.arrive 1, 512;  // A\nmov.u32 %r1, 0;  // B\n",
                                      "bar.warp.sync -1;  // A\nmov.u32 %r1, 0;  // B\n"};
  for (int i = 0; i < 2; i++) {
    GpuConfig config = log_config(1);
    config.sm.barrier_interval_cycles = 2;
    log_run(&issues, &config, 1, 32, texts[i]);
    int64_t before = log_gap(&issues, "A", "B");
    config.sm.barrier_latency_cycles = 22;
    log_run(&issues, &config, 1, 32, texts[i]);
    assert_int_equal(log_gap(&issues, "A", "B"), before);
  }
}

// One transaction per lane on one word; in the latch from t+4 on.
static void a_warp_goes_on_while_its_atomic_is_in_flight(void **state) {
  (void)state;
  const char *text =
      "red.global.add.u32 [%rd0], %r0;  // A\nadd.u32 %r1, %r0, 1;  // B\n"
      "st.global.u32 [%rd0+4], %r1;\n";
  GpuConfig config = log_config(1);
  assert_true(gap_with(&config, text) > 150);
  config.sm.atomics_stall_warp = false;
  assert_int_equal(gap_with(&config, text), 1);
  config.sm.atomic_gap_cycles = 20;
  int64_t gap = gap_with(&config, text);
  assert_in_range(gap, 4 + 31 + 20, 4 + 2 * 32 + 20);
  config.sm.atomic_gap_cycles = 30;
  assert_int_equal(gap_with(&config, text), gap + 10);
}

// ... unless the next instruction needs its result.
static void the_result_of_an_atomic_is_waited_for(void **state) {
  (void)state;
  const char *text =
      "atom.global.add.u32 %r1, [%rd0], %r0;  // A\nadd.u32 %r2, %r1, 1;  // B\n"
      "st.global.u32 [%rd0+4], %r2;\n";
  GpuConfig config = log_config(1);
  int64_t stalled = gap_with(&config, text);
  config.sm.atomics_stall_warp = false;
  assert_in_range(gap_with(&config, text), stalled - 2, stalled + 2);
}

// Sixteen loads of 32 lines.
static Cycle cycles_of_strided(const GpuConfig *config, int stride) {
  char text[2048];
  int length = snprintf(text, sizeof text,
                        "mov.u32 %%r1, %%laneid;\nmul.wide.u32 %%rd1, %%r1, %d;\n"
                        "add.u64 %%rd2, %%rd0, %%rd1;\n",
                        stride);
  for (int i = 1; i <= 16; i++)
    length +=
        snprintf(text + length, sizeof text - (size_t)length, "ld.global.f32 %%f%d, [%%rd2];\n", i);
  log_run(&issues, config, 1, 32, text);
  return issues.cycles;
}

// Lanes 512 bytes apart meet in one of four sets, lanes 128 bytes apart do not.
static void lines_of_one_set_are_looked_up_one_after_the_other(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  config.sm.l1_accesses_per_cycle = 4;
  config.ideal.l1d = L1D_HITS;
  Cycle apart = cycles_of_strided(&config, 512);
  assert_int_equal(cycles_of_strided(&config, 128), apart);
  config.sm.l1_tag_sets = 4;
  assert_int_equal(cycles_of_strided(&config, 128), apart);
  assert_int_equal(cycles_of_strided(&config, 512), apart + 16 * (32 - 32 / 4));
}

// 8 x 16 loads of shared memory, each for eight cycles.
static void narrow_loads_occupy_the_unit_for_its_interval(void **state) {
  (void)state;
  char narrow_text[2048] = ".shared .align 4 .b8 words[4];\nmov.u32 %r0, words;\n";
  for (int i = 0; i < 16; i++)
    sprintf(narrow_text + strlen(narrow_text), "ld.shared.u32 %%r%d, [%%r0];\n", i + 1);
  GpuConfig config = log_config(1);
  log_run(&issues, &config, 1, 32 * 8, narrow_text);
  Cycle once = issues.cycles;
  config.sm.lsu_interval_cycles = 8;
  log_run(&issues, &config, 1, 32 * 8, narrow_text);
  assert_in_range(issues.cycles, 16 * 8 * 8, 16 * 8 * 8 + 120);
  assert_true(once < 600);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bypassing_shortens_issue_to_dependent_issue),
      cmocka_unit_test(sfu_functions_have_their_own_latencies),
      cmocka_unit_test(some_conversions_are_as_simple_as_moves),
      cmocka_unit_test(shifts_have_their_own_latency),
      cmocka_unit_test(a_launch_costs_what_it_is_said_to),
      cmocka_unit_test(ctas_start_one_after_the_other),
      cmocka_unit_test(a_cta_starts_after_the_turnaround_of_the_one_before),
      cmocka_unit_test(the_l1_keeps_its_lines_during_the_turnaround),
      cmocka_unit_test(a_cta_ends_before_its_stores_are_acknowledged),
      cmocka_unit_test(code_is_fetched_ahead),
      cmocka_unit_test(constants_are_read_word_by_word),
      cmocka_unit_test(constants_wait_beside_the_load_store_unit),
      cmocka_unit_test(a_barrier_takes_warps_one_after_the_other),
      cmocka_unit_test(no_barriers_take_no_time),
      cmocka_unit_test(only_those_who_wait_take_the_latency_of_a_barrier),
      cmocka_unit_test(a_warp_goes_on_while_its_atomic_is_in_flight),
      cmocka_unit_test(the_result_of_an_atomic_is_waited_for),
      cmocka_unit_test(lines_of_one_set_are_looked_up_one_after_the_other),
      cmocka_unit_test(narrow_loads_occupy_the_unit_for_its_interval),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
