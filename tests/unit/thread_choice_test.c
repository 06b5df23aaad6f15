// SPDX-License-Identifier: MIT
// The choice of --threads auto on simulated hosts: what an SM costs with one thread and with
// several is given, and the sum over a run is compared with that of one thread.
#include "gpu/thread_choice.h"

#include "unit/cmocka_all.h"

typedef struct Host {
  ThreadChoice choice;
  double alone, several;  // seconds per SM
  bool has_cores;
  double now;
  uint32_t parallel;  // steps
} Host;

static Host host(double several) {
  Host made = {.alone = 1e-6, .several = several * 1e-6, .has_cores = true, .now = 1};
  thread_choice_init(&made.choice, 2);
  return made;
}

// How many times as long as with one thread it took.
static double run(Host *on, uint32_t steps) {
  enum { SMS = 80 };
  double began = on->now;
  for (uint32_t i = 0; i < steps; i++) {
    bool is_parallel = thread_choice_ask_at(&on->choice, SMS, on->now, on->has_cores);
    on->parallel += is_parallel;
    on->now += SMS * (is_parallel ? on->several : on->alone);
  }
  return (on->now - began) / (steps * SMS * on->alone);
}

static void several_threads_are_used_where_they_are_faster(void **state) {
  (void)state;
  Host fast = host(0.55);
  assert_true(run(&fast, 10000) < 0.58);
  assert_true(fast.parallel > 9000);
}

static void trials_cost_little_where_they_are_slower(void **state) {
  (void)state;
  Host slow = host(1.5), stuck = host(50);
  assert_true(run(&slow, 10000) < 1.05);
  assert_true(run(&stuck, 10000) < 1.05);
  assert_true(slow.parallel > 0 && slow.parallel < 500);
  assert_true(stuck.parallel > 0 && stuck.parallel < 100);
}

static void nothing_is_tried_without_a_core(void **state) {
  (void)state;
  Host busy = host(0.5);
  busy.has_cores = false;
  run(&busy, 10000);
  assert_int_equal(busy.parallel, 0);
}

static void the_choice_follows_the_host(void **state) {
  (void)state;
  Host on = host(0.55);
  run(&on, 10000);
  on.several = 4e-6;
  assert_true(run(&on, 10000) < 1.1);
  uint32_t before = on.parallel;
  assert_true(run(&on, 10000) < 1.05);
  assert_true(on.parallel - before < 500);
  on.several = 0.5e-6;
  run(&on, 100000);
  before = on.parallel;
  assert_true(run(&on, 10000) < 0.6);
  assert_true(on.parallel - before > 9000);
}

static void small_machines_have_one_thread(void **state) {
  (void)state;
  assert_int_equal(thread_choice_most(15), 1);
  assert_int_equal(thread_choice_most(0), 1);
  assert_true(thread_choice_most(10000) <= 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(several_threads_are_used_where_they_are_faster),
      cmocka_unit_test(trials_cost_little_where_they_are_slower),
      cmocka_unit_test(nothing_is_tried_without_a_core),
      cmocka_unit_test(the_choice_follows_the_host),
      cmocka_unit_test(small_machines_have_one_thread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
