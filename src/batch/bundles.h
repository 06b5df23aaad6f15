// SPDX-License-Identifier: MIT
// Bundles: which runs are executed one after the other by one element of a job
// array. Short elements are lost in the scheduler's own delays, long ones are
// killed at the partition's limit and leave nodes idle at the end of a study.
#ifndef BATCH_BUNDLES_H
#define BATCH_BUNDLES_H

#include "batch/job_list.h"
#include "store/store.h"

// Expected seconds of each run: the mean of complete runs in the store of the same
// program, size, arguments, GPU and scheme; or else of the same program, size and
// arguments; or else a guess by size. labels, seconds, is_guess: count of each.
Status bundles_estimate(Store *store, const RunLabels *labels, size_t count, double *seconds,
                        bool *is_guess, Error *err);

typedef struct BundleLimits {
  double least_seconds;   // no bundle is shorter, unless all runs together are
  double most_seconds;    // none is longer, unless a single run is; 0: no limit
  uint32_t most_bundles;  // longer bundles rather than more
  uint32_t processes;     // runs at a time in each
} BundleLimits;

// Sets ListedRun.bundle of all runs, in their order; returns the number of bundles.
uint32_t bundles_make(ListedRun *runs, size_t count, const BundleLimits *limits);

#endif
