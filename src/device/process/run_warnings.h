// SPDX-License-Identifier: MIT
// Warnings about events that do not show in the counters and may invalidate the results
// of a program. Each is counted in the result, and reported at its first occurrence.
#ifndef DEVICE_PROCESS_RUN_WARNINGS_H
#define DEVICE_PROCESS_RUN_WARNINGS_H

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
