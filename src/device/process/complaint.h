// SPDX-License-Identifier: MIT
// What a completed run could not do as requested: --kernels selected no launch, or an observer
// could not write its file. Goes into the result (RunResult.complaint).
#ifndef DEVICE_PROCESS_COMPLAINT_H
#define DEVICE_PROCESS_COMPLAINT_H

#include "device/launches/launched_kernels.h"
#include "report/run_result.h"

// Call when the result's tables are complete; replaces an earlier complaint. choice: NULL if all
// launches are timed.
void complaint_find(RunResult *result, const KernelChoice *choice, const LaunchedKernels *launched);

#endif
