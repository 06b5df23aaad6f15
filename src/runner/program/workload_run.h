// SPDX-License-Identifier: MIT
// Runs a shipped program (runner/program/workload.h) with its size and arguments.
#ifndef RUNNER_PROGRAM_WORKLOAD_RUN_H
#define RUNNER_PROGRAM_WORKLOAD_RUN_H

#include "runner/program/program_run.h"

// Builds the program if needed; otherwise as program_run.
Status workload_run(const RunSpec *spec, RunMachine *machine, RunOutcome *outcome, Error *err);

#endif
