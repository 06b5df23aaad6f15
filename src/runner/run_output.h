// SPDX-License-Identifier: MIT
// Output of a run's results as selected by --json, --quiet and --stats-format.
#ifndef RUNNER_RUN_OUTPUT_H
#define RUNNER_RUN_OUTPUT_H

#include <stdbool.h>

#include "runner/run_outcome.h"
#include "report/run_result.h"
#include "run/run_machine.h"

// A result with what is known before the run.
RunResult run_result_of(const RunSpec *spec, RunMachine *machine,
                        ParamSection sections[GPU_SECTION_COUNT + 1]);

// Whether no table is printed.
bool run_output_is_quiet(const RunSpec *spec);
// Whether standard output is reserved for JSON; output of programs and kernels then goes to stderr.
bool run_output_is_stdout(const RunSpec *spec);

// Removes an older output file. Call when a run starts, so that a stale file cannot be mistaken
// for its result.
void run_output_forget(const RunSpec *spec);
// Writes JSON if requested. status and err are those of the run. Returns a write failure as an
// error; if the run itself failed, prints it and returns the run's status.
Status run_output_write(const RunSpec *spec, const RunOutcome *outcome, Status status, Error *err);

#endif
