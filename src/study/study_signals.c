// SPDX-License-Identifier: MIT
// Termination signals while runs are in flight.
#include "study/study_signals.h"

#include <stdbool.h>
#include <stddef.h>

// Global because the signal handler needs it.
static volatile sig_atomic_t stop_number;
// A shell starts background jobs with SIGINT ignored, so that Ctrl-C is not for them.
static volatile sig_atomic_t is_background;

// The runs also receive Ctrl-C; a signal sent only to this process is forwarded as SIGTERM.
static void on_stop(int number, siginfo_t *info, void *context) {
  bool is_ctrl_c = number == SIGINT && info->si_code == SI_KERNEL;
  (void)context;
  if (is_ctrl_c && is_background) return;
  stop_number = is_ctrl_c ? SIGINT : SIGTERM;
  signal(number, SIG_DFL);
}

const volatile sig_atomic_t *study_signals_listen(void) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {.sa_flags = SA_SIGINFO}, before;
  action.sa_sigaction = on_stop;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    if (sigaction(signals[i], NULL, &before) != 0) continue;
    bool is_ignored = before.sa_handler == SIG_IGN;
    if (signals[i] == SIGINT) is_background = is_ignored;
    if (!is_ignored || signals[i] == SIGINT) sigaction(signals[i], &action, NULL);
  }
  return &stop_number;
}
