// SPDX-License-Identifier: MIT
// Threads that tick SMs, two synchronisations per simulated cycle.
#include "gpu/workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/memory.h"

// A cycle takes microseconds, so waking a sleeping thread costs more than it does: spin first.
// Yield for hosts with fewer cores than threads, and sleep through phases that one thread runs
// alone.
enum { SPINS_BEFORE_YIELD = 20000, YIELDS_BEFORE_SLEEP = 200, HOST_LINE_BYTES = 64 };

// Tasks of one thread that are left: the next in the lower half of a word, their end in the upper.
// A claim that comes late, with the word of an earlier list, either fails or is one of this list.
typedef struct TaskRun {
  _Alignas(HOST_LINE_BYTES) atomic_uint_fast64_t left;
} TaskRun;

typedef struct Worker {
  Workers *pool;
  uint32_t number;  // of its run; the caller's is 0
  pthread_t thread;
} Worker;

struct Workers {
  void *subject;
  WorkersJob job;  // of this round: read by those who have claimed a task
  uint32_t threads, started;
  Worker *others;  // threads - 1 of them
  TaskRun *runs;   // by thread
  _Alignas(HOST_LINE_BYTES) atomic_uint round;
  atomic_bool is_over;
  atomic_uint sleeping;
  _Alignas(HOST_LINE_BYTES) atomic_uint unfinished;  // tasks of the round
  pthread_mutex_t mutex;
  pthread_cond_t wake;
};

static bool claim(TaskRun *run, uint32_t *task) {
  uint_fast64_t left = atomic_load_explicit(&run->left, memory_order_acquire);
  while ((uint32_t)left < left >> 32)
    if (atomic_compare_exchange_weak_explicit(&run->left, &left, left + 1, memory_order_acq_rel,
                                              memory_order_acquire)) {
      *task = (uint32_t)left;
      return true;
    }
  return false;
}

// A thread's own tasks, then those of the next, until there are none.
static void do_tasks(Workers *workers, uint32_t number) {
  uint32_t done = 0, task;
  for (uint32_t i = 0; i < workers->threads; i++) {
    TaskRun *run = &workers->runs[(number + i) % workers->threads];
    for (; claim(run, &task); done++) workers->job(workers->subject, task);
  }
  if (done) atomic_fetch_sub_explicit(&workers->unfinished, done, memory_order_release);
}

static bool is_idle(Workers *workers, unsigned round) {
  return atomic_load(&workers->round) == round && !atomic_load(&workers->is_over);
}

// The test is repeated under the mutex; workers_run() takes it to wake, so no wake-up is lost.
static void sleep_while_idle(Workers *workers, unsigned round) {
  pthread_mutex_lock(&workers->mutex);
  atomic_fetch_add(&workers->sleeping, 1);
  while (is_idle(workers, round)) pthread_cond_wait(&workers->wake, &workers->mutex);
  atomic_fetch_sub(&workers->sleeping, 1);
  pthread_mutex_unlock(&workers->mutex);
}

static void wait_while_idle(Workers *workers, unsigned round) {
  for (uint32_t spin = 0; is_idle(workers, round); spin++) {
    if (spin < SPINS_BEFORE_YIELD) continue;
    if (spin < SPINS_BEFORE_YIELD + YIELDS_BEFORE_SLEEP)
      sched_yield();
    else
      sleep_while_idle(workers, round);
  }
}

static void *work(void *argument) {
  Worker *worker = argument;
  Workers *workers = worker->pool;
  while (!atomic_load(&workers->is_over)) {
    unsigned round = atomic_load(&workers->round);
    do_tasks(workers, worker->number);
    wait_while_idle(workers, round);
  }
  return NULL;
}

static bool start(Workers *workers) {
  Worker *worker = &workers->others[workers->started];
  *worker = (Worker){.pool = workers, .number = workers->started + 1};
  if (pthread_create(&worker->thread, NULL, work, worker) != 0) return false;
  workers->started++;
  return true;
}

Workers *workers_create(uint32_t threads, void *subject) {
  Workers *workers = memory_alloc_aligned(sizeof *workers, HOST_LINE_BYTES);
  *workers = (Workers){.subject = subject, .threads = threads};
  pthread_mutex_init(&workers->mutex, NULL);
  pthread_cond_init(&workers->wake, NULL);
  workers->others = memory_alloc(sizeof *workers->others * threads);
  workers->runs = memory_alloc_aligned(sizeof *workers->runs * threads, HOST_LINE_BYTES);
  for (uint32_t i = 0; i < threads; i++) atomic_init(&workers->runs[i].left, 0);
  while (workers->started + 1 < threads && start(workers)) continue;
  if (workers->started + 1 == threads) return workers;
  workers_destroy(workers);
  return NULL;
}

static void wake_all(Workers *workers) {
  pthread_mutex_lock(&workers->mutex);
  pthread_cond_broadcast(&workers->wake);
  pthread_mutex_unlock(&workers->mutex);
}

void workers_destroy(Workers *workers) {
  if (!workers) return;
  atomic_store(&workers->is_over, true);
  wake_all(workers);
  for (uint32_t i = 0; i < workers->started; i++) pthread_join(workers->others[i].thread, NULL);
  pthread_mutex_destroy(&workers->mutex);
  pthread_cond_destroy(&workers->wake);
  memory_free(workers->others);
  memory_free(workers->runs);
  memory_free(workers);
}

// The caller works, too, and then waits for tasks that others have claimed. `unfinished` is set
// before there is anything to claim.
void workers_run(Workers *workers, WorkersJob job, uint32_t count) {
  workers->job = job;
  atomic_store_explicit(&workers->unfinished, count, memory_order_relaxed);
  for (uint32_t i = 0; i < workers->threads; i++) {
    uint64_t first = (uint64_t)count * i / workers->threads;
    uint64_t end = (uint64_t)count * (i + 1) / workers->threads;
    atomic_store_explicit(&workers->runs[i].left, end << 32 | first, memory_order_release);
  }
  atomic_fetch_add(&workers->round, 1);
  if (atomic_load(&workers->sleeping)) wake_all(workers);
  do_tasks(workers, 0);
  for (uint32_t spin = 0; atomic_load_explicit(&workers->unfinished, memory_order_acquire); spin++)
    if (spin > SPINS_BEFORE_YIELD) sched_yield();
}
