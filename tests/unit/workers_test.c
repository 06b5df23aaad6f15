// SPDX-License-Identifier: MIT
// The threads that step SMs: every task once per round, sleeping and waking.
#include "gpu/workers.h"

#include <stdatomic.h>
#include <time.h>

#include "unit/cmocka_all.h"

enum { THREADS = 4, TASKS = 11, ROUNDS = 2000 };

typedef struct Tally {
  atomic_uint done[TASKS];
  atomic_uint at_work, most_at_work;  // at once
} Tally;

static void count(void *subject, uint32_t task) {
  Tally *tally = subject;
  assert_true(task < TASKS);
  atomic_fetch_add(&tally->done[task], 1);
}

// The first task that is claimed lasts until another thread has come.
static void wait_for_company(void *subject, uint32_t task) {
  Tally *tally = subject;
  count(subject, task);
  unsigned at_work = atomic_fetch_add(&tally->at_work, 1) + 1;
  if (at_work > atomic_load(&tally->most_at_work)) atomic_store(&tally->most_at_work, at_work);
  while (atomic_load(&tally->most_at_work) < 2) continue;
  atomic_fetch_sub(&tally->at_work, 1);
}

static void assert_each_done(Tally *tally, unsigned times) {
  for (int i = 0; i < TASKS; i++) assert_int_equal(atomic_load(&tally->done[i]), times);
}

static void every_task_is_done_once_a_round(void **state) {
  (void)state;
  Tally tally = {0};
  Workers *workers = workers_create(THREADS, &tally);
  assert_non_null(workers);
  for (unsigned round = 1; round <= ROUNDS; round++) {
    workers_run(workers, count, TASKS);
    assert_each_done(&tally, round);
  }
  workers_destroy(workers);
}

static void several_threads_share_a_round(void **state) {
  (void)state;
  Tally tally = {0};
  Workers *workers = workers_create(THREADS, &tally);
  workers_run(workers, wait_for_company, TASKS);
  assert_each_done(&tally, 1);
  assert_true(atomic_load(&tally.most_at_work) >= 2);
  workers_destroy(workers);
}

static void those_who_went_to_sleep_wake_up(void **state) {
  (void)state;
  Tally tally = {0};
  Workers *workers = workers_create(THREADS, &tally);
  for (unsigned round = 1; round <= 3; round++) {
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    atomic_store(&tally.most_at_work, 0);
    workers_run(workers, wait_for_company, TASKS);
    assert_each_done(&tally, round);
  }
  workers_destroy(workers);
}

// Fewer tasks than threads, and lists of different lengths in turn.
static void lists_may_have_any_length(void **state) {
  (void)state;
  Tally tally = {0};
  Workers *workers = workers_create(THREADS, &tally);
  for (unsigned round = 0; round < ROUNDS; round++)
    workers_run(workers, count, round % (TASKS + 1));
  for (unsigned i = 0; i < TASKS; i++) {
    unsigned wanted = 0;
    for (unsigned round = 0; round < ROUNDS; round++) wanted += i < round % (TASKS + 1);
    assert_int_equal(atomic_load(&tally.done[i]), wanted);
  }
  workers_destroy(workers);
}

// One thread is held up in its first task: the others do the rest of its run.
static void hold_up(void *subject, uint32_t task) {
  Tally *tally = subject;
  count(subject, task);
  if (task) atomic_fetch_add(&tally->at_work, 1);
  while (!task && atomic_load(&tally->at_work) < TASKS - 1) continue;
}

static void others_take_the_tasks_of_a_late_thread(void **state) {
  (void)state;
  Tally tally = {0};
  Workers *workers = workers_create(THREADS, &tally);
  for (unsigned round = 1; round <= 20; round++) {
    atomic_store(&tally.at_work, 0);
    workers_run(workers, hold_up, TASKS);
    assert_each_done(&tally, round);
  }
  workers_destroy(workers);
}

static void nobody_has_to_work(void **state) {
  (void)state;
  Tally tally = {0};
  workers_destroy(workers_create(THREADS, &tally));
  workers_destroy(NULL);
  assert_each_done(&tally, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_task_is_done_once_a_round),
      cmocka_unit_test(several_threads_share_a_round),
      cmocka_unit_test(those_who_went_to_sleep_wake_up),
      cmocka_unit_test(lists_may_have_any_length),
      cmocka_unit_test(others_take_the_tasks_of_a_late_thread),
      cmocka_unit_test(nobody_has_to_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
