// SPDX-License-Identifier: MIT
// heddle run with the result as JSON: for --db, which records the run in a store
// at its start and at its end, and for --stats-format.
#ifndef CLI_RUN_STORE_H
#define CLI_RUN_STORE_H

#include "cli/run_outcome.h"
#include "cli/verb.h"

// heddle run without these options. captured may be NULL; it is also set if the run failed.
Status run_capture(const Arguments *arguments, RunOutcome *captured, Error *err);

Status run_for_result(const Arguments *arguments, Error *err);

#endif
