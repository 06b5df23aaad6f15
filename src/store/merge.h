// SPDX-License-Identifier: MIT
// Merging: the runs of one store copied into another, with everything that was
// recorded of them.
//
// Runs keep their identity, so a merge can be repeated, interrupted and repeated
// again: of a job one complete run is kept, and any other run is recognised by
// the process that made it. Each call is one transaction, and SQLite copies row
// by row: memory does not grow with the stores.
#ifndef STORE_MERGE_H
#define STORE_MERGE_H

#include "store/store.h"

typedef struct MergeOptions {
  bool is_over;       // its writers have exited: `running` runs are `lost`
  bool may_be_empty;  // a file without a byte is a store whose writer was killed early
} MergeOptions;

typedef struct MergeCounts {
  int64_t runs;      // in the other store
  int64_t complete;  // that were copied
  int64_t others;    // incomplete, failed and lost runs that were copied
} MergeCounts;

// A run that is `running` is not copied, unless it is known to be lost. A store that is
// damaged (store/check.h) is an error (ERR_SYNTAX), and nothing of it is copied. counts may be
// NULL.
Status store_merge(Store *store, const char *from, const MergeOptions *options, MergeCounts *counts,
                   Error *err);

#endif
