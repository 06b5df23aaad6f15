// SPDX-License-Identifier: MIT
// From a study to its results: jobs are made, run here or submitted, stored and shown.
#include "batch/study_run.h"

#include <unistd.h>

#include "runner/program/environment.h"
#include "study/report/report_write.h"
#include "batch/study_batch.h"
#include "study/study_jobs.h"
#include "study/study_signals.h"

static uint32_t process_count(const StudyRequest *request) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return request->processes ? request->processes : cores < 1 ? 1 : (uint32_t)cores;
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

static Status show(const Study *study, const StudyRequest *request, StudyPrintFn print,
                   Error *err) {
  Store *store;
  TRY(store_open(&store, request->db, STORE_READ, err));
  Status status = request->quiet ? OK : print(store, study, err);
  if (status == OK && request->report)
    status = report_write(store, study->name, request->report, err);
  store_close(store);
  return status;
}

static Status run_here(const StudyRequest *request, StudyJobs *made, Error *err) {
  JobsOptions options = {.db = request->db,
                         .processes = process_count(request),
                         .progress = request->quiet ? NULL : stderr,
                         .stop = study_signals_listen()};
  TRY(study_batch_collect(request, err));
  Status status = jobs_run(made->jobs, made->count, &options, &made->arena, err);
  if (status != ERR_INTERRUPTED) return status;
  return error_prefix(err, "run the same command again to resume");
}

// is_waiting: there are no results to show yet.
static Status run_anywhere(const Study *study, const StudyRequest *request, StudyJobs *made,
                           bool *is_waiting, Error *err) {
  StudyPlace place;
  TRY(study_batch_place(request, &place, err));
  TRY(put_study(study, made, request->db, err));
  if (place == PLACE_HERE) return run_here(request, made, err);
  return study_batch_run(place, study->name, request, made, study_signals_listen(), is_waiting,
                         err);
}

static Status run_and_show(const Study *study, const StudyRequest *request, StudyPrintFn print,
                           StudyJobs *made, Error *err) {
  bool is_waiting = false;
  Status status = run_anywhere(study, request, made, &is_waiting, err);
  if ((status != OK && status != ERR_INTERRUPTED) || is_waiting) return status;
  Error show_err;
  Status shown = show(study, request, print, &show_err);
  if (status != OK) return status;
  if (shown != OK) return error_set(err, shown, "%s", show_err.text);
  return report_failures(made, err);
}

Status study_run(const Study *study, const StudyRequest *request, StudyPrintFn print, Error *err) {
  StudyJobs made;
  environment_scrub();
  if (request->report) TRY(report_check_path(request->report, err));
  TRY(study_jobs_make(&made, study, &request->plugin, err));
  Status status = run_and_show(study, request, print, &made, err);
  study_jobs_clear(&made);
  return status;
}
