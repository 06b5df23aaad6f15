// SPDX-License-Identifier: MIT
// Where issue slots go: for each reason a few instructions that leave most slots
// to it, on one SM of the gtx480 with one scheduler.
#include "policies/slot_reason.h"

#include "timing/issue_log.h"

static IssueLog issues;

static const char *const names[] = {
#define X(name, label, group, help) #name,
    SLOT_REASONS(X)
#undef X
};

static SlotReason largest_stall(void) {
  SlotReason largest = SLOT_tail;
  const uint64_t *slots = issues.stats.sm.slots;
  for (int reason = 0; reason < SLOT_REASON_COUNT; reason++)
    if (reason != SLOT_issued && slots[reason] > slots[largest]) largest = (SlotReason)reason;
  return largest;
}

static GpuConfig one_scheduler(void) {
  GpuConfig config = log_config(1);
  config.sm.warp_schedulers = 1;
  return config;
}

static void expect_with(const GpuConfig *config, uint32_t threads, const char *text,
                        SlotReason wanted) {
  log_run(&issues, config, 1, threads, text);
  SlotReason found = largest_stall();
  if (found != wanted)
    fail_msg("%.60s...: %llu slots of %s, %llu of %s", text,
             (unsigned long long)issues.stats.sm.slots[found], names[found],
             (unsigned long long)issues.stats.sm.slots[wanted], names[wanted]);
}

static void expect(uint32_t threads, const char *text, SlotReason wanted) {
  GpuConfig config = one_scheduler();
  expect_with(&config, threads, text, wanted);
}

#define TWICE(text) text text
#define TIMES8(text) TWICE(TWICE(TWICE(text)))
#define TIMES16(text) TWICE(TIMES8(text))
// %rd1 = the buffer's address + bytes a thread * thread.
#define THREADS_BY(bytes) "mul.wide.u32 %rd1, %r0, " #bytes ";\nadd.u64 %rd1, %rd0, %rd1;\n"
#define SHARED_BY(shift)                                                   \
  "mov.u32 %r9, shared;\nand.b32 %r8, %r0, 31;\nshl.b32 %r2, %r8, " #shift \
  ";\nadd.u32 %r2, %r2, %r9;\n"

static void registers_wait_for_what_writes_them(void **state) {
  (void)state;
  expect(32, THREADS_BY(4) TIMES8("ld.global.u32 %r1, [%rd1];\nadd.u32 %r1, %r1, 1;\n"),
         SLOT_memory);
  expect(32, SHARED_BY(2) TIMES16("ld.shared.u32 %r1, [%r2];\nadd.u32 %r1, %r1, 1;\n"),
         SLOT_shared);
  expect(32, TIMES16("max.s32 %r1, %r1, %r0;\n"), SLOT_dependency);
}

// The load is outstanding; nothing waits for it before it is there.
static void a_load_is_no_reason_for_those_that_wait_for_others(void **state) {
  (void)state;
  expect(32,
         THREADS_BY(4) "ld.global.u32 %r1, [%rd1];\n" TWICE(TIMES16("max.s32 %r2, %r2, %r0;\n")),
         SLOT_dependency);
  assert_int_equal(issues.stats.sm.slots[SLOT_memory], 0);
  expect(32,
         THREADS_BY(4) SHARED_BY(2) "ld.global.u32 %r1, [%rd1];\n" TIMES16(
             "ld.shared.u32 %r3, [%r2];\nadd.u32 %r3, %r3, 1;\n") "add.u32 %r3, %r3, %r1;\n",
         SLOT_shared);
  assert_int_equal(issues.stats.sm.slots[SLOT_memory], 0);
}

static void units_are_told_apart(void **state) {
  (void)state;
  GpuConfig config = one_scheduler();
  config.sm.sp_units = 1;
  expect_with(&config, 512, TIMES8("mul.lo.u32 %r1, %r0, 3;\nmul.lo.u32 %r2, %r0, 5;\n"),
              SLOT_arithmetic);
  expect(512, TIMES8("sqrt.approx.f32 %f1, %f0;\nsin.approx.f32 %f2, %f0;\n"), SLOT_sfu);
  expect(512, TIMES8("add.f64 %fd1, %fd0, %fd0;\nmul.f64 %fd2, %fd0, %fd0;\n"), SLOT_dp);
  expect(1024,
         TIMES8("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, "
                "{%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f5, %f6, %f7, %f8};\n"),
         SLOT_tensor);
  config.sm.dp_units = 1;
  expect_with(&config, 512, TIMES8("add.f64 %fd1, %fd0, %fd0;\nmul.f64 %fd2, %fd0, %fd0;\n"),
              SLOT_dp);
}

// One collector, three reads of it from one bank: the unit has nothing to do.
static void operands_that_are_read_one_by_one_are_no_busy_unit(void **state) {
  (void)state;
  GpuConfig config = one_scheduler();
  config.sm.sp_collectors = 1;
  config.sm.register_banks = 1;
  expect_with(&config, 512, TIMES8("mad.lo.u32 %r1, %r2, %r3, %r4;\n"), SLOT_operands);
  assert_int_equal(issues.stats.sm.slots[SLOT_arithmetic], 0);
}

static void the_load_store_unit_says_what_it_works_on(void **state) {
  (void)state;
  // 32 lines for each warp, the same for all: they hit, one a cycle.
  expect(256,
         "and.b32 %r8, %r0, 31;\nmul.wide.u32 %rd1, %r8, 128;\nadd.u64 %rd1, %rd0, %rd1;\n"
         "ld.global.u32 %r1, [%rd1];\nadd.u32 %r1, %r1, 1;\nbar.sync 0;\n" TIMES8(
             "ld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd1];\n"),
         SLOT_lsu);
  // 32 words of one bank.
  expect(256, SHARED_BY(7) TIMES8("ld.shared.u32 %r1, [%r2];\n"), SLOT_bank_conflict);
  assert_int_equal(issues.stats.lsu.shared_conflict_cycles, 8 * 8 * 31);
  // A warp alone waits for its own conflicts.
  expect(32, SHARED_BY(7) TIMES8("ld.shared.u32 %r1, [%r2];\nadd.u32 %r1, %r1, 1;\n"),
         SLOT_bank_conflict);
}

// 32 lines for each warp, all different.
#define MISSES \
  THREADS_BY(128) TIMES8("ld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd1+65536];\n")

static void back_pressure_says_what_is_full(void **state) {
  (void)state;
  GpuConfig config = one_scheduler();
  config.l1d.mshrs = 2;
  expect_with(&config, 512, MISSES, SLOT_mshr);
  config = one_scheduler();
  config.l1d.mshrs = 4096;
  expect_with(&config, 512, MISSES, SLOT_reservation);
  // Four lookups per cycle, one miss sent per cycle.
  config.l1d.sets = 1024;
  config.l1d.index_hash = INDEX_LINEAR;
  config.sm.l1_accesses_per_cycle = 4;
  log_run(&issues, &config, 1, 512, MISSES);
  const uint64_t *slots = issues.stats.sm.slots;
  assert_true(slots[SLOT_miss_queue] > 500);
  assert_int_equal(slots[SLOT_mshr] + slots[SLOT_reservation] + slots[SLOT_network], 0);
  // Stores of 32 sectors for each warp, which leave flit by flit.
  config = one_scheduler();
  config.noc.flit_bytes = 8;
  config.noc.injection_flits = config.noc.ejection_flits = 32;
  expect_with(&config, 512, THREADS_BY(128) TIMES8("st.global.u32 [%rd1], %r0;\n"), SLOT_network);
  // Atomics go past the L1D and wait for the network in the latch.
  expect_with(&config, 512, THREADS_BY(128) TIMES8("red.global.add.u32 [%rd1], %r0;\n"),
              SLOT_network);
  assert_int_equal(issues.stats.sm.slots[SLOT_fence], 0);
}

static void warps_wait_for_one_another_and_for_memory_to_agree(void **state) {
  (void)state;
  expect(32, TIMES8("atom.global.add.u32 %r1, [%rd0], 1;\nmov.u32 %r2, 1;\n"), SLOT_atomic);
  assert_int_equal(issues.stats.sm.slots[SLOT_fence], 0);
  expect(32, THREADS_BY(4) TIMES8("ld.global.u32 %r1, [%rd1];\nmembar.gl;\n"), SLOT_fence);
  assert_int_equal(issues.stats.sm.slots[SLOT_atomic], 0);
  // The first warp comes late; those of the other scheduler are at the barrier.
  GpuConfig config = log_config(1);
  log_run(&issues, &config, 1, 64,
          "setp.lt.u32 %p1, %r0, 32;\n@!%p1 bra.uni ready;\n" TIMES16(
              "div.u32 %r1, %r1, 3;\n") "ready:\nbar.sync 0;\n");
  assert_in_range(issues.stats.sm.slots[SLOT_barrier], 15 * 145, 16 * 155);
}

static void warps_need_instructions_and_stores_drain(void **state) {
  (void)state;
  GpuConfig config = one_scheduler();
  config.l1i.enabled = true;
  expect_with(&config, 32, TIMES16(TIMES8("mov.u32 %r1, 1;\n")), SLOT_fetch);
  expect(32, THREADS_BY(4) "st.global.u32 [%rd1], %r0;\n", SLOT_drain);
}

static uint64_t slots_of(SlotReason reason) {
  return issues.stats.sm.slots[reason];
}

// The second SM and the second scheduler of the first have no warp at any time; before the first
// dispatch, which follows the first cycle, neither has one.
static void a_grid_that_leaves_schedulers_without_warps_is_too_small(void **state) {
  (void)state;
  GpuConfig config = log_config(2);
  expect_with(&config, 32, TIMES8("div.u32 %r1, %r1, 3;\n"), SLOT_small_grid);
  assert_int_equal(slots_of(SLOT_dispatch), 4);
  assert_int_equal(slots_of(SLOT_small_grid), 3 * (issues.cycles - 1));
  assert_int_equal(slots_of(SLOT_launch) + slots_of(SLOT_tail), 0);
}

// Two SMs hold 2 x 1 CTAs: of three, two are dispatched at once and one when the first completes.
// CTA 0 takes longest. Then the SM of CTAs 1 and 2 runs out of them.
static void an_sm_without_further_ctas_waits_for_the_others(void **state) {
  (void)state;
  GpuConfig config = log_config(2);
  config.sm.max_ctas = 1;
  config.sm.warp_schedulers = 1;
  log_run(&issues, &config, 3, 32,
          "mov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra done;\n" TWICE(
              TIMES16("div.u32 %r2, %r2, 3;\n")) "done:\n");
  Cycle last = 0;
  for (uint32_t i = 0; i < issues.count; i++)
    if (issues.entries[i].kind == EVENT_CTA_END && issues.entries[i].sm == 1)
      last = issues.entries[i].cycle;
  // The CTA ends in cycle `last`; the slots of later cycles have no warp.
  assert_int_equal(slots_of(SLOT_tail), issues.cycles - last - 1);
  assert_true(slots_of(SLOT_tail) > 1000);
  assert_int_equal(slots_of(SLOT_launch) + slots_of(SLOT_small_grid), 0);
}

// The GPU could dispatch, but the room of the CTA before is not free yet.
static void turnaround_is_a_wait_for_a_cta(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  config.sm.max_ctas = 1;
  config.sm.warp_schedulers = 1;
  log_run(&issues, &config, 3, 32, "mov.u32 %r1, 1;\n");
  uint64_t before = slots_of(SLOT_dispatch);
  config.sm.cta_turnaround_cycles = 100;
  log_run(&issues, &config, 3, 32, "mov.u32 %r1, 1;\n");
  assert_int_equal(slots_of(SLOT_dispatch), before + 2 * 100);
  assert_int_equal(slots_of(SLOT_launch) + slots_of(SLOT_small_grid), 0);
}

static void a_launch_has_a_latency_before_its_first_cta(void **state) {
  (void)state;
  GpuConfig config = log_config(2);
  config.gpu.host_launch_cycles = 500;
  expect_with(&config, 32, "mov.u32 %r1, 1;\n", SLOT_launch);
  assert_int_equal(slots_of(SLOT_launch), 4 * 501);
  assert_int_equal(slots_of(SLOT_dispatch), 0);
  // Of every launch; the SM of the first CTA and the other one start anew.
  log_run_again(&issues, &config, 2, 1, 32, "mov.u32 %r1, 1;\n");
  assert_int_equal(slots_of(SLOT_launch), 2 * 4 * 501);
  assert_true(slots_of(SLOT_small_grid) >= 3 * (issues.cycles - 501));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(registers_wait_for_what_writes_them),
      cmocka_unit_test(a_load_is_no_reason_for_those_that_wait_for_others),
      cmocka_unit_test(units_are_told_apart),
      cmocka_unit_test(operands_that_are_read_one_by_one_are_no_busy_unit),
      cmocka_unit_test(the_load_store_unit_says_what_it_works_on),
      cmocka_unit_test(back_pressure_says_what_is_full),
      cmocka_unit_test(warps_wait_for_one_another_and_for_memory_to_agree),
      cmocka_unit_test(warps_need_instructions_and_stores_drain),
      cmocka_unit_test(a_grid_that_leaves_schedulers_without_warps_is_too_small),
      cmocka_unit_test(an_sm_without_further_ctas_waits_for_the_others),
      cmocka_unit_test(turnaround_is_a_wait_for_a_cta),
      cmocka_unit_test(a_launch_has_a_latency_before_its_first_cta),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
