// SPDX-License-Identifier: MIT
// A run whose kernels this process launches itself: those of case files and of traces. Interrupts
// stop it after the results so far are complete; progress is shown; results are printed and kept.
#ifndef RUNNER_LOCAL_RUN_H
#define RUNNER_LOCAL_RUN_H

#include <signal.h>

#include "device/launches/engine.h"
#include "run/run_machine.h"
#include "runner/run_outcome.h"

typedef struct LocalRun {
  const char *input;  // path, for the results
  // Launches the kernels. *stop becomes true when the user interrupts the run.
  Status (*launch)(void *self, Engine *engine, const volatile sig_atomic_t *stop, Error *err);
  void *self;
  FILE *print;  // of kernels; set before launch is called
} LocalRun;

// outcome may be NULL.
Status local_run_perform(LocalRun *run, const RunSpec *spec, RunMachine *machine,
                         RunOutcome *outcome, Error *err);

#endif
