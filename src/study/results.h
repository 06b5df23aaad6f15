// SPDX-License-Identifier: MIT
// The runs that answer a study, with their statistics.
#ifndef STUDY_RESULTS_H
#define STUDY_RESULTS_H

#include "store/store.h"
#include "study/study.h"

// {"columns": ["workload", "gpu", "scheme", "run", NAME...], "rows": [...]}: a
// row for each combination, the last dimension fastest; run is null where none
// is complete, and so is a statistic that nobody counted. Names as in
// study/expression.h.
Status study_results(Store *store, const char *study, const char *const *names, size_t count,
                     json_t **table, Error *err);

enum { RESULT_RUN = DIMENSIONS, RESULT_NAMES };  // columns

// The row of a combination, given as indices of items.
static inline size_t study_position(const Study *study, const uint32_t at[DIMENSIONS]) {
  return ((size_t)at[BY_WORKLOAD] * study->item_count[BY_GPU] + at[BY_GPU]) *
             study->item_count[BY_SCHEME] +
         at[BY_SCHEME];
}

// An expression that names a statistic of a run `r`, with its totals `t`, in
// SQL; `null` if nobody has counted it.
Status statistic_sql(Store *store, const char *name, Arena *arena, const char **sql, Error *err);

#endif
