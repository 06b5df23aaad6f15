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

static void bench_init(Bench *bench) {
  memset(bench, 0, sizeof *bench);
  for (uint32_t w = 0; w < WARPS; w++) load_limit_on_warp(&bench->limit, w, true);
}

// An epoch in which so many loads issue, half of which miss what their warp has lost or
// nobody ever had.
static void epoch(Bench *bench, uint32_t loads, bool loses) {
  uint32_t level = bench->limit.level, phase = bench->limit.phase;
  for (uint32_t i = 0; i < loads; i++) {
    uint64_t line = 128u * (1 + i % 64);
    load_limit_on_load(&bench->limit);
    if (loses) load_limit_on_evict(&bench->limit, i % WARPS, line);
    L1dAccess access = {.now = bench->now + EPOCH * i / loads,
                        .who.warp = (uint8_t)(i % WARPS),
                        .line = loses ? line : 1 << 20,
                        .outcome = i % 2 ? OUTCOME_MISS : OUTCOME_HIT};
    load_limit_on_access(&bench->limit, &access, EPOCH);
    assert_int_equal(bench->limit.level, level);
    assert_int_equal(bench->limit.phase, phase);
  }
  bench->now += EPOCH;
  bench->limit.epoch_end = bench->now;
  L1dAccess next = {.now = bench->now, .outcome = OUTCOME_HIT};
  load_limit_on_access(&bench->limit, &next, EPOCH);
}

static void start(Bench *bench) {
  bench_init(bench);
  bench->limit.epoch_end = EPOCH;
}

static void without_losses_every_warp_may_load(void **state) {
  (void)state;
  Bench bench;
  start(&bench);
  for (int i = 0; i < 20; i++) epoch(&bench, 100, false);
  assert_int_equal(bench.limit.level, 0);
  IssueView view = {.candidates = 0xffff, .loads = 0xffff, .resident = 0xffff, .scheduler_count = 1};
  assert_int_equal(load_limit_allowed(&bench.limit, &view), 0xffff);
}

static void the_limit_under_which_most_loads_issue_holds(void **state) {
  (void)state;
  Bench bench;
  start(&bench);
  static const uint32_t rates[LOAD_LIMITS] = {100, 150, 220, 180};
  for (uint32_t i = 0; i < LOAD_LIMITS; i++) {
    assert_int_equal(bench.limit.level, i);
    epoch(&bench, rates[i], true);
  }
  for (int i = 0; i < 10; i++) {
    assert_int_equal(bench.limit.level, 2);
    epoch(&bench, 220, true);
  }
}

// 3 % more is no reason to hold warps back.
static void a_limit_that_gains_little_does_not_hold(void **state) {
  (void)state;
  Bench bench;
  start(&bench);
  for (uint32_t i = 0; i < LOAD_LIMITS; i++) epoch(&bench, i == 1 ? 206 : 200, true);
  assert_int_equal(bench.limit.level, 0);
}

// Eight warps in all, four of each of two schedulers: the oldest that are not at
// a barrier. Those that do not want to load are not concerned.
static void the_oldest_warps_that_do_not_wait_may_load(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench);
  bench.limit.level = 2;
  IssueView view = {.candidates = 0x5555, .loads = 0x1555, .resident = 0x55555555,
                    .scheduler_count = 2};
  assert_int_equal(load_limit_allowed(&bench.limit, &view), 0x4055);
  view.at_barrier = 0x5;
  view.candidates = 0x5550;
  assert_int_equal(load_limit_allowed(&bench.limit, &view), 0x4550);
  load_limit_on_warp(&bench.limit, 4, false);  // another warp takes the slot, the youngest
  load_limit_on_warp(&bench.limit, 4, true);
  assert_int_equal(load_limit_allowed(&bench.limit, &view), 0x5540);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_losses_every_warp_may_load),
      cmocka_unit_test(the_limit_under_which_most_loads_issue_holds),
      cmocka_unit_test(a_limit_that_gains_little_does_not_hold),
      cmocka_unit_test(the_oldest_warps_that_do_not_wait_may_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
