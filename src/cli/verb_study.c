// SPDX-License-Identifier: MIT
// heddle study: a comparison described by a file (docs/studies.md), with a paper's
// numbers next to the measured ones.
#include "batch/study_batch.h"
#include "batch/study_run.h"
#include "cli/arguments.h"
#include "cli/study_options.h"
#include "study/figures/figure.h"
#include "study/study_file.h"
#include "study/study_page.h"
#include "study/study_tables.h"
#include "study/classify/classification.h"

static Status print_study(Store *store, const Study *study, Error *err) {
  json_t *figures, *tables = NULL;
  TRY(figures_measure(store, study, &figures, err));
  Status status = classifications_measure(store, study, &tables, err);
  if (status == OK) {
    printf("%s\n", study->title);
    if (study->summary) printf("%s\n", study->summary);
    study_tables_print(tables, stdout);
    figures_print(figures, stdout);
  }
  json_decref(tables);
  json_decref(figures);
  return status;
}

// --only DIMENSION=VALUE,VALUE, and --sample, which is a setting of all runs
static Status restrict_study(Study *study, const RunList *only, const char *sample, Error *err) {
  if (sample) TRY(study_set(study, "study", "", "sample", sample, err));
  for (uint32_t i = 0; i < only->count; i++)
    TRY(study_set(study, "study", "", "only", only->items[i], err));
  return only->count || sample ? study_end(study, err) : OK;
}

// From the runs of the store; nothing is run.
static Status write_page(const char *name, const char *db, const char *path, Error *err) {
  Store *store;
  TRY(store_open(&store, db, STORE_READ, err));
  Status status = study_page_write(store, name, path, err);
  store_close(store);
  return status;
}

static Status run_named(const Arguments *arguments, const StudyRequest *request, Arena *arena,
                        Error *err) {
  Study study;
  RunList only = arguments_list(arguments, "--only", arena);
  if (request->question) return study_batch_ask(request, err);
  TRY(study_file_read(&study, arguments->operands[0], &request->plugin,
                      arguments_value(arguments, "--seeds", NULL), err));
  Status status = restrict_study(&study, &only, arguments_value(arguments, "--sample", NULL), err);
  if (status == OK) status = study_run(&study, request, print_study, err);
  study_clear(&study);
  return status;
}

static Status run_study(const Arguments *arguments, Error *err) {
  Arena arena = {0};
  StudyRequest request;
  const char *name = arguments->operands[0];
  const char *page = arguments_value(arguments, "--markdown", NULL);
  const char *stored = study_file_name(name, &arena);
  const char *db = arena_printf(&arena, "%s.db", stored);
  Status status = study_options_read(arguments, db, &request, &arena, err);
  if (status == OK)
    status = page ? write_page(stored, request.db, page, err)
                  : run_named(arguments, &request, &arena, err);
  arena_clear(&arena);
  return status;
}

static const CliOption study_options[] = {
    {"--only", "DIMENSION=VALUE,...",
     "leave out the other values of a dimension: workload, gpu, scheme, variant; repeatable"},
    {"--markdown", "PAGE.md",
     "run nothing; write means and the paper's numbers from the store into a page; - prints them"},
    {"--sample", "error=3%",
     "time part of the work of all runs and project the rest (docs/sampling.md)"},
    STUDY_OPTIONS("NAME.db"),
    {0}};

const Verb study_verb = {
    .name = "study",
    .summary = "runs a study and prints its figures",
    .operands = "NAME|FILE.ini",
    .details =
        "NAME is a shipped study (`heddle list studies`); docs/studies.md describes the "
        "file\nformat. Runs already in the store are not repeated.\n",
    .options = study_options,
    .min_operands = 1,
    .max_operands = 1,
    .run = run_study};
