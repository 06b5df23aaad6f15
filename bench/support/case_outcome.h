// SPDX-License-Identifier: MIT
// Runs a case in this process and keeps its counters and sums, for benches and tests of
// the whole machine.
#ifndef SUPPORT_CASE_OUTCOME_H
#define SUPPORT_CASE_OUTCOME_H

#include "frontends/casefile/case.h"
#include "gpu/gpu.h"
#include "report/run_result.h"

enum { CASE_OUTCOME_SUMS = 8 };

typedef struct CaseOutcome {
  MachineStats stats;
  double sums[CASE_OUTCOME_SUMS];
  uint32_t sum_count;
  Seconds seconds;
} CaseOutcome;

typedef struct CaseOutcomeOptions {
  GpuOptions gpu;
  bool functional;  // without timing: the sums only
  bool observe;     // with every observer that ships
} CaseOutcomeOptions;

// Fails with ERR_CONFIG before the run if the configuration is invalid. options may be NULL.
Status case_outcome_run(CaseOutcome *outcome, const Case *parsed, const GpuConfig *config,
                        const CaseOutcomeOptions *options, Error *err);
// The bytes of all buffers of a case.
uint64_t case_buffer_bytes(const Case *parsed);

#endif
