// SPDX-License-Identifier: MIT
// Ctrl-C and its like while many runs are in flight.
#ifndef CLI_STUDY_SIGNALS_H
#define CLI_STUDY_SIGNALS_H

#include <signal.h>

// From now on the first SIGINT, SIGTERM or SIGHUP is noted where the result
// points to (0 before), and a second one ends the process. Signals that are
// ignored stay so: nohup.
const volatile sig_atomic_t *study_signals_listen(void);

#endif
