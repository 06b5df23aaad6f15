// SPDX-License-Identifier: MIT
// A run whose result is needed as JSON: for `db`, which records the run in a store at its start and
// at its end, and for `stats_format`.
#ifndef RUNNER_RUN_STORE_H
#define RUNNER_RUN_STORE_H

#include "run/run_spec.h"
#include "store/store.h"

Status run_for_result(const RunSpec *spec, Error *err);

// What the store calls the run.
RunLabels run_labels(const RunSpec *spec, Arena *arena);

#endif
