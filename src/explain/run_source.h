// SPDX-License-Identifier: MIT
// Where a run comes from: a result of --json, a run of a store, or a program, which is run.
#ifndef EXPLAIN_RUN_SOURCE_H
#define EXPLAIN_RUN_SOURCE_H

#include "explain/facts.h"
#include "run/run_spec.h"

// source: FILE.json, STORE.db:RUN (the number of `heddle query STORE.db "select id from runs"`),
// the path of an executable or the name of a workload, which is run as `run` says.
Status run_source_read(RunFacts *facts, const char *source, const RunSpec *run, bool quiet,
                       Arena *arena, Error *err);

#endif
