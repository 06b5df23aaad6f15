// SPDX-License-Identifier: MIT
// How a degree was decided, as tables of the kernel's results.
#ifndef POLICIES_THROTTLE_DEGREE_REPORT_H
#define POLICIES_THROTTLE_DEGREE_REPORT_H

#include "base/result_table.h"
#include "policies/throttle/degree_predictor.h"

// Sample and decision of one kernel.
typedef struct DegreeDecision {
  const char *outcome;  // "sampled", or why it was not
  uint32_t degree;      // chosen; 0: the default stays
  uint32_t most;        // that fit an SM
  uint64_t decided;     // cycle of the run; 0: never
  bool is_memory_bound;
  DegreeSample sample;
  DegreeStep *steps;  // `most` of them; NULL: it was not sampled
} DegreeDecision;

// degree_decision and degree_predictions; NULL-terminated.
extern const ResultTableType *const degree_tables[];
void degree_report(const DegreeDecision *decision, ResultTables *tables);

#endif
