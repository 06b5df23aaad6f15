// SPDX-License-Identifier: MIT
// The runs that answer a study, with their statistics.
#ifndef STUDY_RESULTS_H
#define STUDY_RESULTS_H

#include "store/store.h"
#include "study/study.h"

// {"columns": ["workload", "gpu", "scheme", "run", NAME...], "rows": [...]}: a
// row for each combination, in the order of study_position; run is null where
// none is complete, and so is a statistic that nobody counted. Names as in
// study/expression.h.
Status study_results(Store *store, const char *study, const char *const *names, size_t count,
                     json_t **table, Error *err);

// The last run of each combination, complete or not, in the same order: "state" and "error",
// null if there is none (study/run_words.h has words for them).
Status study_outcomes(Store *store, const char *study, json_t **table, Error *err);

enum { RESULT_RUN = BY_SWEEP, RESULT_NAMES };  // columns

// The stored study of a name, or (NULL) the one that ran last: [name, definition, updated].
// *row is NULL if there is none.
Status study_stored(Store *store, const char *wanted, json_t **row, Error *err);

// An expression that names a statistic of a run `r`, with its totals `t`, in
// SQL; `null` if it was not counted.
Status statistic_sql(Store *store, const char *name, Arena *arena, const char **sql, Error *err);

#endif
