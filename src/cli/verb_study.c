// SPDX-License-Identifier: MIT
// heddle study: a comparison described by a file (docs/studies.md), with a paper's
// numbers next to the measured ones.
#include "batch/study_batch.h"
#include "batch/study_run.h"
#include "cli/arguments.h"
#include "cli/study_options.h"
#include "study/figures/figure.h"
#include "study/study_file.h"

static Status print_study(Store *store, const Study *study, Error *err) {
  json_t *figures;
  TRY(figures_measure(store, study, &figures, err));
  printf("%s\n", study->title);
  if (study->summary) printf("%s\n", study->summary);
  figures_print(figures, stdout);
  json_decref(figures);
  return OK;
}

static Status run_named(const char *name, const char *seeds, const StudyRequest *request,
                        Error *err) {
  Study study;
  if (request->question) return study_batch_ask(request, err);
  TRY(study_file_read(&study, name, &request->plugin, seeds, err));
  Status status = study_run(&study, request, print_study, err);
  study_clear(&study);
  return status;
}

static Status run_study(const Arguments *arguments, Error *err) {
  Arena arena = {0};
  StudyRequest request;
  const char *name = arguments->operands[0];
  const char *db = arena_printf(&arena, "%s.db", study_file_name(name, &arena));
  Status status = study_options_read(arguments, db, &request, &arena, err);
  if (status == OK)
    status = run_named(name, arguments_value(arguments, "--seeds", NULL), &request, err);
  arena_clear(&arena);
  return status;
}

static const CliOption study_options[] = {STUDY_OPTIONS("NAME.db"), {0}};

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
