// SPDX-License-Identifier: MIT
#include "gpu/workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/memory.h"

enum { SPINS_BEFORE_YIELD = 2000, YIELDS_BEFORE_SLEEP = 200 };

typedef struct Worker {
  Workers *workers;
  pthread_t thread;
  uint32_t share;
} Worker;

struct Workers {
  WorkersJob job;
  void *subject;
  uint32_t shares, started;
  Worker *threads;           // shares - 1 of them
  atomic_uint round;         // of the job that is to be done
  atomic_uint unfinished;    // shares of it
  atomic_bool is_over;
  atomic_uint sleeping;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
};

// Sleeps until there is a round after `done`.
static void sleep_until(Workers *workers, unsigned done) {
  pthread_mutex_lock(&workers->mutex);
  atomic_fetch_add(&workers->sleeping, 1);
  while (atomic_load(&workers->round) == done && !atomic_load(&workers->is_over))
    pthread_cond_wait(&workers->wake, &workers->mutex);
  atomic_fetch_sub(&workers->sleeping, 1);
  pthread_mutex_unlock(&workers->mutex);
}

static void wait_for_round(Workers *workers, unsigned done) {
  for (uint32_t spin = 0; atomic_load_explicit(&workers->round, memory_order_acquire) == done &&
                          !atomic_load(&workers->is_over);
       spin++) {
    if (spin < SPINS_BEFORE_YIELD) continue;
    if (spin < SPINS_BEFORE_YIELD + YIELDS_BEFORE_SLEEP)
      sched_yield();
    else
      sleep_until(workers, done);
  }
}

static void *work(void *argument) {
  Worker *worker = argument;
  Workers *workers = worker->workers;
  for (unsigned done = 0;; done++) {
    wait_for_round(workers, done);
    if (atomic_load(&workers->is_over)) return NULL;
    workers->job(workers->subject, worker->share, workers->shares);
    atomic_fetch_sub_explicit(&workers->unfinished, 1, memory_order_release);
  }
}

Workers *workers_create(uint32_t shares, WorkersJob job, void *subject) {
  Workers *workers = memory_alloc(sizeof *workers);
  *workers = (Workers){.job = job, .subject = subject, .shares = shares};
  pthread_mutex_init(&workers->mutex, NULL);
  pthread_cond_init(&workers->wake, NULL);
  workers->threads = memory_alloc(sizeof(Worker) * shares);
  for (uint32_t i = 1; i < shares; i++) {
    Worker *worker = &workers->threads[i];
    *worker = (Worker){.workers = workers, .share = i};
    if (pthread_create(&worker->thread, NULL, work, worker) != 0) {
      workers_destroy(workers);
      return NULL;
    }
    workers->started++;
  }
  return workers;
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
  for (uint32_t i = 1; i <= workers->started; i++) pthread_join(workers->threads[i].thread, NULL);
  pthread_mutex_destroy(&workers->mutex);
  pthread_cond_destroy(&workers->wake);
  memory_free(workers->threads);
  memory_free(workers);
}

void workers_run(Workers *workers) {
  atomic_store_explicit(&workers->unfinished, workers->shares - 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&workers->round, 1, memory_order_seq_cst);
  if (atomic_load(&workers->sleeping)) wake_all(workers);
  workers->job(workers->subject, 0, workers->shares);
  for (uint32_t spin = 0; atomic_load_explicit(&workers->unfinished, memory_order_acquire); spin++)
    if (spin > SPINS_BEFORE_YIELD) sched_yield();
}
