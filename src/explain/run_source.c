// SPDX-License-Identifier: MIT
// Reads the facts of a run from a JSON file or a store, or runs the program that is named.
#include "explain/run_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/files/scratch_folder.h"
#include "store/store.h"
#include "study/jobs.h"
#include "study/study_signals.h"

// ---- stores

// The rows of a table as objects by column name.
static json_t *objects_of(const json_t *table) {
  const json_t *columns = json_object_get(table, "columns"), *row;
  json_t *list = json_array();
  size_t i;
  json_array_foreach(json_object_get(table, "rows"), i, row) {
    json_t *object = json_object();
    for (size_t c = 0; c < json_array_size(columns); c++)
      json_object_set(object, json_string_value(json_array_get(columns, c)),
                      json_array_get(row, c));
    json_array_append_new(list, object);
  }
  return list;
}

static Status select_objects(Store *store, const char *sql, int64_t run, json_t **list,
                             Error *err) {
  json_t *table;
  TRY(store_select(store, &table, err, sql, "i", run));
  *list = objects_of(table);
  json_decref(table);
  return OK;
}

static void add_accesses(json_t *kernels, json_t *accesses) {
  json_t *kernel, *access;
  size_t i, j;
  json_array_foreach(kernels, i, kernel) {
    json_t *own = json_array();
    json_array_foreach(accesses, j, access) {
      if (json_equal(json_object_get(access, "kernel"), json_object_get(kernel, "kernel")))
        json_array_append(own, access);
    }
    json_object_set_new(kernel, "accesses", own);
  }
}

static Status read_run(Store *store, int64_t run, json_t **result, Error *err) {
  json_t *kernels, *accesses = NULL;
  TRY(select_objects(store, "select * from kernels where run = ? order by kernel", run, &kernels,
                     err));
  Status status = OK;
  if (!json_array_size(kernels))
    status =
        error_set(err, ERR_USAGE, "run %lld: not in the store, or without kernels", (long long)run);
  if (status == OK && store_has_table(store, "accesses"))
    status = select_objects(store, "select * from accesses where run = ?", run, &accesses, err);
  if (status == OK && accesses) add_accesses(kernels, accesses);
  json_decref(accesses);
  if (status == OK)
    *result = json_pack("{s:o}", "kernels", kernels);
  else
    json_decref(kernels);
  return status;
}

static Status read_store(RunFacts *facts, const char *path, int64_t run, Arena *arena, Error *err) {
  Store *store;
  json_t *result = NULL;
  TRY(store_open(&store, path, STORE_READ, err));
  Status status = read_run(store, run, &result, err);
  store_close(store);
  if (status != OK) return error_prefix(err, "%s", path);
  run_facts_of(facts, result, arena);
  return OK;
}

// "runs.db:3": the number behind the last colon; 0: not of this form.
static int64_t run_number(const char *source, const char **colon) {
  char *end;
  *colon = strrchr(source, ':');
  if (!*colon || (*colon)[1] < '0' || (*colon)[1] > '9') return 0;
  long long number = strtoll(*colon + 1, &end, 10);
  return *end ? 0 : number;
}

// ---- programs

static Status run_program(RunFacts *facts, const char *program, const RunSpec *run, bool quiet,
                          const char *folder, Arena *arena, Error *err) {
  RunSpec spec = *run;
  JobsOptions options = {.db = arena_printf(arena, "%s/runs.db", folder),
                         .processes = 1,
                         .progress = quiet ? NULL : stderr,
                         .stop = study_signals_listen()};
  spec.program = program;
  spec.json = arena_printf(arena, "%s/run.json", folder);
  spec.output = arena_printf(arena, "%s/output", folder);
  spec.quiet = spec.strict = true;
  Job job = {.label = program, .key = program, .spec = &spec};
  TRY(jobs_run(&job, 1, &options, arena, err));
  if (!job.is_done)
    return error_set(err, *options.stop ? ERR_INTERRUPTED : ERR_PROGRAM, "%s: %s", program,
                     job.failure ? job.failure : "not run");
  return run_facts_read(facts, spec.json, arena, err);
}

Status run_source_read(RunFacts *facts, const char *source, const RunSpec *run, bool quiet,
                       Arena *arena, Error *err) {
  const char *colon;
  int64_t number = run_number(source, &colon);
  if (number)
    return read_store(facts, arena_strndup(arena, source, (size_t)(colon - source)), number, arena,
                      err);
  if (path_ends_with(source, ".json")) return run_facts_read(facts, source, arena, err);
  ScratchFolder folder = {0};
  TRY(scratch_folder_make(&folder, "heddle-diff", true, err));
  Status status = run_program(facts, source, run, quiet, folder.path, arena, err);
  scratch_folder_remove(&folder);
  return status;
}
