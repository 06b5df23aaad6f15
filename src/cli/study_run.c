// SPDX-License-Identifier: MIT
#include "cli/study_run.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/environment.h"
#include "cli/report_write.h"
#include "cli/study_jobs.h"

// A signal handler reaches nothing else.
static volatile sig_atomic_t stop_number;

// Ctrl-C reaches the runs as well; what reaches only us is passed on as SIGTERM.
static void on_stop(int number, siginfo_t *info, void *context) {
  (void)context;
  stop_number = number == SIGINT && info->si_code == SI_KERNEL ? SIGINT : SIGTERM;
}

// The first signal ends it in order; a second one at once. What is ignored stays so.
static void listen_for_signals(void) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {.sa_flags = (int)SA_RESETHAND | SA_SIGINFO}, before;
  action.sa_sigaction = on_stop;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(signals[i], &action, NULL);
}

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

static Status tell_failures(const StudyJobs *made, Error *err) {
  size_t failed = 0;
  const Job *first = NULL;
  for (size_t i = 0; i < made->count; i++) {
    if (made->jobs[i].is_done) continue;
    failed++;
    if (!first) first = &made->jobs[i];
  }
  if (!failed) return OK;
  return error_set(err, ERR_PROGRAM, "%zu of %zu runs failed; the first is %s: %s", failed,
                   made->count, first->label, first->failure ? first->failure : "not run");
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

static Status run_and_show(const Study *study, const Arguments *arguments, const char *db,
                           StudyPrintFn print, StudyJobs *made, Error *err) {
  JobsOptions options = {.db = db,
                         .progress = arguments_has(arguments, "--quiet") ? NULL : stderr,
                         .stop = &stop_number};
  TRY(read_processes(arguments, &options.processes, err));
  TRY(put_study(study, made, db, err));
  listen_for_signals();
  Status status = jobs_run(made->jobs, made->count, &options, &made->arena, err);
  if (status != OK && status != ERR_INTERRUPTED) return status;
  Error show_err;
  Status shown = show(study, arguments, db, print, &show_err);
  if (status != OK) return error_prefix(err, "run the same command again to resume");
  if (shown != OK) return error_set(err, shown, "%s", show_err.text);
  return tell_failures(made, err);
}

Status study_run(const Study *study, const Arguments *arguments, const char *db, StudyPrintFn print,
                 Error *err) {
  StudyJobs made;
  const char *report = arguments_value(arguments, "--report", NULL);
  environment_scrub();
  if (report) TRY(report_check_path(report, err));
  TRY(study_jobs_make(&made, study, arguments, db, err));
  Status status = run_and_show(study, arguments, db, print, &made, err);
  study_jobs_clear(&made);
  return status;
}
