// SPDX-License-Identifier: MIT
// heddle study: a comparison described by a file (docs/studies.md), with a paper's
// numbers next to the measured ones.
#include <string.h>

#include "base/text/closest.h"
#include "base/files/file.h"
#include "base/memory.h"
#include "cli/arguments.h"
#include "cli/shipped_study.h"
#include "cli/study_check.h"
#include "cli/study_run.h"
#include "runner/program/workload.h"
#include "policies/plugin.h"
#include "study/figures/figure.h"

enum { FILE_LIMIT_BYTES = 1 << 20 };

// ---- lookup

static const char ending[] = ".ini";

static Status find_shipped(const char *name, Arena *arena, const char **text, Error *err) {
  Closest closest = closest_start(name);
  char each[STUDY_NAME_BYTES];
  const char *all = "";
  for (size_t i = 0; (*text = shipped_study(i, each)); i++) {
    if (strcmp(each, name) == 0) return OK;
    closest_offer(&closest, each);
    all = arena_printf(arena, "%s%s%s", all, *all ? ", " : "", each);
  }
  return error_set(err, ERR_USAGE, "unknown study '%.80s'%s%s%s (studies: %s)", name,
                   CLOSEST_HINT(closest), all);
}

static Status find_text(const char *name, Arena *arena, const char **text, Error *err) {
  char *read;
  size_t length;
  if (!word_is_path(name, ending)) return find_shipped(name, arena, text, err);
  TRY(file_read(name, FILE_LIMIT_BYTES, &read, &length, err));
  *text = arena_strdup(arena, read);
  memory_free(read);
  return OK;
}

static const char *name_of(const char *given, Arena *arena) {
  const char *slash = strrchr(given, '/');
  char *name = arena_strdup(arena, slash ? slash + 1 : given);
  if (path_ends_with(name, ending)) name[strlen(name) - strlen(ending)] = '\0';
  return name;
}

// ---- categories of workloads in a paper

static const char *category(const Workload *workload, const char *paper) {
#define X(key, citation) \
  if (strcmp(paper, #key) == 0) return workload->paper_##key;
  WORKLOAD_PAPER_LIST(X)
#undef X
  return NULL;
}

// Workloads without a group of their own get that of the paper.
static Status add_groups(Study *study, Error *err) {
  Workload workload;
  for (uint32_t i = 0; i < study->dimensions[BY_WORKLOAD].count; i++) {
    const StudyItem *item = &study->dimensions[BY_WORKLOAD].items[i];
    if (item->group || strchr(item->is, '/')) continue;
    TRY(workload_find(item->is, &workload, err));
    const char *group = category(&workload, study->groups);
    if (!group)
      return error_set(err, ERR_SYNTAX,
                       "%s: groups = %.40s: unknown paper (docs/workloads.md lists them)",
                       study->name, study->groups);
    if (*group) TRY(study_set(study, "workload", item->name, "group", group, err));
  }
  return OK;
}

static Status read_checked(const char *given, const char *name, const char *text,
                           const Arguments *arguments, Study *study, Error *err) {
  StudyCheck check = {0};
  Status status = arguments_load_plugins(arguments, &check.plugins, err);
  if (status == OK)
    status = study_read_from(study, name, given, text, study_check_line, &check, err);
  study_check_clear(&check);
  return status;
}

static Status read_study(const Arguments *arguments, Arena *arena, Study *study, Error *err) {
  const char *given = arguments->operands[0], *text = NULL;
  TRY(find_text(given, arena, &text, err));
  TRY(read_checked(given, name_of(given, arena), text, arguments, study, err));
  Status status = study->groups ? add_groups(study, err) : OK;
  if (status != OK) study_clear(study);
  return status;
}

// ---- the verb

static Status print_study(Store *store, const Study *study, Error *err) {
  json_t *figures;
  TRY(figures_measure(store, study, &figures, err));
  printf("%s\n", study->title);
  if (study->summary) printf("%s\n", study->summary);
  figures_print(figures, stdout);
  json_decref(figures);
  return OK;
}

static Status run_named(const Arguments *arguments, const char *db, Arena *arena, Error *err) {
  Study study;
  bool is_done;
  TRY(study_batch_ask(arguments, db, &is_done, err));
  if (is_done) return OK;
  TRY(read_study(arguments, arena, &study, err));
  Status status = study_run(&study, arguments, db, print_study, err);
  study_clear(&study);
  return status;
}

static Status run_study(const Arguments *arguments, Error *err) {
  Arena arena = {0};
  const char *db = arena_printf(&arena, "%s.db", name_of(arguments->operands[0], &arena));
  Status status = run_named(arguments, arguments_value(arguments, "--db", db), &arena, err);
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
