// SPDX-License-Identifier: MIT
// The threads that step SMs: every share once per round, sleeping and waking.
#include "gpu/workers.h"

#include <stdatomic.h>
#include <time.h>

#include "unit/cmocka_all.h"

enum { SHARES = 4, ROUNDS = 2000 };

typedef struct Tally {
  atomic_uint done[SHARES];
  atomic_uint at_work, most_at_work;  // at once
} Tally;

static void count(void *subject, uint32_t share, uint32_t shares) {
  Tally *tally = subject;
  assert_int_equal(shares, SHARES);
  atomic_fetch_add(&tally->done[share], 1);
}

// The first share that is taken lasts until another thread has come.
static void wait_for_company(void *subject, uint32_t share, uint32_t shares) {
  Tally *tally = subject;
  count(subject, share, shares);
  unsigned at_work = atomic_fetch_add(&tally->at_work, 1) + 1;
  if (at_work > atomic_load(&tally->most_at_work)) atomic_store(&tally->most_at_work, at_work);
  while (atomic_load(&tally->most_at_work) < 2) continue;
  atomic_fetch_sub(&tally->at_work, 1);
}

static void assert_each_done(Tally *tally, unsigned times) {
  for (int i = 0; i < SHARES; i++) assert_int_equal(atomic_load(&tally->done[i]), times);
}

static void every_share_is_done_once_a_round(void **state) {
  (void)state;
  Tally tally = {0};
  Workers *workers = workers_create(SHARES, count, &tally);
  assert_non_null(workers);
  for (unsigned round = 1; round <= ROUNDS; round++) {
    workers_run(workers);
    assert_each_done(&tally, round);
  }
  workers_destroy(workers);
}

static void several_threads_share_a_round(void **state) {
  (void)state;
  Tally tally = {0};
  Workers *workers = workers_create(SHARES, wait_for_company, &tally);
  workers_run(workers);
  assert_each_done(&tally, 1);
  assert_true(atomic_load(&tally.most_at_work) >= 2);
  workers_destroy(workers);
}

static void those_who_went_to_sleep_wake_up(void **state) {
  (void)state;
  Tally tally = {0};
  Workers *workers = workers_create(SHARES, wait_for_company, &tally);
  for (unsigned round = 1; round <= 3; round++) {
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    atomic_store(&tally.most_at_work, 0);
    workers_run(workers);
    assert_each_done(&tally, round);
  }
  workers_destroy(workers);
}

static void nobody_has_to_work(void **state) {
  (void)state;
  Tally tally = {0};
  workers_destroy(workers_create(SHARES, count, &tally));
  workers_destroy(NULL);
  assert_each_done(&tally, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_share_is_done_once_a_round),
      cmocka_unit_test(several_threads_share_a_round),
      cmocka_unit_test(those_who_went_to_sleep_wake_up),
      cmocka_unit_test(nobody_has_to_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
