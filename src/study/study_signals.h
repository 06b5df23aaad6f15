// SPDX-License-Identifier: MIT
// Termination signals while runs are in flight.
#ifndef STUDY_STUDY_SIGNALS_H
#define STUDY_STUDY_SIGNALS_H

#include <signal.h>

// Installs handlers. The first SIGINT, SIGTERM or SIGHUP sets the returned variable
// (0 before); a later one terminates the process. Ignored ones: base/signals.h.
const volatile sig_atomic_t *study_signals_listen(void);

#endif
