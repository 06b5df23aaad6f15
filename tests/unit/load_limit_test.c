// SPDX-License-Identifier: MIT
// When fewer warps may load, which, and that programs that lose nothing are left alone.
#include "policies/warp_scheduler/load_limit.h"

#include <string.h>

#include "unit/cmocka_all.h"

enum { EPOCH = 1000, WARPS = 32 };

typedef struct Bench {
  LoadLimit limit;
  Cycle now;
} Bench;

static void add_warp(Bench *bench, uint32_t warp, uint32_t kernel, bool begins) {
  Requester requester = {.warp = (uint8_t)warp, .kernel = kernel};
  load_limit_on_warp(&bench->limit, &requester, begins);
}

static void add_kernel(Bench *bench, uint32_t kernel) {
  for (uint32_t w = 0; w < WARPS; w++) add_warp(bench, w, kernel, true);
}

static void bench_init(Bench *bench) {
  memset(bench, 0, sizeof *bench);
  add_kernel(bench, 0);
}

typedef enum Loads { FIND_LINES, LOSE_LINES, LOSE_PREFETCHED_LINES } Loads;

// Loads lines that were evicted since the warp had them, or since they were prefetched
// and nobody had asked for them.
static void load(Bench *bench, uint32_t i, Cycle now, Loads loads) {
  uint64_t line =
      loads == LOSE_PREFETCHED_LINES ? 128u * (1000 + bench->now + i) : 128u * (1 + i % WARPS);
  if (loads != FIND_LINES) load_limit_on_evict(&bench->limit, line);
  L1dAccess access = {.now = now,
                      .requester.warp = (uint8_t)(i % WARPS),
                      .line = line,
                      .outcome = loads == FIND_LINES ? OUTCOME_HIT : OUTCOME_MISS};
  load_limit_on_access(&bench->limit, &access, EPOCH);
}

// An epoch in which so many loads issue: nothing changes before its end.
static void epoch_of(Bench *bench, uint32_t count, Loads loads) {
  for (uint32_t i = 0; i < count; i++) {
    load(bench, i, bench->now + EPOCH * i / count, loads);
    if (i == 0) continue;
    assert_int_equal(bench->limit.epoch_end, bench->now + EPOCH);
  }
  bench->now += EPOCH;
  L1dAccess next = {.now = bench->now, .line = 1 << 20, .outcome = OUTCOME_HIT};
  load_limit_on_access(&bench->limit, &next, EPOCH);
}

static void epoch(Bench *bench, uint32_t count) {
  epoch_of(bench, count, LOSE_LINES);
}

// The epochs of a round: unlimited, each limit, unlimited.
static void trials(Bench *bench, const uint32_t counts[LOAD_TRIALS]) {
  for (uint32_t i = 0; i < LOAD_TRIALS; i++) {
    assert_int_equal(bench->limit.level, i % LOAD_LIMITS);
    assert_int_equal(load_limit_is_tried(&bench->limit), i > 0);
    epoch(bench, counts[i]);
  }
  assert_false(load_limit_is_tried(&bench->limit));
}

static void without_losses_every_warp_may_load(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench);
  for (int i = 0; i < 20; i++) epoch_of(&bench, 100, FIND_LINES);
  assert_int_equal(bench.limit.level, 0);
  IssueView view = {
      .candidates = 0xffff, .loads = 0xffff, .resident = 0xffff, .scheduler_count = 1};
  assert_int_equal(load_limit_allowed(&bench.limit, &view), 0xffff);
}

// Too early a prefetch is no reason to hold warps back.
static void lines_that_nobody_asked_for_are_not_lost(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench);
  for (int i = 0; i < 20; i++) epoch_of(&bench, 100, LOSE_PREFETCHED_LINES);
  assert_int_equal(bench.limit.level, 0);
  assert_int_equal(bench.limit.phase, 0);
}

static void the_limit_under_which_most_loads_issue_holds(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench);
  trials(&bench, (const uint32_t[LOAD_TRIALS]){100, 150, 220, 180, 100});
  for (int i = 0; i < 10; i++) {
    assert_int_equal(bench.limit.level, 2);
    epoch(&bench, 220);
  }
}

// 3 % more is no reason to hold warps back.
static void a_limit_that_gains_little_does_not_hold(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench);
  trials(&bench, (const uint32_t[LOAD_TRIALS]){200, 206, 200, 200, 200});
  assert_int_equal(bench.limit.level, 0);
}

// A kernel that speeds up by itself: each limit is ahead of the first epoch, none of what
// the first and the last lead to expect.
static void a_rate_that_drifts_is_no_gain(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench);
  trials(&bench, (const uint32_t[LOAD_TRIALS]){100, 130, 160, 190, 220});
  assert_int_equal(bench.limit.level, 0);
}

static void a_limit_that_falls_behind_is_given_up(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench);
  trials(&bench, (const uint32_t[LOAD_TRIALS]){100, 90, 160, 90, 110});
  assert_int_equal(bench.limit.level, 2);
  epoch(&bench, 80);  // three quarters of its neighbours' mean
  assert_int_equal(bench.limit.level, 2);
  epoch(&bench, 76);
  assert_int_equal(bench.limit.level, 0);
  assert_int_equal(bench.limit.phase, 0);
}

// Loads of another kernel, which begins with another load.
static void begin_kernel(Bench *bench, uint32_t kernel, uint32_t first_load) {
  add_kernel(bench, kernel);
  L1dAccess access = {
      .now = bench->now, .requester.pc = first_load, .line = 1 << 20, .outcome = OUTCOME_HIT};
  load_limit_on_access(&bench->limit, &access, EPOCH);
}

// Epochs of the kernel before say nothing about this one.
static void a_kernel_begins_without_a_limit(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench);
  trials(&bench, (const uint32_t[LOAD_TRIALS]){100, 90, 150, 90, 100});
  assert_int_equal(bench.limit.level, 2);
  add_warp(&bench, 3, 0, false);
  add_warp(&bench, 3, 0, true);  // of the same kernel
  assert_int_equal(bench.limit.level, 2);
  begin_kernel(&bench, 1, 7);
  assert_int_equal(bench.limit.level, 0);
  epoch(&bench, 100);
  epoch(&bench, 150);
  begin_kernel(&bench, 2, 8);  // in the middle of the trials
  trials(&bench, (const uint32_t[LOAD_TRIALS]){200, 180, 180, 240, 200});
  assert_int_equal(bench.limit.level, 3);
}

static void a_kernel_begins_with_the_limit_of_its_last_launch(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench);
  begin_kernel(&bench, 1, 7);
  trials(&bench, (const uint32_t[LOAD_TRIALS]){100, 90, 150, 90, 100});
  begin_kernel(&bench, 2, 8);
  assert_int_equal(bench.limit.level, 0);
  begin_kernel(&bench, 3, 7);
  assert_int_equal(bench.limit.level, 2);
  epoch(&bench, 70);  // no longer right
  assert_int_equal(bench.limit.level, 0);
  trials(&bench, (const uint32_t[LOAD_TRIALS]){100, 90, 90, 90, 100});
  begin_kernel(&bench, 4, 7);
  assert_int_equal(bench.limit.level, 0);
}

// Once in 20 cycles: too few loads to learn anything from.
static void an_l1d_that_is_hardly_used_is_left_alone(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench);
  for (int i = 0; i < 20; i++) epoch(&bench, 50);
  assert_int_equal(bench.limit.phase, 0);
}

// 16 warps have less than half of the loads: 8 and 4 are not tried.
static void fewer_warps_are_not_tried_where_many_are_too_few(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench);
  epoch(&bench, 400);
  assert_int_equal(bench.limit.level, 1);
  for (uint32_t i = 0; i < 100; i++) load(&bench, i, bench.now + EPOCH * i / 100, LOSE_LINES);
  assert_int_equal(bench.limit.level, 0);
  assert_int_equal(bench.limit.phase, LOAD_TRIALS - 1);
}

static uint32_t epochs_at_rest(Bench *bench) {
  uint32_t count = 0;
  for (; bench->limit.phase; count++) epoch(bench, 100);
  return count;
}

static void rounds_without_a_gain_come_at_growing_distances(void **state) {
  (void)state;
  static const uint32_t equal[LOAD_TRIALS] = {100, 100, 100, 100, 100};
  Bench bench;
  bench_init(&bench);
  trials(&bench, equal);
  assert_int_equal(epochs_at_rest(&bench), 40);
  trials(&bench, equal);
  assert_int_equal(epochs_at_rest(&bench), 80);
  add_kernel(&bench, 1);
  trials(&bench, equal);
  assert_int_equal(epochs_at_rest(&bench), 40);
}

// Eight warps in all, four of each of two schedulers: the oldest that are not at
// a barrier. Those that do not want to load are not concerned.
static void the_oldest_warps_that_do_not_wait_may_load(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench);
  bench.limit.level = 2;
  IssueView view = {
      .candidates = 0x5555, .loads = 0x1555, .resident = 0x55555555, .scheduler_count = 2};
  assert_int_equal(load_limit_allowed(&bench.limit, &view), 0x4055);
  view.at_barrier = 0x5;
  view.candidates = 0x5550;
  assert_int_equal(load_limit_allowed(&bench.limit, &view), 0x4550);
  add_warp(&bench, 4, 0, false);  // another warp takes the slot, the youngest
  add_warp(&bench, 4, 0, true);
  assert_int_equal(load_limit_allowed(&bench.limit, &view), 0x5540);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_losses_every_warp_may_load),
      cmocka_unit_test(lines_that_nobody_asked_for_are_not_lost),
      cmocka_unit_test(the_limit_under_which_most_loads_issue_holds),
      cmocka_unit_test(a_limit_that_gains_little_does_not_hold),
      cmocka_unit_test(a_rate_that_drifts_is_no_gain),
      cmocka_unit_test(a_limit_that_falls_behind_is_given_up),
      cmocka_unit_test(a_kernel_begins_without_a_limit),
      cmocka_unit_test(a_kernel_begins_with_the_limit_of_its_last_launch),
      cmocka_unit_test(an_l1d_that_is_hardly_used_is_left_alone),
      cmocka_unit_test(fewer_warps_are_not_tried_where_many_are_too_few),
      cmocka_unit_test(rounds_without_a_gain_come_at_growing_distances),
      cmocka_unit_test(the_oldest_warps_that_do_not_wait_may_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
