// SPDX-License-Identifier: MIT
#include "cli/run_store.h"

#include <string.h>

#include "base/arena.h"
#include "base/shell_words.h"
#include "base/terminal.h"
#include "cli/arguments.h"
#include "cli/run_output.h"
#include "cli/workload.h"
#include "gpu/gpu_config.h"
#include "report/gpgpusim_text.h"
#include "store/store.h"

// A workload is recorded under its name, even if given by abbreviation.
static const char *program_name(Arena *arena, const char *given, bool is_program) {
  Workload workload;
  Error ignored;
  if (is_program || strchr(given, '/') || workload_find(given, &workload, &ignored) != OK)
    return given;
  return arena_strdup(arena, workload.name);
}

static RunLabels labels_of(const Arguments *arguments, Arena *arena) {
  const char *given = arguments->operands[0];
  bool is_program = arguments->program && given == arguments->program[0];
  const char *name = program_name(arena, given, is_program);
  const char *size = arguments_value(arguments, "--size", name == given ? NULL : "small");
  return (RunLabels){.job = arguments_value(arguments, "--job", NULL),
                     .program = name,
                     .size = size,
                     .arguments = shell_join(arena, arguments->program + is_program),
                     .settings = arguments_join(arguments, "--set", arena),
                     .gpu = arguments_value(arguments, "--gpu", GPU_DEFAULT),
                     .scheme = arguments_value(arguments, "--scheme", NULL)};
}

// The store is closed during the run.
static Status begin(const Arguments *arguments, const char *path, int64_t *run, Error *err) {
  Store *store;
  Arena arena = {0};
  TRY(store_open(&store, path, STORE_WRITE, err));
  RunLabels labels = labels_of(arguments, &arena);
  Status status = store_begin_run(store, &labels, run, err);
  store_close(store);
  arena_clear(&arena);
  return status;
}

static Status end(const char *path, int64_t run, const RunOutcome *outcome, const char *failure,
                  Error *err) {
  Store *store;
  TRY(store_open(&store, path, STORE_WRITE, err));
  Status status = store_end_run(store, &run, outcome->result, outcome->launches, failure, err);
  store_close(store);
  return status;
}

// Runs and prints the --stats-format output instead of the table.
static Status run_and_print(const Arguments *arguments, RunOutcome *outcome, Error *err) {
  const char *format = arguments_value(arguments, "--stats-format", NULL);
  if (format && strcmp(format, "gpgpusim") != 0)
    return error_set(err, ERR_USAGE,
                     "--stats-format %.40s: unknown format; only gpgpusim is supported", format);
  Status status = run_capture(arguments, outcome, err);
  bool quiet = arguments_has(arguments, "--quiet") || run_output_is_stdout(arguments);
  Error print_err;
  Status printed = OK;
  if (format && outcome->result && !quiet)
    printed = gpgpusim_text(outcome->result, outcome->launches, stdout, &print_err);
  return status == OK && printed != OK ? error_set(err, printed, "%s", print_err.text) : status;
}

// A run without kernels has no results to store.
static const char *failure_of(const RunOutcome *outcome, Status status, const Error *err) {
  const json_t *total = json_object_get(outcome->result, "total");
  if (status != OK) return err->text;
  return total && !json_integer_value(json_object_get(total, "launches"))
             ? "no kernels were launched"
             : NULL;
}

Status run_for_result(const Arguments *arguments, Error *err) {
  const char *path = arguments_value(arguments, "--db", NULL);
  int64_t run = 0;
  RunOutcome outcome = {0};
  Error store_err;
  if (path) TRY(begin(arguments, path, &run, err));
  Status status = run_and_print(arguments, &outcome, err), stored = OK;
  if (path) stored = end(path, run, &outcome, failure_of(&outcome, status, err), &store_err);
  run_outcome_clear(&outcome);
  if (stored == OK) return status;
  if (status != OK) terminal_message(true, err->text);
  return error_set(err, stored, "%s", store_err.text);
}
