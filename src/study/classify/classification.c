// SPDX-License-Identifier: MIT
// [classification NAME] of a study: the category of each workload, from the stored runs of the
// study's experiments (study/classify/experiments.h), next to the workload's group, the category
// that a paper has for it.
#include "study/classify/classification.h"

#include <math.h>
#include <string.h>

#include "study/classify/classify.h"

typedef struct Maker {
  Store *store;
  const Study *study;
  const json_t *jobs;  // [job, run or null] by position
  Arena arena;
  uint32_t count, agree, published, expected;  // workloads: all, and of those with a group
  json_t *rows;
} Maker;

static Status read_jobs(Maker *maker, json_t **table, Error *err) {
  TRY(store_select(maker->store, table, err,
                   "select s.job, r.id from study_runs as s left join runs as r on r.job = s.job "
                   "and r.state = 'complete' where s.study = (select id from studies where name = "
                   "?) order by s.position",
                   "t", maker->study->name));
  maker->jobs = json_object_get(*table, "rows");
  if (json_array_size(maker->jobs) == study_run_count(maker->study)) return OK;
  return error_set(err, ERR_SYNTAX, "corrupt store: study '%.80s' has %zu runs, expected %zu",
                   maker->study->name, json_array_size(maker->jobs), study_run_count(maker->study));
}

// The keys of the experiments; false if one is not complete.
static bool find_keys(const Maker *maker, uint32_t at[MAX_DIMENSIONS],
                      const char *keys[EXPERIMENTS]) {
  bool is_complete = true;
  for (Experiment i = 0; i < EXPERIMENTS; i++) {
    at[study_variants(maker->study)] = i;
    const json_t *job = json_array_get(maker->jobs, study_position(maker->study, at));
    keys[i] = json_string_value(json_array_get(job, 0));
    is_complete &= keys[i] && json_is_integer(json_array_get(job, 1));
  }
  return is_complete;
}

// The kernel that takes most time of those with the program's category.
static size_t main_kernel(const Evidence *evidence, const Verdict *verdicts, Category category) {
  size_t most = 0;
  bool is_any = false;
  for (size_t i = 0; i < evidence->count; i++) {
    if (verdicts[i].category != category) continue;
    if (!is_any || evidence->kernels[i].time_share > evidence->kernels[most].time_share) most = i;
    is_any = true;
  }
  return most;
}

static void add_text(json_t *row, const char *text) {
  json_array_append_new(row, text ? json_string(text) : json_null());
}

static void add_verdict(Maker *maker, const Evidence *evidence, const char *expected, json_t *row) {
  Verdict *verdicts = classify_kernels(evidence, &maker->arena);
  Category category = classify_program(evidence, verdicts);
  size_t at = main_kernel(evidence, verdicts, category);
  const char *published = category_name(verdicts[at].published);
  bool agrees = expected && strstr(expected, category_name(category));
  add_text(row, category_name(category));
  add_text(row, expected ? agrees ? "yes" : "no" : NULL);
  add_text(row, published);
  add_text(row, evidence->kernels[at].name);
  json_array_append_new(row, json_real(round(100 * evidence->kernels[at].time_share)));
  add_text(row, verdicts[at].reason);
  maker->agree += agrees;
  maker->published += expected && strstr(expected, published);
  maker->expected += expected != NULL;
}

// Dimensions besides that of the experiments, where they have several values.
static bool is_column(const Study *study, uint32_t dimension) {
  if ((int)dimension == study_variants(study)) return false;
  return dimension == BY_WORKLOAD || study->dimensions[dimension].count > 1;
}

static Status add_row(Maker *maker, uint32_t at[MAX_DIMENSIONS], Error *err) {
  enum { RESULTS = 6 };
  const Study *study = maker->study;
  const char *keys[EXPERIMENTS], *expected = study->dimensions[BY_WORKLOAD].items[at[0]].group;
  Evidence evidence = {0};
  json_t *row = json_array();
  json_array_append_new(maker->rows, row);
  for (uint32_t i = 0; i < study->dimension_count; i++)
    if (is_column(study, i)) add_text(row, study->dimensions[i].items[at[i]].name);
  add_text(row, expected);
  maker->count++;
  if (find_keys(maker, at, keys))
    TRY(evidence_read(&evidence, maker->store, keys, &maker->arena, err));
  if (evidence.count)
    add_verdict(maker, &evidence, expected, row);
  else
    for (int i = 0; i < RESULTS; i++) add_text(row, NULL);
  return OK;
}

static Status add_rows(Maker *maker, Error *err) {
  uint32_t at[MAX_DIMENSIONS];
  int variants = study_variants(maker->study);
  for (size_t i = 0; i < study_run_count(maker->study); i++) {
    study_combination(maker->study, i, at);
    if (at[variants] == 0) TRY(add_row(maker, at, err));
  }
  return OK;
}

static json_t *columns_json(const Study *study) {
  json_t *columns = json_array();
  for (uint32_t i = 0; i < study->dimension_count; i++)
    if (is_column(study, i)) add_text(columns, study->dimensions[i].name);
  static const char *const others[] = {"paper",  "category", "agrees",  "published flow",
                                       "kernel", "time (%)", "evidence"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) add_text(columns, others[i]);
  return columns;
}

static json_t *table_json(Maker *maker, const ClassificationSpec *spec) {
  const char *agreement = arena_printf(
      &maker->arena, "%u of %u agree with the paper; by the published order of experiments: %u",
      maker->agree, maker->expected, maker->published);
  json_t *notes = json_array();
  if (maker->expected) add_text(notes, agreement);
  if (spec->note) add_text(notes, spec->note);
  return json_pack("{s:s, s:s, s:s, s:s?, s:o, s:O, s:o}", "kind", "table", "id", spec->id, "title",
                   spec->title, "source", spec->source, "columns", columns_json(maker->study),
                   "rows", maker->rows, "notes", notes);
}

static Status measure(Store *store, const Study *study, const ClassificationSpec *spec,
                      json_t *tables, Error *err) {
  Maker maker = {.store = store, .study = study, .rows = json_array()};
  json_t *jobs = NULL;
  Status status = read_jobs(&maker, &jobs, err);
  if (status == OK) status = add_rows(&maker, err);
  if (status == OK) json_array_append_new(tables, table_json(&maker, spec));
  json_decref(jobs);
  json_decref(maker.rows);
  arena_clear(&maker.arena);
  return status;
}

Status classifications_measure(Store *store, const Study *study, json_t **tables, Error *err) {
  Status status = OK;
  *tables = json_array();
  if (study->classification.id)
    status = measure(store, study, &study->classification, *tables, err);
  if (status == OK) return OK;
  json_decref(*tables);
  *tables = NULL;
  return status;
}
