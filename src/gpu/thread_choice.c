// SPDX-License-Identifier: MIT
// Trials that decide whether several host threads step the SMs (--threads auto).
#define _GNU_SOURCE  // sched_getaffinity
#include "gpu/thread_choice.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

// A phase takes milliseconds: longer than it takes to wake a thread, and short enough for a trial.
enum { PHASE_SMS = 8192, MIN_SMS_PER_THREAD = 20, MOST_THREADS = 8 };
enum { FIRST_PATIENCE = 32, LONGEST_PATIENCE = 512 };
// A trial ends when it has taken this part more than the phase before would have.
static const double trial_limit = 1.1, gain = 0.95;

static uint32_t host_cores(void) {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? (uint32_t)CPU_COUNT(&cores) : 1;
}

uint32_t thread_choice_most(uint32_t sm_count) {
  uint32_t most = host_cores();
  if (most > sm_count / MIN_SMS_PER_THREAD) most = sm_count / MIN_SMS_PER_THREAD;
  if (most > MOST_THREADS) most = MOST_THREADS;
  return most ? most : 1;
}

void thread_choice_init(ThreadChoice *choice, uint32_t threads) {
  *choice = (ThreadChoice){.threads = threads, .patience = FIRST_PATIENCE};
}

// By the tasks of the host that run or could at this moment, this process among them with one
// thread at least. The host's averages go back a minute: behind a build no core would seem free.
static bool host_has_cores(const ThreadChoice *choice) {
  FILE *file = fopen("/proc/loadavg", "r");
  if (!file) return false;
  uint32_t running;
  bool is_known = fscanf(file, "%*s %*s %*s %" SCNu32, &running) == 1;
  fclose(file);
  return is_known && running + choice->threads - 1 <= host_cores();
}

static double now_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool is_trial(const ThreadChoice *choice) {
  return choice->is_parallel != choice->prefers;
}

// Whether the trial has already taken longer than all of the phase should.
static bool is_too_slow(const ThreadChoice *choice, double seconds) {
  double other = choice->cost[!choice->is_parallel];
  return is_trial(choice) && seconds - choice->began > trial_limit * other * PHASE_SMS;
}

static void judge_trial(ThreadChoice *choice) {
  bool is_better = choice->cost[choice->is_parallel] < gain * choice->cost[!choice->is_parallel];
  if (is_better) {
    choice->prefers = choice->is_parallel;
    choice->patience = FIRST_PATIENCE;
  } else if (choice->patience < LONGEST_PATIENCE) {
    choice->patience *= 2;
  }
  choice->phases = choice->patience;
}

// The first trial is the second phase.
static void end_phase(ThreadChoice *choice, double seconds, bool has_cores) {
  choice->cost[choice->is_parallel] = (seconds - choice->began) / (double)choice->work;
  bool has_become_slow = choice->prefers && choice->cost[true] > choice->cost[false];
  if (is_trial(choice))
    judge_trial(choice);
  else if (has_become_slow)
    choice->phases = 0;
  else if (choice->phases)
    choice->phases--;
  bool is_due = !choice->phases && (has_cores || choice->prefers);
  choice->is_parallel = choice->prefers != is_due;
  choice->work = 0;
  choice->began = seconds;
}

bool thread_choice_ask_at(ThreadChoice *choice, uint32_t sms, double seconds, bool has_cores) {
  if (!choice->work && !choice->began) choice->began = seconds;
  if (choice->work >= PHASE_SMS || (choice->work && is_too_slow(choice, seconds)))
    end_phase(choice, seconds, has_cores);
  choice->work += sms;
  return choice->is_parallel;
}

// The clock is read at the ends of phases, and all the time in trials.
bool thread_choice_ask(ThreadChoice *choice, uint32_t sms) {
  bool is_end = choice->work >= PHASE_SMS;
  if (choice->began && !is_end && !is_trial(choice)) {
    choice->work += sms;
    return choice->is_parallel;
  }
  return thread_choice_ask_at(choice, sms, now_seconds(), is_end && host_has_cores(choice));
}
