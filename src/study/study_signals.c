// SPDX-License-Identifier: MIT
// Termination signals while runs are in flight.
#include "study/study_signals.h"

#include "base/signals.h"

// Global because the signal handler needs it.
static volatile sig_atomic_t stop_number;

// The runs also receive Ctrl-C; a signal sent only to this process is forwarded as SIGTERM.
static void on_stop(int number, siginfo_t *info, void *context) {
  bool is_ctrl_c = number == SIGINT && signal_is_of_terminal(info);
  (void)context;
  if (is_ctrl_c && signal_is_deaf(number)) return;
  bool is_repeated = signal_is_repeated();
  if (stop_number && !is_repeated) {
    signal(number, SIG_DFL);
    raise(number);
  }
  if (!stop_number) stop_number = is_ctrl_c ? SIGINT : SIGTERM;
}

const volatile sig_atomic_t *study_signals_listen(void) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  signals_handle(signals, sizeof signals / sizeof *signals, on_stop, 0);
  return &stop_number;
}
