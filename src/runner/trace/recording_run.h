// SPDX-License-Identifier: MIT
// Replays a recording (trace/recording.h): its kernels are launched as they were, and its warps
// follow their recorded steps.
#ifndef RUNNER_TRACE_RECORDING_RUN_H
#define RUNNER_TRACE_RECORDING_RUN_H

#include "run/run_machine.h"
#include "runner/run_outcome.h"

// spec->program is the recording.
Status recording_run_file(const RunSpec *spec, RunMachine *machine, RunOutcome *outcome,
                          Error *err);

// In place of the program of spec: the results are the program's.
Status recording_run(const char *path, const RunSpec *spec, RunMachine *machine,
                     RunOutcome *outcome, Error *err);

#endif
