// SPDX-License-Identifier: MIT
// Results of kernels for reports.
#ifndef DEVICE_LAUNCHES_KERNEL_RESULTS_H
#define DEVICE_LAUNCHES_KERNEL_RESULTS_H

#include "functional/functional.h"
#include "gpu/gpu.h"
#include "report/run_result.h"

// Adds one that ran on the GPU, and takes its tables. number: among the host's
// launches, if it is one of those.
void kernel_results_add(RunResult *result, const GpuConfig *config, KernelRecord *record,
                        uint64_t number, Seconds seconds);
// Adds one that ran without time.
void kernel_results_add_functional(RunResult *result, const GpuConfig *config, const Launch *launch,
                                   uint64_t number, const FunctionalStats *stats, bool is_complete,
                                   Seconds seconds);

#endif
