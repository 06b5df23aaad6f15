// SPDX-License-Identifier: MIT
// A comparison as a study (docs/studies.md).
#ifndef STUDY_COMPARE_COMPARE_STUDY_H
#define STUDY_COMPARE_COMPARE_STUDY_H

#include "run/run_spec.h"
#include "study/study.h"

typedef struct CompareRequest {
  const char *const *programs;  // workloads, case files, executables
  int program_count;
  char *const *arguments;      // of the programs, NULL-terminated; or NULL
  const char *gpus, *schemes;  // separated by commas; the first scheme is the baseline
  const char *size, *sample, *interval, *seeds;  // as in study files; NULL: the default of studies
  RunList sweep, set, observe;
} CompareRequest;

// Values must have no line breaks, and no # after a blank.
Status compare_study(const CompareRequest *request, Study *study, Error *err);

#endif
