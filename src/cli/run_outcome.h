// SPDX-License-Identifier: MIT
// The outcome of a run, of a case file or a program, to be written or stored.
#ifndef CLI_RUN_OUTCOME_H
#define CLI_RUN_OUTCOME_H

#include "base/json_records.h"

typedef struct RunOutcome {
  json_t *result;         // what --json writes; NULL: the run never began
  JsonRecords *launches;  // its list of kernels, by id; NULL: the result has it itself
} RunOutcome;

void run_outcome_clear(RunOutcome *outcome);

// The list of kernels becomes part of the result: for those who need it whole,
// of runs that fit into memory.
Status run_outcome_gather(RunOutcome *outcome, Error *err);

#endif
