// SPDX-License-Identifier: MIT
// Sampled runs in the results: what was timed, what is projected, and within which interval.
#ifndef REPORT_RUN_SAMPLING_H
#define REPORT_RUN_SAMPLING_H

#include "report/run_result.h"

// A copy in the result's arena.
const KernelSampling *run_sampling_copy(RunResult *result, const KernelSampling *sampling);

// {"timed": "part", "half_widths": {"l1d.hits": 12, ...}}
json_t *run_sampling_kernel_json(const RunResult *result, const KernelResult *kernel);
json_t *run_sampling_json(const RunResult *result);
// Adds {"sampling.cycles_low": 7, ...}, of a launch or, with NULL, of the run.
void run_sampling_add_counts(json_t *to, const RunResult *result, const KernelResult *kernel);
// Two or three lines below the table.
void run_sampling_print(const RunResult *result, FILE *file);

#endif
