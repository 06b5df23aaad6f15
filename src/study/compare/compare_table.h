// SPDX-License-Identifier: MIT
// The table of a comparison: one line per run, relative to the baseline.
#ifndef STUDY_COMPARE_COMPARE_TABLE_H
#define STUDY_COMPARE_COMPARE_TABLE_H

#include "store/store.h"
#include "study/study.h"

// Prints the runs and, of several workloads, the mean speed-ups.
Status compare_print(Store *store, const Study *study, Error *err);

#endif
