// SPDX-License-Identifier: MIT
// What a run's kernels did that leaves no mark in the counters and may make the
// results other than expected: into the result, and into words the first time.
#ifndef DEVICE_RUN_WARNINGS_H
#define DEVICE_RUN_WARNINGS_H

#include "gpu/gpu.h"
#include "report/run_result.h"

// Told of a warning that is new.
typedef void (*WarnFn)(void *self, const char *text);

// Accesses outside allocations since the last call.
void warn_of_strays(RunResult *result, const DeviceMemory *memory, WarnFn tell, void *self);
// Launches that kernels did not get. `limits`: those that they were held to.
void warn_of_refused(RunResult *result, const RefusedLaunches *refused,
                     const DeviceRuntimeLimits *limits, WarnFn tell, void *self);

#endif
