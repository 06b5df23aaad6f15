// SPDX-License-Identifier: MIT
// The order in which functional execution runs CTAs: in turns, or one after the other.
#include <string.h>

#include "frontends/ptx/link/load.h"
#include "functional/functional.h"
#include "unit/cmocka_all.h"

enum { CTAS = 12, SMS = 3 };

// Every CTA takes a ticket, meets at a barrier, and takes another. In `relay` CTA 0 first waits
// until the last one has written the word behind the tickets, which it does at its end. In
// `hand_over` the first warp of each CTA waits for the second. In `reuse` one warp writes a word of
// shared memory before a barrier, and again some instructions behind it; the other one reads it
// directly behind the barrier.
static const char text[] =
    ".version 7.1\n.target sm_80\n.address_size 64\n"
    ".visible .entry tickets(.param .u64 out) {\n"
    "  .reg .u64 %rd<3>; .reg .u32 %r<4>; .reg .pred %p;\n"
    "  ld.param.u64 %rd0, [out]; mov.u32 %r0, %ctaid.x; mul.wide.u32 %rd1, %r0, 8;\n"
    "  add.u64 %rd1, %rd0, %rd1; mov.u32 %r1, %tid.x; setp.ne.u32 %p, %r1, 0;\n"
    "  @%p bra meet; atom.global.add.u32 %r2, [%rd0], 1; st.global.u32 [%rd1 + 8], %r2;\n"
    "meet:\n  bar.sync 0; @%p bra end;\n"
    "  atom.global.add.u32 %r2, [%rd0], 1; st.global.u32 [%rd1 + 12], %r2;\n"
    "end:\n  ret;\n}\n"
    ".visible .entry relay(.param .u64 out) {\n"
    "  .reg .u64 %rd<1>; .reg .u32 %r<4>; .reg .pred %p;\n"
    "  ld.param.u64 %rd0, [out]; mov.u32 %r0, %ctaid.x; setp.ne.u32 %p, %r0, 0; @%p bra write;\n"
    "again:\n  ld.global.u32 %r1, [%rd0 + 4]; setp.eq.u32 %p, %r1, 0; @%p bra again; ret;\n"
    "write:\n  setp.ne.u32 %p, %r0, 11; @%p bra end; st.global.u32 [%rd0 + 4], 1;\n"
    "end:\n  ret;\n}\n"
    ".visible .entry hand_over(.param .u64 out) {\n"
    "  .reg .u64 %rd<2>; .reg .u32 %r<4>; .reg .pred %p; .shared .align 8 .b64 full;\n"
    "  mov.u32 %r0, %tid.x; setp.ne.u32 %p, %r0, 0; @%p bra ready;\n"
    "  mbarrier.init.shared.b64 [full], 32;\n"
    "ready:\n  bar.sync 0; setp.lt.u32 %p, %r0, 32; @%p bra again;\n"
    "  mbarrier.arrive.shared.b64 %rd1, [full]; ret;\n"
    "again:\n  mbarrier.test_wait.parity.shared.b64 %p, [full], 0; @%p bra end;\n"
    "  nanosleep.u32 20; bra again;\nend:\n  ret;\n}\n"
    ".visible .entry delay(.param .u64 out) {\n"
    "  .reg .u64 %rd<4>; .reg .pred %p;\n"
    "  ld.param.u64 %rd0, [out]; mov.u64 %rd1, %clock64;\n"
    "again:\n  mov.u64 %rd2, %clock64; sub.u64 %rd3, %rd2, %rd1;\n"
    "  setp.lt.u64 %p, %rd3, 100000000; @%p bra again; st.global.u64 [%rd0], %rd3; ret;\n}\n"
    ".visible .entry reuse(.param .u64 out) {\n"
    "  .reg .u64 %rd<3>; .reg .u32 %r<6>; .reg .pred %p<3>; .shared .align 4 .b32 sum;\n"
    "  ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; shr.u32 %r0, %r0, 5;\n"
    "  mov.u32 %r1, %ctaid.x; and.b32 %r2, %r1, 1; setp.ne.u32 %p0, %r0, %r2;\n"
    "  @%p0 bra meet; st.shared.u32 [sum], 7;\n"
    "meet:\n  bar.sync 0; ld.shared.u32 %r3, [sum]; @%p0 bra read; mov.u32 %r4, 0;\n"
    "again:\n  add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 9; @%p1 bra again;\n"
    "  st.shared.u32 [sum], 9; ret;\n"
    "read:\n  mul.wide.u32 %rd1, %r1, 8; add.u64 %rd1, %rd0, %rd1; st.global.u32 [%rd1 + 8], %r3;\n"
    "  ret;\n}\n"
    ".visible .entry poll(.param .u64 out) {\n"
    "  .reg .u64 %rd<5>; .reg .pred %p;\n"
    "  ld.param.u64 %rd0, [out]; mov.u64 %rd1, %clock64;\n"
    "again:\n  ld.global.u64 %rd4, [%rd0]; mov.u64 %rd2, %clock64; sub.u64 %rd3, %rd2, %rd1;\n"
    "  setp.lt.u64 %p, %rd3, 10000; @%p bra again; ret;\n}\n";

// Tickets of CTA i are words[2 + 2 * i] and the one behind it. Returns the executed instructions.
static uint64_t run(const char *name, bool is_independent, uint32_t words[2 + 2 * CTAS]) {
  Program *program;
  Error err;
  uint64_t out;
  DeviceMemory *memory = device_memory_create(1 << 20);
  ExecContext context = {.memory = memory};
  size_t bytes = (2 + 2 * CTAS) * sizeof *words;
  PtxText source = {"order.ptx", text, sizeof text - 1};
  if (ptx_load_texts(&program, &source, 1, PROGRAM_BASE, &err) != OK) fail_msg("%s", err.text);
  device_memory_alloc(memory, bytes, ALLOCATION_HEAP, "out", &out, NULL);
  device_memory_set(memory, out, 0, bytes, NULL);
  Launch launch;
  FunctionalOptions options = {.sm_count = SMS,
                               .ctas_per_sm = 4,
                               .max_instructions = 100000000,
                               .is_independent = is_independent};
  Status status =
      launch_init(&launch, program, program_find_kernel(program, name), (uint32_t[]){CTAS, 1, 1},
                  (uint32_t[]){64, 1, 1}, (const uint8_t *)&out, 0, 4096, &err);
  if (status == OK) status = functional_run(&context, &launch, &options, &err);
  if (status != OK) fail_msg("%s", err.text);
  assert_int_equal(launch.ctas, CTAS);
  device_memory_read(memory, out, words, bytes, NULL);
  program_destroy(program);
  device_memory_destroy(memory);
  return launch.warp_instructions;
}

static void resident_ctas_take_turns_at_barriers(void **state) {
  (void)state;
  uint32_t words[2 + 2 * CTAS];
  run("tickets", false, words);
  for (uint32_t i = 0; i < CTAS; i++) {
    assert_int_equal(words[2 + 2 * i], i);
    assert_int_equal(words[3 + 2 * i], CTAS + i);
  }
}

static void independent_ctas_follow_one_another(void **state) {
  (void)state;
  uint32_t words[2 + 2 * CTAS];
  run("tickets", true, words);
  for (uint32_t i = 0; i < CTAS; i++) {
    assert_int_equal(words[2 + 2 * i], 2 * i);
    assert_int_equal(words[3 + 2 * i], 2 * i + 1);
  }
}

static void ctas_that_wait_for_others_after_all_do_not_hang(void **state) {
  (void)state;
  uint32_t words[2 + 2 * CTAS];
  run("relay", true, words);
  assert_int_equal(words[1], 1);
}

static void warps_that_wait_for_an_mbarrier_let_others_go_on(void **state) {
  (void)state;
  uint32_t words[2 + 2 * CTAS];
  assert_in_range(run("hand_over", true, words), CTAS * 2 * 7, CTAS * 2 * 12);
}

static void loops_that_only_read_the_clock_are_short(void **state) {
  (void)state;
  uint32_t words[2 + 2 * CTAS];
  uint64_t spent = run("delay", false, words);
  assert_true(words[0] >= 100000000);
  assert_true(spent < 600 * 2 * CTAS);  // 2^20 in twenty reads, 1e8 in a hundred more
}

static void no_warp_is_far_ahead_behind_a_barrier(void **state) {
  (void)state;
  uint32_t words[2 + 2 * CTAS];
  run("reuse", false, words);
  for (uint32_t i = 0; i < CTAS; i++) assert_int_equal(words[2 + 2 * i], 7);
}

// A kernel that waits for a value, and gives up after a time.
static void time_passes_as_ever_where_memory_is_read(void **state) {
  (void)state;
  uint32_t words[2 + 2 * CTAS];
  assert_true(run("poll", false, words) >= 10000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(resident_ctas_take_turns_at_barriers),
      cmocka_unit_test(independent_ctas_follow_one_another),
      cmocka_unit_test(ctas_that_wait_for_others_after_all_do_not_hang),
      cmocka_unit_test(warps_that_wait_for_an_mbarrier_let_others_go_on),
      cmocka_unit_test(loops_that_only_read_the_clock_are_short),
      cmocka_unit_test(no_warp_is_far_ahead_behind_a_barrier),
      cmocka_unit_test(time_passes_as_ever_where_memory_is_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
