// SPDX-License-Identifier: MIT
// Performs one run: a case file in this process, an executable or a workload as a child process.
//
// A run that fails or is interrupted still writes its results so far, marked as incomplete. If the
// run's policies need a profile of an earlier run and none is given, that run is performed first
// (runner/recorded_run.h).
#ifndef RUNNER_RUNNER_H
#define RUNNER_RUNNER_H

#include "run/run_machine.h"
#include "runner/run_outcome.h"

// Prints tables and writes JSON and the store as the run says.
Status run_perform(const RunSpec *spec, Error *err);

// The same without the store. outcome may be NULL; it is also set if the run failed.
Status run_capture(const RunSpec *spec, RunOutcome *outcome, Error *err);

#endif
