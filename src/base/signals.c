// SPDX-License-Identifier: MIT
// Installs handlers, and remembers whether this is a background job.
#include "base/signals.h"

// Global because signal handlers need it.
static volatile sig_atomic_t is_background;

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

bool signal_is_deaf(int number) {
  return number == SIGINT && is_background;
}
