// SPDX-License-Identifier: MIT
// Where the results of a run go, by its options: --json, --quiet, --stats-format.
#ifndef CLI_RUN_OUTPUT_H
#define CLI_RUN_OUTPUT_H

#include <stdbool.h>

#include "cli/run_outcome.h"
#include "cli/verb.h"

// No table is printed.
bool run_output_is_quiet(const Arguments *arguments);
// Standard output is for JSON alone; what programs and kernels print goes elsewhere.
bool run_output_is_stdout(const Arguments *arguments);

// Call when a run begins: an older file of the name would pass for its result.
void run_output_forget(const Arguments *arguments);
// Writes JSON if it is asked for. A failure is an error, and is told beside that of a
// run that has failed itself: status and err of the run come in and go out.
Status run_output_write(const Arguments *arguments, const RunOutcome *outcome, Status status,
                        Error *err);

#endif
