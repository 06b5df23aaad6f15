// SPDX-License-Identifier: MIT
// heddle diff: what changed between two runs, by kernel, counter, cause and source line.
#ifndef EXPLAIN_DIFF_H
#define EXPLAIN_DIFF_H

#include <stdio.h>

#include "explain/facts.h"
#include "run/run_spec.h"

typedef struct DiffRequest {
  const char *before, *after;  // FILE.json, STORE.db:RUN, or a program
  RunSpec run;                 // machine and size of programs that are run
  bool quiet;
} DiffRequest;

// One number in both runs.
typedef struct Change {
  const char *name;
  double before, after;
} Change;

// Prints the differences, and returns them as JSON.
Status diff_runs(const DiffRequest *request, FILE *file, json_t **json, Error *err);

// Writes them as a report page (.html) or its data (.json).
Status diff_write_page(const DiffRequest *request, json_t *json, const char *path, Error *err);

#endif
