// SPDX-License-Identifier: MIT
// The store: runs in one SQLite file. docs/store.md has the schema.
//
// A run is written twice: at its start, as `running`, and at its end, completely and in one
// transaction. A process killed in between leaves the `running` row, which the next writer on
// that host changes to `lost`. Any number of processes may write concurrently; each waits for
// the lock.
//
// A store must not be open across a fork.
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text/json_records.h"

typedef struct Store Store;

typedef enum StoreMode {
  STORE_READ,   // must exist; nothing can change it
  STORE_WRITE,  // is made if it does not exist
} StoreMode;

Status store_open(Store **store, const char *path, StoreMode mode, Error *err);
void store_close(Store *store);

// Checks the file, the values and the digests of a store (store/check.h), and so reads all of it.
// ERR_SYNTAX names the first damage found.
Status store_check(Store *store, Error *err);
// The same if the store is small enough for the check to take a fraction of a second: 16 MB.
Status store_check_if_small(Store *store, Error *err);

// ---- runs

typedef struct RunLabels {
  const char *job;        // or NULL; of a job, one complete run is kept
  const char *program;    // a workload's name, or a path
  const char *size;       // or NULL
  const char *arguments;  // of the program, or NULL
  const char *settings;   // section.key=value; ... that the run changed, or NULL
  const char *gpu, *scheme;
  const char *variant;  // how the program was built, or NULL
} RunLabels;

Status store_begin_run(Store *store, const RunLabels *labels, int64_t *run, Error *err);

// result: what `heddle run --json` writes, or NULL if there is none; kernels: its
// list of kernels, or NULL if the result has it; failure: why the run failed, or
// NULL. The result's `state` becomes the run's; a result that is complete has failed if
// there is a failure. A complete run of a job that has one already is forgotten: *run becomes
// the number of the other.
Status store_end_run(Store *store, int64_t *run, const json_t *result, JsonRecords *kernels,
                     const char *failure, Error *err);

// The complete run of a job; 0 if there is none.
Status store_find_job(Store *store, const char *job, int64_t *run, Error *err);

// Marks the `running` row of a job whose process has exited as failed, or as stopped.
Status store_fail_job(Store *store, const char *job, const char *failure, Error *err);
Status store_stop_job(Store *store, const char *job, const char *reason, Error *err);
// Whether the last run of a job was stopped.
Status store_job_was_stopped(Store *store, const char *job, bool *was_stopped, Error *err);

// ---- studies

// One run of a study, by the study's names.
typedef struct StudyRun {
  const char *workload, *gpu, *scheme;
  const char *job;
  const char *variant;  // or NULL
} StudyRun;

// Stores the definition of a study, the text of its file, and its runs; replaces earlier
// ones.
Status store_put_study(Store *store, const char *name, const char *definition, const StudyRun *runs,
                       size_t count, Error *err);

// ---- reading

// Result of an SQL query: {"columns": ["a"], "rows": [[1]]}. `types` gives the types of the
// following arguments, bound to the question marks: i int64_t, t const char *.
Status store_select(Store *store, json_t **table, Error *err, const char *sql, const char *types,
                    ...);

// A user's query: one read-only statement. The callback receives the columns first, without a
// row (texts is NULL), then each row; it may stop with a Status other than OK.
typedef struct StoreRow {
  int count;
  const char *const *columns;
  const char *const *texts;  // NULL where the value is null
  const bool *is_number;
} StoreRow;
typedef Status (*StoreRowFn)(void *self, const StoreRow *row, Error *err);
Status store_query(Store *store, const char *sql, StoreRowFn on_row, void *self, Error *err);

// Whether there is such a table or view.
bool store_has_table(Store *store, const char *name);
// Whether a table has a column: statistics that no run has counted have none.
bool store_has_column(Store *store, const char *table, const char *name);

// UTC, in the format of the store: "2026-01-31T12:00:00Z".
enum { STORE_TIME_BYTES = 32 };
const char *store_time(char out[STORE_TIME_BYTES]);

#endif
