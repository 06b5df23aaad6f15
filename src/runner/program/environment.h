// SPDX-License-Identifier: MIT
// HEDDLE_RUN configures programs that are not started by heddle (run/run_json.h). A run started by
// heddle depends on its options only, because the keys of results in a store are computed from
// these.
#ifndef RUNNER_PROGRAM_ENVIRONMENT_H
#define RUNNER_PROGRAM_ENVIRONMENT_H

// Removes the variable, and reports that it is ignored.
void environment_scrub(void);

#endif
