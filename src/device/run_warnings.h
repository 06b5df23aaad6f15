// SPDX-License-Identifier: MIT
// Events that leave no trace in the counters and may invalidate what a program
// computes. Each goes into the result with a count, and is reported when it
// first happens.
#ifndef DEVICE_RUN_WARNINGS_H
#define DEVICE_RUN_WARNINGS_H

#include "gpu/gpu.h"
#include "report/run_result.h"

// Receives a warning when it is new.
typedef void (*WarnFn)(void *self, const char *text);

// Accesses outside allocations since the last call.
void warn_of_strays(RunResult *result, const DeviceMemory *memory, WarnFn warn_user, void *self);
// Launches by kernels that failed. `limits`: those in force.
void warn_of_refused(RunResult *result, const RefusedLaunches *refused,
                     const DeviceRuntimeLimits *limits, WarnFn warn_user, void *self);

#endif
