// SPDX-License-Identifier: MIT
#include "cli/study_run.h"

#include <stdlib.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "runner/program/environment.h"
#include "cli/report_write.h"
#include "cli/study_batch.h"
#include "cli/study_jobs.h"
#include "cli/study_signals.h"

static Status read_processes(const Arguments *arguments, uint32_t *processes, Error *err) {
  enum { MOST = 1024 };
  const char *text = arguments_value(arguments, "--jobs", NULL);
  long value = sysconf(_SC_NPROCESSORS_ONLN);
  char *end = "";
  if (text) value = strtol(text, &end, 10);
  if (text && (*end || value < 1 || value > MOST))
    return error_set(err, ERR_USAGE, "--jobs %.40s: expected a number from 1 to %d", text, MOST);
  *processes = value < 1 ? 1 : (uint32_t)value;
  return OK;
}

// A failed run comes before a stopped one.
static Status report_failures(const StudyJobs *made, Error *err) {
  size_t failed = 0, stopped = 0;
  const Job *first = NULL;
  for (size_t i = 0; i < made->count; i++) {
    const Job *job = &made->jobs[i];
    if (job->is_done) continue;
    if (!first || (first->was_stopped && !job->was_stopped)) first = job;
    *(job->was_stopped ? &stopped : &failed) += 1;
  }
  if (!first) return OK;
  const char *why = first->failure ? first->failure : "not run";
  if (!failed)
    return error_set(err, ERR_INTERRUPTED, "%zu of %zu runs were stopped; the first is %s: %s",
                     stopped, made->count, first->label, why);
  error_set(err, ERR_PROGRAM, "%zu of %zu runs failed; the first is %s: %s", failed, made->count,
            first->label, why);
  return stopped ? error_prefix(err, "%zu of %zu runs were stopped", stopped, made->count)
                 : ERR_PROGRAM;
}

static Status put_study(const Study *study, const StudyJobs *made, const char *db, Error *err) {
  Store *store;
  TRY(store_open(&store, db, STORE_WRITE, err));
  Status status = store_put_study(store, study->name, study->text, made->runs, made->count, err);
  store_close(store);
  return status;
}

static Status show(const Study *study, const Arguments *arguments, const char *db,
                   StudyPrintFn print, Error *err) {
  Store *store;
  const char *report = arguments_value(arguments, "--report", NULL);
  TRY(store_open(&store, db, STORE_READ, err));
  Status status = arguments_has(arguments, "--quiet") ? OK : print(store, study, err);
  if (status == OK && report) status = report_write(store, study->name, report, err);
  store_close(store);
  return status;
}

static Status run_here(const Arguments *arguments, const char *db, StudyJobs *made, Error *err) {
  JobsOptions options = {.db = db,
                         .progress = arguments_has(arguments, "--quiet") ? NULL : stderr,
                         .stop = study_signals_listen()};
  TRY(read_processes(arguments, &options.processes, err));
  TRY(study_batch_collect(arguments, db, err));
  Status status = jobs_run(made->jobs, made->count, &options, &made->arena, err);
  if (status != ERR_INTERRUPTED) return status;
  return error_prefix(err, "run the same command again to resume");
}

// is_waiting: there are no results to show yet.
static Status run_anywhere(const Study *study, const Arguments *arguments, const char *db,
                           StudyJobs *made, bool *is_waiting, Error *err) {
  StudyPlace place;
  TRY(study_batch_place(arguments, db, &place, err));
  TRY(put_study(study, made, db, err));
  if (place == PLACE_HERE) return run_here(arguments, db, made, err);
  return study_batch_run(place, study->name, arguments, db, made, study_signals_listen(),
                         is_waiting, err);
}

static Status run_and_show(const Study *study, const Arguments *arguments, const char *db,
                           StudyPrintFn print, StudyJobs *made, Error *err) {
  bool is_waiting = false;
  Status status = run_anywhere(study, arguments, db, made, &is_waiting, err);
  if ((status != OK && status != ERR_INTERRUPTED) || is_waiting) return status;
  Error show_err;
  Status shown = show(study, arguments, db, print, &show_err);
  if (status != OK) return status;
  if (shown != OK) return error_set(err, shown, "%s", show_err.text);
  return report_failures(made, err);
}

Status study_run(const Study *study, const Arguments *arguments, const char *db, StudyPrintFn print,
                 Error *err) {
  StudyJobs made;
  const char *report = arguments_value(arguments, "--report", NULL);
  environment_scrub();
  if (report) TRY(report_check_path(report, err));
  TRY(study_jobs_make(&made, study, arguments, err));
  Status status = run_and_show(study, arguments, db, print, &made, err);
  study_jobs_clear(&made);
  return status;
}
