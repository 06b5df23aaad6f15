// SPDX-License-Identifier: MIT
// A run whose result is needed as JSON: for `db`, which records the run in a store at its start
// and at its end, and for `stats_format`.
#include "runner/run_store.h"

#include <string.h>

#include "base/arena.h"
#include "base/text/shell_words.h"
#include "base/text/terminal.h"
#include "runner/run_output.h"
#include "runner/runner.h"
#include "runner/program/workload.h"
#include "gpu/config/gpu_config.h"
#include "report/gpgpusim_text.h"
#include "store/store.h"

// A workload is recorded under its name, even if given by abbreviation.
static const char *program_name(Arena *arena, const RunSpec *spec) {
  Workload workload;
  Error ignored;
  if (run_spec_program(spec) != RUN_WORKLOAD ||
      workload_find(spec->program, &workload, &ignored) != OK)
    return spec->program;
  return arena_strdup(arena, workload.name);
}

static const char *join(const RunList *list, Arena *arena) {
  const char *joined = NULL;
  for (uint32_t i = 0; i < list->count; i++)
    joined = arena_printf(arena, "%s%s%s", i ? joined : "", i ? "; " : "", list->items[i]);
  return joined;
}

RunLabels run_labels(const RunSpec *spec, Arena *arena) {
  bool is_workload = run_spec_program(spec) == RUN_WORKLOAD;
  return (RunLabels){.job = spec->job,
                     .program = program_name(arena, spec),
                     .size = text_or(spec->size, is_workload ? "small" : NULL),
                     .arguments = shell_join(arena, (char **)(uintptr_t)spec->arguments.items),
                     .settings = join(&spec->set, arena),
                     .gpu = text_or(spec->gpu, GPU_DEFAULT),
                     .scheme = spec->scheme,
                     .variant = spec->variant};
}

// The store is closed during the run.
static Status begin(const RunSpec *spec, const char *path, int64_t *run, Error *err) {
  Store *store;
  Arena arena = {0};
  TRY(store_open(&store, path, STORE_WRITE, err));
  RunLabels labels = run_labels(spec, &arena);
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
static Status run_and_print(const RunSpec *spec, RunOutcome *outcome, Error *err) {
  const char *format = spec->stats_format;
  if (format && strcmp(format, "gpgpusim") != 0)
    return error_set(err, ERR_USAGE,
                     "--stats-format %.40s: unknown format; only gpgpusim is supported", format);
  Status status = run_capture(spec, outcome, err);
  bool quiet = spec->quiet || run_output_is_stdout(spec);
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

Status run_for_result(const RunSpec *spec, Error *err) {
  const char *path = spec->db;
  int64_t run = 0;
  RunOutcome outcome = {0};
  Error store_err;
  if (path) TRY(begin(spec, path, &run, err));
  Status status = run_and_print(spec, &outcome, err), stored = OK;
  if (path) stored = end(path, run, &outcome, failure_of(&outcome, status, err), &store_err);
  run_outcome_clear(&outcome);
  if (stored == OK) return status;
  if (status != OK) terminal_message(true, err->text);
  return error_set(err, stored, "%s", store_err.text);
}
