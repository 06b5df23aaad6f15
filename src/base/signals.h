// SPDX-License-Identifier: MIT
// Signals that stop a run.
//
// Ignored signals stay ignored (nohup), but for SIGINT: a shell starts background jobs with it
// ignored, so that Ctrl-C is not for them; one that a process sends is.
#ifndef BASE_SIGNALS_H
#define BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

typedef void (*SignalFn)(int number, siginfo_t *info, void *context);

// Installs the handler; flags as for sigaction.
void signals_handle(const int *signals, size_t count, SignalFn handler, int flags);
// For handlers. Did the terminal send it (Ctrl-C, a hang-up) and not a process?
bool signal_is_of_terminal(const siginfo_t *info);
// For handlers of requests to stop. The first one only notes the time; true for one that comes so
// soon after it that it is the same request (timeout signals a process and then its group).
bool signal_is_repeated(void);
// SIGINT was ignored when this process began, and so it is in programs that it starts.
bool signal_is_deaf(int number);

#endif
