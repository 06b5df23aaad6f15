// SPDX-License-Identifier: MIT
// Clock domains: ticks in order, and skipping equal to stepping.
#include "gpu/clock.h"

#include "unit/cmocka_all.h"

enum { ALL = (1 << CLOCK_DOMAINS) - 1, DRAM = 1 << CLOCK_DRAM };

static Clock clock_of(uint32_t core, uint32_t noc, uint32_t l2, uint32_t dram) {
  const uint32_t mhz[CLOCK_DOMAINS] = {core, noc, l2, dram};
  Clock clock;
  clock_init(&clock, mhz);
  clock_align(&clock);
  return clock;
}

static void equal_clocks_tick_together(void **state) {
  (void)state;
  Clock clock = clock_of(700, 700, 700, 700);
  assert_int_equal(clock_step(&clock), ALL);
  // After the start the DRAM comes behind the others at the same moment.
  for (int i = 0; i < 10; i++) {
    assert_int_equal(clock_step(&clock), ALL & ~DRAM);
    assert_int_equal(clock_step(&clock), DRAM);
  }
}

// 924 MHz is 1.32 times 700 MHz: in 25 core cycles the DRAM ticks 33 times.
static void domains_tick_by_their_frequency(void **state) {
  (void)state;
  Clock clock = clock_of(700, 350, 1400, 924);
  uint32_t ticks[CLOCK_DOMAINS] = {0};
  while (ticks[CLOCK_CORE] < 2500) {
    uint32_t due = clock_step(&clock);
    assert_true(due);
    for (int d = 0; d < CLOCK_DOMAINS; d++) ticks[d] += due >> d & 1;
  }
  assert_in_range(ticks[CLOCK_NOC], 1249, 1251);
  assert_in_range(ticks[CLOCK_L2], 4998, 5002);
  assert_in_range(ticks[CLOCK_DRAM], 3297, 3301);
}

// Steps of one time at a time, until a core cycle is next and nothing is
// due before it.
static void pass_cycles(Clock *clock, Cycle cycles, Cycle ticks[CLOCK_DOMAINS]) {
  for (Cycle c = 0; c <= cycles;) {
    bool is_core_next = true;
    for (int d = 0; d < CLOCK_DOMAINS; d++)
      is_core_next &= clock->next[d] >= clock->next[CLOCK_CORE];
    if (is_core_next && c++ == cycles) return;
    uint32_t due = clock_step(clock);
    for (int d = 0; d < CLOCK_DOMAINS; d++) ticks[d] += due >> d & 1;
  }
}

static void skipping_leaves_the_clock_as_stepping_does(void **state) {
  (void)state;
  static const uint32_t mhz[][CLOCK_DOMAINS] = {
      {700, 700, 700, 924}, {700, 350, 1400, 924}, {1537, 999, 1001, 3001}, {100, 2000, 333, 7}};
  for (int k = 0; k < 4; k++) {
    Clock stepped = clock_of(mhz[k][0], mhz[k][1], mhz[k][2], mhz[k][3]);
    clock_step(&stepped);
    Cycle wait[CLOCK_DOMAINS] = {0};
    pass_cycles(&stepped, 0, wait);
    for (Cycle cycles = 1; cycles < 100; cycles += 7) {
      Clock skipped = stepped;
      Cycle by_step[CLOCK_DOMAINS] = {0}, by_skip[CLOCK_DOMAINS];
      pass_cycles(&stepped, cycles, by_step);
      clock_skip(&skipped, cycles, by_skip);
      assert_memory_equal(&skipped, &stepped, sizeof stepped);
      assert_memory_equal(by_skip, by_step, sizeof by_step);
    }
  }
}

// What clock_core_cycles_before allows to be left out never contains the tick.
static void no_tick_is_left_out_that_must_not_be(void **state) {
  (void)state;
  Clock clock = clock_of(700, 700, 700, 924);
  for (int i = 0; i < 50; i++) {
    clock_step(&clock);
    for (Cycle tick = 0; tick < 40; tick++) {
      Clock skipped = clock;
      Cycle ticks[CLOCK_DOMAINS];
      Cycle cycles = clock_core_cycles_before(&clock, CLOCK_DRAM, tick);
      clock_skip(&skipped, cycles, ticks);
      assert_true(ticks[CLOCK_DRAM] <= tick || cycles == 0);
      clock_skip(&skipped, 2, ticks);
    }
  }
  assert_true(clock_core_cycles_before(&clock, CLOCK_DRAM, NEVER) == NEVER);
}

static void odd_frequencies_do_not_overflow(void **state) {
  (void)state;
  Clock clock = clock_of(99991, 99989, 99971, 99961);
  Cycle ticks[CLOCK_DOMAINS];
  clock_skip(&clock, 1000000000, ticks);
  assert_int_equal(ticks[CLOCK_CORE], 1000000000);
  assert_in_range(ticks[CLOCK_DRAM], 999600000, 999800000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_clocks_tick_together),
      cmocka_unit_test(domains_tick_by_their_frequency),
      cmocka_unit_test(skipping_leaves_the_clock_as_stepping_does),
      cmocka_unit_test(no_tick_is_left_out_that_must_not_be),
      cmocka_unit_test(odd_frequencies_do_not_overflow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
