// SPDX-License-Identifier: MIT
// Runs a case file in this process.
#ifndef RUNNER_CASE_CASE_RUN_H
#define RUNNER_CASE_CASE_RUN_H

#include "run/run_machine.h"
#include "runner/run_outcome.h"

Status case_run_file(const RunSpec *spec, RunMachine *machine, RunOutcome *outcome, Error *err);

#endif
