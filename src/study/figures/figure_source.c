// SPDX-License-Identifier: MIT
// One figure of a store: of its study, or of its single runs.
#include "study/figures/figure_source.h"

#include <string.h>

#include "base/text/closest.h"
#include "base/memory.h"
#include "study/classify/classification.h"
#include "study/study_check.h"
#include "study/expression.h"
#include "study/results.h"
#include "study/runs_study.h"

// ---- statistics

typedef struct StatisticCheck {
  Store *store;
  Status status;
  Error *err;
} StatisticCheck;

// A statistic is known if the store contains it, whichever plugin counted it, or if
// heddle defines it, even if no run in the store has it.
static void check_statistic(void *self, const char *name) {
  StatisticCheck *check = self;
  static const char prefix[] = "policies.";
  bool is_policy = strncmp(name, prefix, sizeof prefix - 1) == 0;
  json_t *found = NULL;
  if (check->status != OK || store_has_column(check->store, "totals", name)) return;
  if (is_policy &&
      store_select(check->store, &found, check->err,
                   "select 1 from policy_counters where name = ? limit 1", "t",
                   name + sizeof prefix - 1) == OK &&
      json_array_size(json_object_get(found, "rows"))) {
    json_decref(found);
    return;
  }
  json_decref(found);
  check->status = statistic_check(name, NULL, check->err);
}

static Status check_metric(FigureSource *source, const char *text, Error *err) {
  Expression *expression;
  StatisticCheck check = {source->store, OK, err};
  TRY(expression_parse(&expression, &source->arena, text, err));
  expression_names(expression, check_statistic, &check);
  return check.status == OK ? OK : error_prefix(err, "--metric");
}

// ---- keys of the figure

static void add_key(FigureSource *source, const char *key, const char *value) {
  FigureRequest *request = &source->request;
  if (request->key_count < MOST_FIGURE_KEYS)
    request->keys[request->key_count++] = (FigureKey){key, value};
}

static const char *key_value(const FigureSource *source, const char *key) {
  for (int i = 0; i < source->request.key_count; i++)
    if (strcmp(source->request.keys[i].key, key) == 0) return source->request.keys[i].value;
  return NULL;
}

// ---- the study

static Status open_study(FigureSource *source, const json_t *row, Error *err) {
  const char *name = json_string_value(json_array_get(row, 0));
  const char *text = json_string_value(json_array_get(row, 1));
  const char *updated = json_string_value(json_array_get(row, 2));
  if (!name || !text)
    return error_set(err, ERR_SYNTAX, "corrupt store: its last study has no definition");
  source->is_study = true;
  source->made = updated ? arena_strdup(&source->arena, updated) : NULL;
  return study_read(&source->study, name, text, err);
}

// Skips the dimensions that every store has: they are not parameters.
static void add_parameter(const char **list, size_t *count, const char *name) {
  if (!name || strcmp(name, "workload") == 0 || strcmp(name, "gpu") == 0 ||
      strcmp(name, "scheme") == 0)
    return;
  for (size_t i = 0; i < *count; i++)
    if (strcmp(list[i], name) == 0) return;
  if (*count < MAX_SWEEPS) list[(*count)++] = name;
}

static Status open_runs(FigureSource *source, Error *err) {
  const char *parameters[MAX_SWEEPS];
  size_t count = 0;
  add_parameter(parameters, &count, key_value(source, "rows"));
  add_parameter(parameters, &count, key_value(source, "columns"));
  add_parameter(parameters, &count, key_value(source, "panels"));
  for (int i = 0; i < source->request.key_count; i++)
    if (strchr(source->request.keys[i].key, '.'))
      add_parameter(parameters, &count, source->request.keys[i].key);
  return runs_study_read(&source->study, source->store, parameters, count, err);
}

static Status open_source(FigureSource *source, Error *err) {
  json_t *row = NULL;
  if (!source->request.runs) TRY(study_stored(source->store, source->request.study, &row, err));
  Status status = row ? open_study(source, row, err) : open_runs(source, err);
  json_decref(row);
  return status;
}

// ---- which figure

// The dimension named by an option; unknown names are rejected later.
static int asked_for(const FigureSource *source, const char *key) {
  const char *name = key_value(source, key);
  for (uint32_t i = 0; name && i < source->study.dimension_count; i++)
    if (strcmp(source->study.dimensions[i].name, name) == 0) return (int)i;
  return NO_DIMENSION;
}

// Whether a dimension has several values and --where does not select one.
static bool is_open(const FigureSource *source, int dimension) {
  const StudyDimension *values = &source->study.dimensions[dimension];
  return dimension < (int)source->study.dimension_count && values->count > 1 && !values->is_seed &&
         !key_value(source, values->name);
}

static int choose_x(const FigureSource *source) {
  for (int i = BY_SWEEP; i < (int)source->study.dimension_count; i++)
    if (is_open(source, i) && study_is_numeric(&source->study, (Dimension)i)) return i;
  return BY_WORKLOAD;
}

static int choose_series(const FigureSource *source, int x, int panels) {
  static const int order[] = {BY_SCHEME, BY_SWEEP, BY_SWEEP + 1, BY_GPU, BY_WORKLOAD};
  for (size_t i = 0; i < sizeof order / sizeof *order; i++)
    if (order[i] != x && order[i] != panels && is_open(source, order[i])) return order[i];
  return x == BY_SCHEME || panels == BY_SCHEME ? BY_GPU : BY_SCHEME;
}

// Assigns dimensions that the options leave open: a numeric one to x if there is
// one, then those with several values.
static void choose_dimensions(FigureSource *source) {
  const Study *study = &source->study;
  int x = asked_for(source, "rows"), series = asked_for(source, "columns");
  int panels = asked_for(source, "panels");
  if (!key_value(source, "rows"))
    add_key(source, "rows", study->dimensions[x = choose_x(source)].name);
  if (!key_value(source, "columns"))
    add_key(source, "columns", study->dimensions[series = choose_series(source, x, panels)].name);
  bool is_lines = x >= BY_SWEEP && study_is_numeric(study, (Dimension)x);
  if (!is_lines && x != BY_WORKLOAD && !key_value(source, "mean")) add_key(source, "mean", "none");
  if (is_lines && !key_value(source, "panels") && series != BY_WORKLOAD &&
      is_open(source, BY_WORKLOAD))
    add_key(source, "panels", "workload");
}

static Status unknown_figure(const FigureSource *source, const char *name, const json_t *all,
                             Error *err) {
  Closest closest = closest_start(name);
  const json_t *figure;
  char known[512] = "";
  size_t i, used = 0;
  for (uint32_t s = 0; s < source->study.figure_count; s++) {
    const char *id = source->study.figures[s].id;
    closest_offer(&closest, id);
    if (used < sizeof known)
      used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", s ? ", " : "", id);
  }
  json_array_foreach(all, i, figure) {
    closest_offer(&closest, json_string_value(json_object_get(figure, "id")));
  }
  if (!source->study.figure_count)
    return error_set(
        err, ERR_USAGE,
        "unknown figure '%.80s': single runs have no named figures; describe one with --metric",
        name);
  return error_set(err, ERR_USAGE, "unknown figure '%.80s'%s%s%s (figures of the study: %s)", name,
                   CLOSEST_HINT(closest), known);
}

static Status measure(FigureSource *source, json_t **figures, Error *err) {
  FigureNames names = {0};
  json_t *rows = NULL;
  if (!source->study.figure_count) {
    *figures = json_array();
    return OK;
  }
  if (source->is_study) return figures_measure(source->store, &source->study, figures, err);
  Status status = figures_collect_names(&source->study, &source->arena, &names, err);
  if (status == OK) status = runs_study_rows(&source->study, source->store, &names, &rows, err);
  if (status == OK) status = figures_make(&source->study, rows, &names, figures, err);
  json_decref(rows);
  memory_free(names.items);
  return status;
}

// Finds one of several figures expanded from one definition: "speedup-k40".
static Status find_expanded(FigureSource *source, const char *name, json_t **figures, Error *err) {
  json_t *all, *figure, *found = NULL;
  size_t i;
  TRY(measure(source, &all, err));
  json_array_foreach(all, i, figure) {
    if (strcmp(json_string_value(json_object_get(figure, "id")), name) == 0) found = figure;
  }
  Status status = found ? OK : unknown_figure(source, name, all, err);
  if (found) *figures = json_pack("[O]", found);
  json_decref(all);
  return status;
}

// The baseline of some figure with these columns.
static const char *find_baseline(const Study *study, Dimension columns) {
  for (uint32_t i = 0; i < study->figure_count; i++) {
    const FigureSpec *spec = &study->figures[i];
    if (spec->columns == columns && spec->as != AS_VALUE && spec->baseline_at[columns] != SAME_ITEM)
      return study->dimensions[columns].items[spec->baseline_at[columns]].name;
  }
  return NULL;
}

static void set_scale(FigureSource *source, Dimension rows) {
  const char *scale = source->request.scale;
  if (strcmp(scale, "linear") == 0) source->study.dimensions[rows].scale = SCALE_LINEAR;
  if (strcmp(scale, "log2") == 0) source->study.dimensions[rows].scale = SCALE_LOG2;
}

static Status make_figures(FigureSource *source, json_t **figures, Error *err) {
  Study *study = &source->study;
  const char *name = source->request.figure;
  if (name && !study_figure(study, name)) {
    if (source->request.key_count) return unknown_figure(source, name, NULL, err);
    return find_expanded(source, name, figures, err);
  }
  if (!name && !key_value(source, "statistic"))
    return error_set(err, ERR_USAGE,
                     "no figure given: name one of the study (--list shows them), or describe it: "
                     "--metric l1d.hit_rate --x l1d.size_kb --series scheme");
  const char *metric = key_value(source, "statistic");
  if (metric) TRY(check_metric(source, metric, err));
  if (!name) choose_dimensions(source);
  if (!name && !key_value(source, "title"))
    add_key(source, "title", key_value(source, "statistic"));
  if (!name) name = "figure";
  TRY(study_add_figure(study, name, source->request.keys, err));
  const FigureSpec *spec = study_figure(study, name);
  source->baseline = find_baseline(study, spec->columns);
  set_scale(source, spec->rows);
  study_keep_figure(study, name);
  return measure(source, figures, err);
}

// The first dimension in which the figures of one name differ.
static const json_t *first_choice(const json_t *figures) {
  const json_t *first = json_object_get(json_array_get(figures, 0), "fixed"), *fixed;
  const json_t *last =
      json_object_get(json_array_get(figures, json_array_size(figures) - 1), "fixed");
  size_t i;
  json_array_foreach(first, i, fixed) {
    if (!json_equal(fixed, json_array_get(last, i))) return fixed;
  }
  return NULL;
}

static Status check_one(const json_t *figures, Error *err) {
  char names[512] = "";
  const json_t *figure, *choice = first_choice(figures);
  size_t i, used = 0;
  if (!choice) return OK;
  json_array_foreach(figures, i, figure) {
    const char *id = json_string_value(json_object_get(figure, "id"));
    if (used < sizeof names)
      used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", id);
  }
  return error_set(
      err, ERR_USAGE, "ambiguous: %zu figures (%s); choose one by name or with --where %s=%s",
      json_array_size(figures), names, json_string_value(json_object_get(choice, "dimension")),
      json_string_value(json_object_get(choice, "name")));
}

// Energy may be missing because the GPU has no costs.
static Status check_values(const json_t *figure, Error *err) {
  const char *statistic = json_string_value(json_object_get(figure, "statistic"));
  const json_t *panel, *row, *value;
  size_t p, r, c;
  json_array_foreach(json_object_get(figure, "panels"), p, panel) {
    json_array_foreach(json_object_get(panel, "measured"), r, row) {
      json_array_foreach(row, c, value) {
        if (json_is_number(value)) return OK;
      }
    }
  }
  return error_set(err, ERR_USAGE, "the figure has no values: no complete run has '%.80s'%s",
                   statistic,
                   strstr(statistic, "energy.")
                       ? "; only GPUs with [energy] costs report energy (`heddle list gpus`)"
                       : "");
}

// ---- sources

Status figure_source_open(FigureSource *source, const FigureRequest *request, Error *err) {
  *source = (FigureSource){.request = *request};
  Status status = store_open(&source->store, request->db, STORE_READ, err);
  if (status == OK) status = store_check_if_small(source->store, err);
  if (status == OK) status = open_source(source, err);
  if (status != OK) figure_source_close(source);
  return status;
}

void figure_source_close(FigureSource *source) {
  study_clear(&source->study);
  store_close(source->store);
  arena_clear(&source->arena);
  *source = (FigureSource){0};
}

static Status measure_tables(FigureSource *source, json_t **tables, Error *err) {
  *tables = json_array();
  if (!source->is_study) return OK;
  json_decref(*tables);
  return classifications_measure(source->store, &source->study, tables, err);
}

Status figure_source_all(FigureSource *source, json_t **figures, Error *err) {
  json_t *tables;
  TRY(measure_tables(source, &tables, err));
  Status status = measure(source, figures, err);
  if (status == OK) json_array_extend(*figures, tables);
  json_decref(tables);
  return status;
}

static bool is_table(const FigureSource *source) {
  const char *id = source->study.classification.id, *wanted = source->request.figure;
  return source->is_study && id && wanted && strcmp(id, wanted) == 0;
}

Status figure_source_one(FigureSource *source, json_t **figure, Error *err) {
  json_t *figures = NULL;
  bool table = is_table(source);
  TRY(table ? measure_tables(source, &figures, err) : make_figures(source, &figures, err));
  Status status = table ? OK : check_one(figures, err);
  if (status == OK && !table) status = check_values(json_array_get(figures, 0), err);
  if (status == OK) *figure = json_incref(json_array_get(figures, 0));
  json_decref(figures);
  return status;
}
