// SPDX-License-Identifier: MIT
// heddle run with its result as JSON in hand: for --db, where the run goes into a
// store when it begins and when it ends, and for --stats-format.
#ifndef CLI_RUN_STORE_H
#define CLI_RUN_STORE_H

#include "cli/run_outcome.h"
#include "cli/verb.h"

// heddle run without these. captured: also of a run that failed; may be NULL.
Status run_capture(const Arguments *arguments, RunOutcome *captured, Error *err);

Status run_for_result(const Arguments *arguments, Error *err);

#endif
