// SPDX-License-Identifier: MIT
// Termination signals while runs are in flight.
#include "study/study_signals.h"

#include <stddef.h>

// Global because the signal handler needs it.
static volatile sig_atomic_t stop_number;

// The runs also receive Ctrl-C; a signal sent only to this process is forwarded as SIGTERM.
static void on_stop(int number, siginfo_t *info, void *context) {
  (void)context;
  stop_number = number == SIGINT && info->si_code == SI_KERNEL ? SIGINT : SIGTERM;
}

const volatile sig_atomic_t *study_signals_listen(void) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {.sa_flags = (int)SA_RESETHAND | SA_SIGINFO}, before;
  action.sa_sigaction = on_stop;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(signals[i], &action, NULL);
  return &stop_number;
}
