// SPDX-License-Identifier: MIT
// Outcome of a run of a case file or a program, to be written or stored.
#ifndef RUNNER_RUN_OUTCOME_H
#define RUNNER_RUN_OUTCOME_H

#include "base/text/json_records.h"

typedef struct RunOutcome {
  json_t *result;         // as written by --json; NULL if the run did not start
  JsonRecords *launches;  // its kernels, by id; NULL if they are part of the result
} RunOutcome;

void run_outcome_clear(RunOutcome *outcome);

// Changes how the run ended, unless the result says already that it did not complete.
// `failure` says why. ERR_INCOMPLETE overrides.
void run_outcome_conclude(RunOutcome *outcome, Status status, const char *failure);

// Moves the list of kernels into the result, for callers that need it complete and
// runs that fit in memory.
Status run_outcome_gather(RunOutcome *outcome, Error *err);

#endif
