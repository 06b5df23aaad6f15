// SPDX-License-Identifier: MIT
// Threads that tick SMs, two synchronisations per simulated cycle. Shares are claimed, not
// assigned: a thread that the host has descheduled delays only the share that it has claimed.
#include "gpu/workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/memory.h"

// A cycle takes microseconds, so waking a sleeping thread costs more than it does: spin first.
// Yield for hosts with fewer cores than threads, and sleep through phases that one thread runs
// alone.
enum { SPINS_BEFORE_YIELD = 2000, YIELDS_BEFORE_SLEEP = 200, NO_SHARE = -1 };

struct Workers {
  WorkersJob job;
  void *subject;
  uint32_t shares, started;
  pthread_t *threads;           // shares - 1 of them
  atomic_uint_fast64_t ticket;  // the round, and in the lower half the share to take next
  atomic_uint unfinished;       // shares of the round
  atomic_bool is_over;
  atomic_uint sleeping;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
};

static bool has_share(const Workers *workers, uint_fast64_t ticket) {
  return (uint32_t)ticket < workers->shares;
}

// The next share of the current round, for the caller alone.
// Round and share are one atomic word: a thread that comes late cannot take a share of the next
// round with the number of the last.
static int take_share(Workers *workers) {
  uint_fast64_t ticket = atomic_load_explicit(&workers->ticket, memory_order_acquire);
  while (has_share(workers, ticket))
    if (atomic_compare_exchange_weak_explicit(&workers->ticket, &ticket, ticket + 1,
                                              memory_order_acq_rel, memory_order_acquire))
      return (int)(uint32_t)ticket;
  return NO_SHARE;
}

// Takes shares and does them until there are none.
static void do_shares(Workers *workers) {
  for (int share; (share = take_share(workers)) != NO_SHARE;) {
    workers->job(workers->subject, (uint32_t)share, workers->shares);
    atomic_fetch_sub_explicit(&workers->unfinished, 1, memory_order_release);
  }
}

static bool is_idle(Workers *workers) {
  return !has_share(workers, atomic_load(&workers->ticket)) && !atomic_load(&workers->is_over);
}

// The test is repeated under the mutex; workers_run() takes it to wake, so no wake-up is lost.
static void sleep_while_idle(Workers *workers) {
  pthread_mutex_lock(&workers->mutex);
  atomic_fetch_add(&workers->sleeping, 1);
  while (is_idle(workers)) pthread_cond_wait(&workers->wake, &workers->mutex);
  atomic_fetch_sub(&workers->sleeping, 1);
  pthread_mutex_unlock(&workers->mutex);
}

static void wait_while_idle(Workers *workers) {
  for (uint32_t spin = 0; is_idle(workers); spin++) {
    if (spin < SPINS_BEFORE_YIELD) continue;
    if (spin < SPINS_BEFORE_YIELD + YIELDS_BEFORE_SLEEP)
      sched_yield();
    else
      sleep_while_idle(workers);
  }
}

static void *work(void *argument) {
  Workers *workers = argument;
  while (!atomic_load(&workers->is_over)) {
    do_shares(workers);
    wait_while_idle(workers);
  }
  return NULL;
}

Workers *workers_create(uint32_t shares, WorkersJob job, void *subject) {
  Workers *workers = memory_alloc(sizeof *workers);
  *workers = (Workers){.job = job, .subject = subject, .shares = shares, .ticket = shares};
  pthread_mutex_init(&workers->mutex, NULL);
  pthread_cond_init(&workers->wake, NULL);
  workers->threads = memory_alloc(sizeof *workers->threads * shares);
  for (; workers->started + 1 < shares; workers->started++)
    if (pthread_create(&workers->threads[workers->started], NULL, work, workers) != 0) {
      workers_destroy(workers);
      return NULL;
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
  for (uint32_t i = 0; i < workers->started; i++) pthread_join(workers->threads[i], NULL);
  pthread_mutex_destroy(&workers->mutex);
  pthread_cond_destroy(&workers->wake);
  memory_free(workers->threads);
  memory_free(workers);
}

// The caller works, too, and then waits for shares that others have taken. `unfinished` is set
// before the ticket is published.
void workers_run(Workers *workers) {
  uint_fast64_t round = (atomic_load_explicit(&workers->ticket, memory_order_relaxed) >> 32) + 1;
  atomic_store_explicit(&workers->unfinished, workers->shares, memory_order_relaxed);
  atomic_store(&workers->ticket, round << 32);
  if (atomic_load(&workers->sleeping)) wake_all(workers);
  do_shares(workers);
  for (uint32_t spin = 0; atomic_load_explicit(&workers->unfinished, memory_order_acquire); spin++)
    if (spin > SPINS_BEFORE_YIELD) sched_yield();
}
