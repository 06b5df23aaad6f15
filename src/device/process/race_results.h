// SPDX-License-Identifier: MIT
// Races that a check has found, in the result of a run.
#ifndef DEVICE_PROCESS_RACE_RESULTS_H
#define DEVICE_PROCESS_RACE_RESULTS_H

#include "races/races.h"
#include "report/run_result.h"

// Replaces all but the first `kept` races of the result. gpu: its name.
void race_results_add(RunResult *result, Races *races, uint32_t kept, const char *gpu);

#endif
