// SPDX-License-Identifier: MIT
// Installs handlers, and remembers whether this is a background job.
#include "base/signals.h"

#include <stdint.h>
#include <time.h>

enum { REPEAT_MS = 500 };

// Global because signal handlers need them.
static volatile sig_atomic_t is_background;
static int64_t first_request_ms;  // 0: none so far

void signals_handle(const int *signals, size_t count, SignalFn handler, int flags) {
  struct sigaction action = {.sa_flags = flags | SA_SIGINFO}, before;
  action.sa_sigaction = handler;
  for (size_t i = 0; i < count; i++) {
    if (sigaction(signals[i], NULL, &before) != 0) continue;
    bool is_ignored = before.sa_handler == SIG_IGN;
    if (signals[i] == SIGINT) is_background = is_ignored;
    if (!is_ignored || signals[i] == SIGINT) sigaction(signals[i], &action, NULL);
  }
}

bool signal_is_of_terminal(const siginfo_t *info) {
  return info->si_code == SI_KERNEL;
}

bool signal_is_repeated(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  int64_t none = 0, now_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + 1;
  if (__atomic_compare_exchange_n(&first_request_ms, &none, now_ms, false, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED))
    return false;
  return now_ms - none < REPEAT_MS;
}

bool signal_is_deaf(int number) {
  return number == SIGINT && is_background;
}
