// SPDX-License-Identifier: MIT
// DYNCTA's decisions, period by period: Kayiran et al., PACT 2013.
#include "policies/throttle/throttle.h"
#include "unit/policy_support.h"

enum { PERIOD = 2048, SCHEDULERS = 4, MOST = 8 };

static const ThrottleType *type;
static void *dyncta;
static ThrottleView view;
static KernelView kernel;

static uint32_t ask(ThrottleCause cause) {
  view.cause = (uint8_t)cause;
  view.kernel = &kernel;
  return throttle_limit(type, dyncta, &view);
}

static uint32_t start(uint32_t most) {
  type = (const ThrottleType *)policy_bench_make(&throttle_family, "dyncta", &dyncta);
  view = (ThrottleView){.sm_count = 1};
  kernel = (KernelView){.max_ctas_per_sm = most, .ctas_waiting = 100};
  return ask(THROTTLE_KERNEL);
}

// A period in which the SM's schedulers, on average, waited so many cycles.
static uint32_t period(uint32_t memory, uint32_t idle) {
  view.cycles += PERIOD;
  view.memory_stalls += memory * SCHEDULERS;
  view.idle_stalls += idle * SCHEDULERS;
  view.resident_ctas = 1;
  return ask(THROTTLE_INTERVAL);
}

static void an_sm_begins_with_half_of_what_fits(void **state) {
  (void)state;
  assert_int_equal(start(8), 4);
  assert_int_equal(start(5), 3);
  assert_int_equal(start(1), 1);
}

static void waiting_for_memory_takes_ctas_away_down_to_one(void **state) {
  (void)state;
  start(MOST);
  assert_int_equal(period(385, 0), 3);
  assert_int_equal(period(2000, 16), 2);
  assert_int_equal(period(2000, 0), 1);
  assert_int_equal(period(2000, 0), 1);
}

static void little_waiting_adds_ctas_up_to_what_fits(void **state) {
  (void)state;
  start(MOST);
  assert_int_equal(period(127, 0), 5);
  for (uint32_t i = 6; i <= MOST; i++) assert_int_equal(period(0, 0), i);
  assert_int_equal(period(0, 0), MOST);
}

static void between_the_thresholds_nothing_changes(void **state) {
  (void)state;
  start(MOST);
  assert_int_equal(period(128, 0), 4);
  assert_int_equal(period(384, 0), 4);
  assert_int_equal(period(384, 16), 4);
}

static void an_idle_sm_gets_more_even_if_it_waits(void **state) {
  (void)state;
  start(MOST);
  assert_int_equal(period(2000, 17), 5);
  kernel.ctas_waiting = 0;  // there are none to give
  assert_int_equal(period(2000, 17), 4);
}

static void thresholds_are_shares_of_the_period(void **state) {
  (void)state;
  start(MOST);
  view.cycles += 10 * PERIOD;
  view.memory_stalls += 10 * 385 * SCHEDULERS;
  view.resident_ctas = 1;
  assert_int_equal(ask(THROTTLE_INTERVAL), 3);
}

static void the_next_kernel_begins_anew_on_an_empty_sm(void **state) {
  (void)state;
  start(MOST);
  assert_int_equal(period(2000, 0), 3);
  assert_int_equal(ask(THROTTLE_CTA_END), 3);
  assert_int_equal(ask(THROTTLE_KERNEL), 3);  // another kernel's CTA is still there
  view.resident_ctas = 0;
  assert_int_equal(ask(THROTTLE_KERNEL), 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_sm_begins_with_half_of_what_fits),
      cmocka_unit_test(waiting_for_memory_takes_ctas_away_down_to_one),
      cmocka_unit_test(little_waiting_adds_ctas_up_to_what_fits),
      cmocka_unit_test(between_the_thresholds_nothing_changes),
      cmocka_unit_test(an_idle_sm_gets_more_even_if_it_waits),
      cmocka_unit_test(thresholds_are_shares_of_the_period),
      cmocka_unit_test(the_next_kernel_begins_anew_on_an_empty_sm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
