// SPDX-License-Identifier: MIT
// Single runs treated as a study: the dimensions are those in which the runs differ.
#include "study/runs_study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/closest.h"
#include "base/memory.h"
#include "study/results.h"

// Columns of the question, before parameters and statistics.
enum { RUN_ID, RUN_CONFIG, RUN_NAMED, RUN_GPU, RUN_SCHEME, RUN_PARAMETERS };

static const char *text_at(const json_t *row, size_t column) {
  return json_string_value(json_array_get(row, column));
}

// ---- the question

// Parameters come from the command line: only what can be a name goes into SQL.
static Status parameter_sql(Arena *arena, const char *name, const char **sql, Error *err) {
  const char *dot = strchr(name, '.');
  if (!dot || dot == name || !dot[1] || strchr(dot + 1, '.') ||
      name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.")])
    return error_set(err, ERR_USAGE,
                     "unknown dimension '%.80s': expected workload, gpu, scheme, or a parameter "
                     "such as l1d.size_kb (`heddle list params`)",
                     name);
  *sql = arena_printf(arena, "c.settings ->> '$.%s'", name);
  return OK;
}

// The program's name without its folder, and a column where runs differ in it.
static const char workload_sql[] =
    "replace(replace(r.program, rtrim(r.program, replace(r.program, '/', '')), ''), '.case', '')";
static const char *if_several(Arena *arena, const char *column) {
  return arena_printf(arena,
                      "case when (select count(distinct coalesce(%s, '')) from runs where state = "
                      "'complete') > 1 then coalesce(' ' || r.%s, '') else '' end",
                      column, column);
}

static Status make_sql(const Study *study, Store *store, const FigureNames *names, Arena *arena,
                       const char **sql, Error *err) {
  const char *columns = "", *one;
  for (uint32_t i = BY_SWEEP; i < study->dimension_count; i++) {
    TRY(parameter_sql(arena, study->dimensions[i].name, &one, err));
    columns = arena_printf(arena, "%s, cast(%s as text)", columns, one);
  }
  for (size_t i = 0; names && i < names->count; i++) {
    TRY(statistic_sql(store, names->items[i], arena, &one, err));
    columns = arena_printf(arena, "%s, %s", columns, one);
  }
  *sql = arena_printf(
      arena,
      "select r.id, r.config, %s || %s || %s, r.gpu, coalesce(r.scheme, '-')%s from "
      "runs as r join configs as c on c.id = r.config left join totals as t on "
      "t.run = r.id where r.state = 'complete' order by r.id",
      workload_sql, if_several(arena, "size"), if_several(arena, "arguments"), columns);
  return OK;
}

static Status select_runs(const Study *study, Store *store, const FigureNames *names, json_t **rows,
                          Error *err) {
  Arena arena = {0};
  const char *sql;
  json_t *table = NULL;
  Status status = make_sql(study, store, names, &arena, &sql, err);
  if (status == OK) status = store_select(store, &table, err, sql, "");
  if (status == OK) *rows = json_incref(json_object_get(table, "rows"));
  json_decref(table);
  arena_clear(&arena);
  return status;
}

// ---- items

static void add_item(Study *study, uint32_t dimension, const char *name) {
  StudyDimension *values = &study->dimensions[dimension];
  char *end;
  if (study_item(study, (Dimension)dimension, name)) return;
  double number = strtod(name, &end);
  const char *own = arena_strdup(&study->arena, name);
  GROW(values->items, values->count, values->capacity);
  values->items[values->count++] =
      (StudyItem){.name = own,
                  .title = own,
                  .is = own,
                  .number = *name && !*end && isfinite(number) ? number : NAN};
}

static int by_number(const void *a, const void *b) {
  double left = ((const StudyItem *)a)->number, right = ((const StudyItem *)b)->number;
  return (left > right) - (left < right);
}

static json_t *settings_of(Store *store, int64_t config, Error *err);

// A name that no configuration has is null in every run.
static Status check_parameter(const Study *study, Store *store, uint32_t dimension, Error *err) {
  const StudyDimension *values = &study->dimensions[dimension];
  const char *section, *key;
  json_t *params, *value, *found;
  Closest closest = closest_start(values->name);
  if (values->count != 1 || strcmp(values->items[0].name, "-") != 0) return OK;
  TRY(store_select(store, &found, err, "select max(id) from configs", ""));
  const json_t *id = json_array_get(json_array_get(json_object_get(found, "rows"), 0), 0);
  json_t *settings = settings_of(store, (int64_t)json_integer_value(id), err);
  json_object_foreach(settings, section, params) {
    json_object_foreach(params, key, value) {
      char name[CLOSEST_NAME_BYTES];
      snprintf(name, sizeof name, "%s.%s", section, key);
      closest_offer(&closest, name);
    }
  }
  json_decref(settings);
  json_decref(found);
  return error_set(err, ERR_USAGE, "unknown parameter '%.80s': not recorded in any run%s%s%s",
                   values->name, CLOSEST_HINT(closest));
}

static Status add_items(Study *study, Store *store, Error *err) {
  json_t *rows, *row;
  size_t i;
  TRY(select_runs(study, store, NULL, &rows, err));
  json_array_foreach(rows, i, row) {
    for (uint32_t d = 0; d < study->dimension_count; d++) {
      const char *name = text_at(row, RUN_NAMED + d);
      add_item(study, d, name ? name : "-");
    }
  }
  json_decref(rows);
  for (uint32_t d = BY_SWEEP; d < study->dimension_count; d++)
    if (study->dimensions[d].count && study_is_numeric(study, (Dimension)d))
      qsort(study->dimensions[d].items, study->dimensions[d].count,
            sizeof *study->dimensions[d].items, by_number);
  if (!study->dimensions[BY_WORKLOAD].count)
    return error_set(err, ERR_USAGE, "the store has no complete run with a configuration");
  for (uint32_t d = BY_SWEEP; d < study->dimension_count; d++)
    TRY(check_parameter(study, store, d, err));
  if (study_run_count(study) > MAX_STUDY_RUNS)
    return error_set(err, ERR_USAGE, "the runs have more than %d combinations of these values",
                     MAX_STUDY_RUNS);
  return OK;
}

Status runs_study_read(Study *study, Store *store, const char *const *parameters, size_t count,
                       Error *err) {
  static const char *const names[] = {"workload", "gpu", "scheme"};
  *study = (Study){.dimension_count = BY_SWEEP, .text = ""};
  for (int i = 0; i < BY_SWEEP; i++) study->dimensions[i].name = names[i];
  study->name = study->title = "runs";
  for (size_t i = 0; i < count && study->dimension_count < MAX_DIMENSIONS; i++)
    study->dimensions[study->dimension_count++].name = arena_strdup(&study->arena, parameters[i]);
  Status status = add_items(study, store, err);
  if (status != OK) study_clear(study);
  return status;
}

// ---- rows

static size_t position_of(const Study *study, const json_t *row) {
  uint32_t at[MAX_DIMENSIONS] = {0};
  for (uint32_t d = 0; d < study->dimension_count; d++) {
    const char *name = text_at(row, RUN_NAMED + d);
    at[d] =
        (uint32_t)(study_item(study, (Dimension)d, name ? name : "-") - study->dimensions[d].items);
  }
  return study_position(study, at);
}

// Whether a figure has chosen another value of some dimension.
// Runs that no figure shows need not be unambiguous.
static bool is_left_out(const Study *study, const json_t *row) {
  for (uint32_t f = 0; f < study->figure_count; f++) {
    bool is_in = true;
    for (uint32_t d = 0; d < study->dimension_count; d++) {
      const char *only = study->figures[f].only[d], *name = text_at(row, RUN_NAMED + d);
      if (only && study_item(study, (Dimension)d, only))
        is_in &= strcmp(only, name ? name : "-") == 0;
    }
    if (is_in) return false;
  }
  return study->figure_count > 0;
}

static json_t *settings_of(Store *store, int64_t config, Error *err) {
  json_t *found, *settings = NULL;
  if (store_select(store, &found, err, "select settings from configs where id = ?", "i", config) !=
      OK)
    return NULL;
  const char *text = text_at(json_array_get(json_object_get(found, "rows"), 0), 0);
  if (text) settings = json_loads(text, 0, NULL);
  json_decref(found);
  return settings;
}

// The first parameter in which two configurations differ.
static const char *first_difference(const json_t *a, const json_t *b, Arena *arena) {
  const char *section, *key;
  json_t *values, *value;
  json_object_foreach((json_t *)(size_t)a, section, values) {
    json_object_foreach(values, key, value) {
      if (!json_equal(value, json_object_get(json_object_get(b, section), key)))
        return arena_printf(arena, "%s.%s", section, key);
    }
  }
  return "a parameter";
}

static Status report_difference(Store *store, const json_t *before, const json_t *after,
                                Error *err) {
  Arena arena = {0};
  json_t *a = settings_of(store, json_integer_value(json_array_get(before, RUN_CONFIG)), err);
  json_t *b = settings_of(store, json_integer_value(json_array_get(after, RUN_CONFIG)), err);
  const char *name = first_difference(a, b, &arena);
  error_set(err, ERR_USAGE,
            "runs %lld and %lld are both %s, %s, %s here, and differ in %s: make it --x, --series "
            "or --panels, or choose with --where %s=VALUE",
            (long long)json_integer_value(json_array_get(before, RUN_ID)),
            (long long)json_integer_value(json_array_get(after, RUN_ID)), text_at(after, RUN_NAMED),
            text_at(after, RUN_GPU), text_at(after, RUN_SCHEME), name, name);
  json_decref(a);
  json_decref(b);
  arena_clear(&arena);
  return ERR_USAGE;
}

// [workload, gpu, scheme, run, statistics ...], as study_results has it.
static json_t *result_row(const Study *study, const json_t *row, const FigureNames *names) {
  json_t *result = json_array();
  for (size_t i = 0; i < BY_SWEEP; i++)
    json_array_append(result, json_array_get(row, RUN_NAMED + i));
  json_array_append(result, json_array_get(row, RUN_ID));
  for (size_t i = 0; i < names->count; i++)
    json_array_append(result, json_array_get(row, RUN_NAMED + study->dimension_count + i));
  return result;
}

// Two runs at one position are an error only if their configurations differ: repeated runs give
// the same results, and the last one counts.
Status runs_study_rows(const Study *study, Store *store, const FigureNames *names, json_t **rows,
                       Error *err) {
  size_t i, count = study_run_count(study);
  json_t *runs, *run;
  Status status = OK;
  TRY(select_runs(study, store, names, &runs, err));
  const json_t **chosen = memory_alloc(sizeof *chosen * count);
  json_array_foreach(runs, i, run) {
    if (is_left_out(study, run)) continue;
    const json_t **here = &chosen[position_of(study, run)];
    if (*here && !json_equal(json_array_get(*here, RUN_CONFIG), json_array_get(run, RUN_CONFIG)))
      status = report_difference(store, *here, run, err);
    if (status != OK) break;
    *here = run;
  }
  *rows = json_array();
  for (size_t p = 0; p < count && status == OK; p++)
    json_array_append_new(*rows, chosen[p] ? result_row(study, chosen[p], names) : json_null());
  memory_free(chosen);
  json_decref(runs);
  if (status == OK) return OK;
  json_decref(*rows);
  *rows = NULL;
  return status;
}
