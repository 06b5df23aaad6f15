// SPDX-License-Identifier: MIT
// JSON of a run, for the files of this room; what others use is in run_result.h.
#ifndef REPORT_RUN_JSON_H
#define REPORT_RUN_JSON_H

#include "report/run_result.h"

// Adds a launch to the result's records.
void run_json_put_kernel(const RunResult *result, const KernelResult *kernel);

// {"note", "found": [...]}: what the race check found.
json_t *run_races_json(const RunResult *result);

#endif
