// SPDX-License-Identifier: MIT
// Output of a run's results as selected by --json, --quiet and --stats-format.
#ifndef CLI_RUN_OUTPUT_H
#define CLI_RUN_OUTPUT_H

#include <stdbool.h>

#include "cli/run_outcome.h"
#include "cli/verb.h"

// Whether no table is printed.
bool run_output_is_quiet(const Arguments *arguments);
// Whether standard output is reserved for JSON; output of programs and kernels then goes to stderr.
bool run_output_is_stdout(const Arguments *arguments);

// Removes an older output file. Call when a run starts, so that a stale file cannot be mistaken
// for its result.
void run_output_forget(const Arguments *arguments);
// Writes JSON if requested. status and err are those of the run. Returns a write failure as an
// error; if the run itself failed, prints it and returns the run's status.
Status run_output_write(const Arguments *arguments, const RunOutcome *outcome, Status status,
                        Error *err);

#endif
