// SPDX-License-Identifier: MIT
// Runs and studies, written. Each call is one transaction.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/version.h"
#include "store/content.h"
#include "store/database.h"
#include "base/digest.h"

// ---- the beginning

static Status mark_lost(Store *store, Error *err) {
  sqlite3_stmt *statement;
  char host[HOST_BYTES];
  host_name(host);
  TRY(store_prepare(store, "select id, process from runs where state = 'running' and host = ?",
                    &statement, err));
  sqlite3_bind_text(statement, 1, host, -1, SQLITE_STATIC);
  Status status = OK;
  while (status == OK && sqlite3_step(statement) == SQLITE_ROW) {
    if (!process_is_gone((const char *)sqlite3_column_text(statement, 1))) continue;
    status = store_run(store, err,
                       "update runs set state = 'lost', error = 'process killed' where "
                       "id = ?",
                       "i", (int64_t)sqlite3_column_int64(statement, 0));
  }
  sqlite3_finalize(statement);
  return status;
}

static Status begin_run(Store *store, const RunLabels *labels, int64_t *run, Error *err) {
  char host[HOST_BYTES], process[PROCESS_TEXT_BYTES], time[STORE_TIME_BYTES], version[96];
  snprintf(version, sizeof version, "%s, timing model %d", version_text(), TIMING_MODEL);
  TRY(mark_lost(store, err));
  TRY(store_run(store, err,
                "insert into runs (state, job, program, size, arguments, settings, gpu, scheme, "
                "variant, version, started, host, process) values ('running', ?, ?, ?, ?, ?, ?, ?, "
                "?, ?, ?, ?, ?)",
                "tttttttttttt", labels->job, labels->program, labels->size, labels->arguments,
                labels->settings, labels->gpu, labels->scheme, labels->variant, version,
                store_time(time), host_name(host), process_text(process)));
  *run = sqlite3_last_insert_rowid(store->db);
  return OK;
}

Status store_begin_run(Store *store, const RunLabels *labels, int64_t *run, Error *err) {
  TRY(store_begin(store, err));
  return store_end(store, begin_run(store, labels, run, err), err);
}

// ---- the end

static Status put_config(Store *store, const json_t *config, int64_t *id, Error *err) {
  char digest[DIGEST_BYTES];
  char *text = json_dumps(config, JSON_COMPACT | JSON_REAL_PRECISION(17));
  if (!text) return error_set(err, ERR_SYNTAX, "the result has no configuration");
  digest_text(text, digest);
  Status status =
      store_run(store, err, "insert or ignore into configs (digest, settings) values (?, ?)", "tt",
                digest, text);
  free(text);
  if (status != OK) return status;
  return store_number(store, id, 0, err, "select id from configs where digest = ?", "t", digest);
}

static bool is_table(const json_t *value) {
  return json_is_object(json_array_get(value, 0));
}

// The tables of rows inside a kernel or the total.
static Status put_tables(Store *store, int64_t run, int64_t kernel, const json_t *object,
                         Error *err) {
  const char *name;
  json_t *list, *row;
  size_t i;
  json_object_foreach((json_t *)(size_t)object, name, list) {
    if (!is_table(list)) continue;
    json_array_foreach(list, i, row) TRY(wide_table_insert(store, name, run, kernel, row, err));
  }
  return OK;
}

static Status put_kernel(Store *store, int64_t run, int64_t number, const json_t *kernel,
                         Error *err) {
  TRY(wide_table_insert(store, "kernels", run, number, kernel, err));
  return put_tables(store, run, number, kernel, err);
}

static Status put_listed_kernels(Store *store, int64_t run, const json_t *kernels, Error *err) {
  json_t *kernel;
  size_t i;
  json_array_foreach(kernels, i, kernel) TRY(put_kernel(store, run, (int64_t)i, kernel, err));
  return OK;
}

// One at a time: there may be more than fit into memory.
static Status put_kernels(Store *store, int64_t run, JsonRecords *kernels, Error *err) {
  int64_t number = 0;
  uint64_t end = json_records_end(kernels);
  for (uint64_t id = 0; id < end; id++) {
    json_t *kernel;
    TRY(json_records_get(kernels, id, &kernel, err));
    Status status = kernel ? put_kernel(store, run, number++, kernel, err) : OK;
    json_decref(kernel);
    TRY(status);
  }
  return json_records_check(kernels, err);
}

static Status put_pairs(Store *store, const char *sql, int64_t run, const json_t *pairs,
                        Error *err) {
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)(size_t)pairs, name, value) {
    if (json_is_number(value))
      TRY(store_run(store, err, sql, "itd", run, name, json_number_value(value)));
    else
      TRY(store_run(store, err, sql, "itt", run, name, json_string_value(value)));
  }
  return OK;
}

// Results of older versions have no state.
static const char *state_of(const json_t *result, const char *failure) {
  const char *state = json_string_value(json_object_get(result, "state"));
  bool is_complete = json_is_true(json_object_get(result, "complete"));
  if (!state) return is_complete && !failure ? "complete" : "incomplete";
  return failure && strcmp(state, "complete") == 0 ? "failed" : state;
}

static Status put_result(Store *store, int64_t run, const json_t *result, JsonRecords *kernels,
                         const char *failure, Error *err) {
  int64_t config;
  char time[STORE_TIME_BYTES];
  const char *error = json_string_value(json_object_get(result, "error"));
  const char *state = state_of(result, failure);
  TRY(put_config(store, json_object_get(result, "config"), &config, err));
  TRY(store_run(store, err,
                "update runs set state = ?, mode = ?, gpu = coalesce(gpu, ?), scheme = "
                "coalesce(scheme, ?), config = ?, ended = ?, wall_seconds = ?, cpu_seconds = ?, "
                "error = ? where id = ?",
                "ttttitddti", state, json_string_value(json_object_get(result, "mode")),
                json_string_value(json_object_get(result, "gpu")),
                json_string_value(json_object_get(result, "scheme")), config, store_time(time),
                json_number_value(json_object_get(result, "wall_seconds")),
                json_number_value(json_object_get(result, "cpu_seconds")),
                failure ? failure : error, run));
  json_t *total = json_object_get(result, "total");
  TRY(wide_table_insert(store, "totals", run, -1, total, err));
  TRY(put_tables(store, run, -1, total, err));
  TRY(kernels ? put_kernels(store, run, kernels, err)
              : put_listed_kernels(store, run, json_object_get(result, "kernels"), err));
  TRY(put_pairs(store, "insert or replace into policy_counters values (?, ?, ?)", run,
                json_object_get(result, "policies"), err));
  return put_pairs(store, "insert or replace into sums values (?, ?, ?)", run,
                   json_object_get(result, "sums"), err);
}

static Status put_failure(Store *store, int64_t run, const char *failure, Error *err) {
  char time[STORE_TIME_BYTES];
  return store_run(store, err,
                   "update runs set state = 'failed', ended = ?, error = ? where id = ?", "tti",
                   store_time(time), failure ? failure : "no results written", run);
}

// The complete run of this run's job that another process has written.
// Checked inside the transaction that writes the results: of two processes with the same job
// the second finds the first's run.
static Status find_twin(Store *store, int64_t run, int64_t *twin, Error *err) {
  return store_number(store, twin, 0, err,
                      "select other.id from runs as other, runs as own where own.id = ? and "
                      "other.job = own.job and other.state = 'complete' and other.id <> own.id",
                      "i", run);
}

// Results are deterministic, so the twin's are as good, and the own run is dropped.
static Status end_run(Store *store, int64_t *run, const json_t *result, JsonRecords *kernels,
                      const char *failure, Error *err) {
  int64_t twin;
  TRY(find_twin(store, *run, &twin, err));
  if (twin) {
    TRY(store_run(store, err, "delete from runs where id = ?", "i", *run));
    *run = twin;
    return OK;
  }
  TRY(result ? put_result(store, *run, result, kernels, failure, err)
             : put_failure(store, *run, failure, err));
  return content_seal_run(store, *run, err);
}

Status store_end_run(Store *store, int64_t *run, const json_t *result, JsonRecords *kernels,
                     const char *failure, Error *err) {
  TRY(store_begin(store, err));
  return store_end(store, end_run(store, run, result, kernels, failure, err), err);
}

// ---- jobs

Status store_find_job(Store *store, const char *job, int64_t *run, Error *err) {
  return store_number(store, run, 0, err,
                      "select id from runs where job = ? and state = 'complete'", "t", job);
}

static Status end_job(Store *store, const char *job, const char *state, const char *why,
                      Error *err) {
  return store_run(store, err,
                   "update runs set state = ?, error = ? where job = ? and state = 'running'",
                   "ttt", state, why, job);
}

Status store_fail_job(Store *store, const char *job, const char *failure, Error *err) {
  return end_job(store, job, "failed", failure, err);
}

Status store_stop_job(Store *store, const char *job, const char *reason, Error *err) {
  return end_job(store, job, "stopped", reason, err);
}

Status store_job_was_stopped(Store *store, const char *job, bool *was_stopped, Error *err) {
  int64_t found;
  Status status = store_number(store, &found, 0, err,
                               "select state = 'stopped' from runs where job = ? order by id desc "
                               "limit 1",
                               "t", job);
  *was_stopped = status == OK && found;
  return status;
}

// ---- studies

static Status put_study(Store *store, const char *name, const char *definition,
                        const StudyRun *runs, size_t count, Error *err) {
  int64_t study;
  char time[STORE_TIME_BYTES];
  TRY(mark_lost(store, err));
  TRY(store_run(store, err,
                "insert into studies (name, definition, updated) values (?1, ?2, ?3) on conflict "
                "(name) do update set definition = ?2, updated = ?3",
                "ttt", name, definition, store_time(time)));
  TRY(store_number(store, &study, 0, err, "select id from studies where name = ?", "t", name));
  TRY(store_run(store, err, "delete from study_runs where study = ?", "i", study));
  for (size_t i = 0; i < count; i++)
    TRY(store_run(store, err,
                  "insert into study_runs (study, position, workload, gpu, scheme, job, variant) "
                  "values (?, ?, ?, ?, ?, ?, ?)",
                  "iittttt", study, (int64_t)i, runs[i].workload, runs[i].gpu, runs[i].scheme,
                  runs[i].job, runs[i].variant));
  return content_seal_study(store, study, err);
}

Status store_put_study(Store *store, const char *name, const char *definition, const StudyRun *runs,
                       size_t count, Error *err) {
  TRY(store_begin(store, err));
  return store_end(store, put_study(store, name, definition, runs, count, err), err);
}
