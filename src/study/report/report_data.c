// SPDX-License-Identifier: MIT
// Data of the report page: one JSON document made from a store.
#include "study/report/report_data.h"

#include <string.h>

#include "base/version.h"
#include "study/classify/classification.h"
#include "study/figures/figure.h"
#include "study/report/report_runs.h"
#include "study/results.h"

enum { FORMAT_VERSION = 2 };

// ---- the study

static json_t *items_json(const Study *study, Dimension dimension) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < study->dimensions[dimension].count; i++) {
    const StudyItem *item = &study->dimensions[dimension].items[i];
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:s?, s:s?}", "name", item->name, "title",
                        item->title, "is", item->is, "set", item->set, "size",
                        item->size ? item->size : study->run.size, "arguments", item->arguments,
                        "group", item->group));
  }
  return list;
}

static json_t *sweeps_json(const Study *study) {
  json_t *sweeps = json_array();
  for (uint32_t i = BY_SWEEP; i < study->dimension_count; i++) {
    const StudyDimension *sweep = &study->dimensions[i];
    json_t *values = json_array();
    for (uint32_t v = 0; v < sweep->count; v++)
      json_array_append_new(values, json_string(sweep->items[v].name));
    json_array_append_new(sweeps, json_pack("{s:s, s:s?, s:o}", "name", sweep->name, "title",
                                            sweep->title, "values", values));
  }
  return sweeps;
}

static json_t *study_json(const Study *study) {
  json_t *object = json_pack("{s:s, s:s, s:s?, s:s}", "name", study->name, "title", study->title,
                             "summary", study->summary, "text", study->text);
  json_object_set_new(object, "workloads", items_json(study, BY_WORKLOAD));
  json_object_set_new(object, "gpus", items_json(study, BY_GPU));
  json_object_set_new(object, "schemes", items_json(study, BY_SCHEME));
  json_object_set_new(object, "sweeps", sweeps_json(study));
  return object;
}

// The runs of a study with a column for each sweep, before the run.
static Status name_sweeps(const Study *study, json_t *runs, Error *err) {
  json_t *columns = json_object_get(runs, "columns"), *rows = json_object_get(runs, "rows"), *row;
  size_t position;
  if (json_array_size(rows) != study_run_count(study))
    return error_set(err, ERR_SYNTAX, "corrupt store: study '%.80s' has %zu runs, expected %zu",
                     study->name, json_array_size(rows), study_run_count(study));
  for (uint32_t i = BY_SWEEP; i < study->dimension_count; i++)
    json_array_insert_new(columns, i, json_string(study->dimensions[i].name));
  json_array_foreach(rows, position, row) {
    uint32_t at[MAX_DIMENSIONS];
    study_combination(study, position, at);
    for (uint32_t i = BY_SWEEP; i < study->dimension_count; i++)
      json_array_insert_new(row, i, json_string(study->dimensions[i].items[at[i]].name));
  }
  return OK;
}

static Status add_study(Store *store, const char *name, const char *text, json_t *data,
                        Error *err) {
  Study study;
  json_t *figures = NULL, *runs = NULL, *tables = NULL;
  TRY(study_read(&study, name, text, err));
  Status status = figures_measure(store, &study, &figures, err);
  if (status == OK) status = study_results(store, name, NULL, 0, &runs, err);
  if (status == OK) status = name_sweeps(&study, runs, err);
  if (status == OK) status = classifications_measure(store, &study, &tables, err);
  if (status == OK) {
    json_object_set_new(data, "title", json_string(study.title));
    json_object_set_new(data, "study", study_json(&study));
    json_object_set(data, "study_runs", runs);
    json_object_set(data, "figures", figures);
    json_object_set(data, "tables", tables);
  }
  json_decref(figures);
  json_decref(runs);
  json_decref(tables);
  study_clear(&study);
  return status;
}

// ---- definitions of the statistics

static void add_meanings(const json_t *columns, const char *prefix, const json_t *meanings,
                         json_t *used) {
  const json_t *column;
  size_t i;
  json_array_foreach(columns, i, column) {
    char name[256];
    snprintf(name, sizeof name, "%s%s", prefix, json_string_value(column));
    json_t *meaning = json_object_get(meanings, name);
    if (meaning) json_object_set(used, name, meaning);
  }
}

// Statistics of runs by their names, columns of tables by table.column.
static json_t *meanings_of(const json_t *data, const json_t *meanings) {
  json_t *used = json_object(), *detail, *table;
  const char *name;
  char prefix[128];
  size_t i;
  add_meanings(json_object_get(json_object_get(data, "runs"), "columns"), "", meanings, used);
  json_array_foreach(json_object_get(data, "details"), i, detail) {
    add_meanings(json_object_get(json_object_get(detail, "kernels"), "columns"), "", meanings,
                 used);
    json_object_foreach(json_object_get(detail, "tables"), name, table) {
      snprintf(prefix, sizeof prefix, "%.100s.", name);
      add_meanings(json_object_get(table, "columns"), prefix, meanings, used);
    }
  }
  return used;
}

// ---- the whole

static void add_head(json_t *data) {
  char time[STORE_TIME_BYTES];
  json_object_set_new(data, "format", json_string("heddle-report"));
  json_object_set_new(data, "format_version", json_integer(FORMAT_VERSION));
  json_object_set_new(data, "heddle", json_string(version_text()));
  json_object_set_new(data, "made", json_string(store_time(time)));
  json_object_set_new(data, "title", json_string("Heddle runs"));
  json_object_set_new(data, "study", json_null());
  json_object_set_new(
      data, "study_runs",
      json_pack("{s:[s,s,s,s], s:[]}", "columns", "workload", "gpu", "scheme", "run", "rows"));
  json_object_set_new(data, "figures", json_array());
  json_object_set_new(data, "tables", json_array());
}

json_t *report_empty(const char *title) {
  json_t *data = json_object();
  add_head(data);
  json_object_set_new(data, "title", json_string(title));
  json_object_set_new(data, "counts", json_object());
  json_object_set_new(data, "runs", json_pack("{s:[s], s:[]}", "columns", "id", "rows"));
  json_object_set_new(data, "details", json_array());
  json_object_set_new(data, "configs", json_object());
  json_object_set_new(data, "statistics", json_object());
  json_object_set_new(data, "limits", json_object());
  return data;
}

static Status fill(Store *store, const ReportOptions *options, json_t *data, Error *err) {
  json_t *study;
  add_head(data);
  TRY(study_stored(store, options->study, &study, err));
  const char *name = json_string_value(json_array_get(study, 0));
  const char *text = json_string_value(json_array_get(study, 1));
  Status status = OK;
  if (name && text)
    status = add_study(store, name, text, data, err);
  else if (study)
    status = error_set(err, ERR_SYNTAX, "corrupt store: its last study has no definition");
  json_decref(study);
  if (status == OK) status = report_runs(store, data, err);
  if (status == OK) status = report_details(store, options->meanings, data, err);
  if (status == OK) json_object_set_new(data, "statistics", meanings_of(data, options->meanings));
  return status;
}

Status report_data(Store *store, const ReportOptions *options, json_t **data, Error *err) {
  *data = json_object();
  Status status = fill(store, options, *data, err);
  if (status == OK) return OK;
  json_decref(*data);
  *data = NULL;
  return status;
}
