// SPDX-License-Identifier: MIT
// Results of kernels for reports.
#ifndef DEVICE_LAUNCHES_KERNEL_RESULTS_H
#define DEVICE_LAUNCHES_KERNEL_RESULTS_H

#include "gpu/gpu.h"
#include "report/run_result.h"

// Copies what a report shows of a launch that has ended, and takes its tables: the only place at
// which a record becomes a result. Reports outlive programs and modules, and know no machine.
// sampling: how it was sampled; NULL: it was not.
void kernel_results_add(RunResult *result, const GpuConfig *config, Launch *launch, Seconds seconds,
                        const KernelSampling *sampling);

#endif
