// SPDX-License-Identifier: MIT
#include "cli/figure_request.h"

#include <string.h>

#include "base/text/closest.h"
#include "base/memory.h"
#include "cli/arguments.h"
#include "cli/study_check.h"
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

static Status check_metric(FigureRequest *request, const char *text, Error *err) {
  Expression *expression;
  StatisticCheck check = {request->store, OK, err};
  TRY(expression_parse(&expression, &request->arena, text, err));
  expression_names(expression, check_statistic, &check);
  return check.status == OK ? OK : error_prefix(err, "--metric");
}

// ---- options that are keys of a figure

static const struct {
  const char *option, *key;
} key_options[] = {{"--metric", "statistic"}, {"--x", "rows"},    {"--series", "columns"},
                   {"--panels", "panels"},    {"--as", "as"},     {"--baseline", "baseline"},
                   {"--mean", "mean"},        {"--axis", "axis"}, {"--title", "title"}};

static void add_key(FigureRequest *request, const char *key, const char *value) {
  if (request->key_count < MOST_FIGURE_KEYS)
    request->keys[request->key_count++] = (FigureKey){key, value};
}

static Status read_keys(FigureRequest *request, Error *err) {
  const char *value;
  for (size_t i = 0; i < sizeof key_options / sizeof *key_options; i++)
    if ((value = arguments_value(request->arguments, key_options[i].option, NULL)))
      add_key(request, key_options[i].key, value);
  for (int i = 0; (value = arguments_next(request->arguments, "--where", &i));) {
    const char *equals = strchr(value, '=');
    if (!equals || equals == value)
      return error_set(err, ERR_USAGE,
                       "--where %.80s: expected DIMENSION=VALUE, such as gpu=gtx480", value);
    if (request->key_count > MOST_FIGURE_KEYS / 2)
      return error_set(err, ERR_USAGE, "too many --where options");
    add_key(request, arena_strndup(&request->arena, value, (size_t)(equals - value)), equals + 1);
  }
  return OK;
}

static const char *key_value(const FigureRequest *request, const char *key) {
  for (int i = 0; i < request->key_count; i++)
    if (strcmp(request->keys[i].key, key) == 0) return request->keys[i].value;
  return NULL;
}

// ---- the study

static Status open_study(FigureRequest *request, const json_t *row, Error *err) {
  const char *name = json_string_value(json_array_get(row, 0));
  const char *text = json_string_value(json_array_get(row, 1));
  const char *updated = json_string_value(json_array_get(row, 2));
  if (!name || !text)
    return error_set(err, ERR_SYNTAX, "corrupt store: its last study has no definition");
  request->is_study = true;
  request->made = updated ? arena_strdup(&request->arena, updated) : NULL;
  return study_read(&request->study, name, text, err);
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

static Status open_runs(FigureRequest *request, Error *err) {
  const char *parameters[MAX_SWEEPS];
  size_t count = 0;
  add_parameter(parameters, &count, key_value(request, "rows"));
  add_parameter(parameters, &count, key_value(request, "columns"));
  add_parameter(parameters, &count, key_value(request, "panels"));
  for (int i = 0; i < request->key_count; i++)
    if (strchr(request->keys[i].key, '.')) add_parameter(parameters, &count, request->keys[i].key);
  return runs_study_read(&request->study, request->store, parameters, count, err);
}

static Status open_source(FigureRequest *request, Error *err) {
  const char *wanted = arguments_value(request->arguments, "--study", NULL);
  json_t *row = NULL;
  if (!arguments_has(request->arguments, "--runs"))
    TRY(study_stored(request->store, wanted, &row, err));
  Status status = row ? open_study(request, row, err) : open_runs(request, err);
  json_decref(row);
  return status;
}

// ---- which figure

// The dimension named by an option; unknown names are rejected later.
static int asked_for(const FigureRequest *request, const char *key) {
  const char *name = key_value(request, key);
  for (uint32_t i = 0; name && i < request->study.dimension_count; i++)
    if (strcmp(request->study.dimensions[i].name, name) == 0) return (int)i;
  return NO_DIMENSION;
}

// Whether a dimension has several values and --where does not select one.
static bool is_open(const FigureRequest *request, int dimension) {
  const StudyDimension *values = &request->study.dimensions[dimension];
  return dimension < (int)request->study.dimension_count && values->count > 1 &&
         !key_value(request, values->name);
}

static int choose_x(const FigureRequest *request) {
  for (int i = BY_SWEEP; i < (int)request->study.dimension_count; i++)
    if (is_open(request, i) && study_is_numeric(&request->study, (Dimension)i)) return i;
  return BY_WORKLOAD;
}

static int choose_series(const FigureRequest *request, int x, int panels) {
  static const int order[] = {BY_SCHEME, BY_SWEEP, BY_SWEEP + 1, BY_GPU, BY_WORKLOAD};
  for (size_t i = 0; i < sizeof order / sizeof *order; i++)
    if (order[i] != x && order[i] != panels && is_open(request, order[i])) return order[i];
  return x == BY_SCHEME || panels == BY_SCHEME ? BY_GPU : BY_SCHEME;
}

// Assigns dimensions that the options leave open: a numeric one to x if there is
// one, then those with several values.
static void choose_dimensions(FigureRequest *request) {
  const Study *study = &request->study;
  int x = asked_for(request, "rows"), series = asked_for(request, "columns");
  int panels = asked_for(request, "panels");
  if (!key_value(request, "rows"))
    add_key(request, "rows", study->dimensions[x = choose_x(request)].name);
  if (!key_value(request, "columns"))
    add_key(request, "columns", study->dimensions[series = choose_series(request, x, panels)].name);
  bool is_lines = x >= BY_SWEEP && study_is_numeric(study, (Dimension)x);
  if (!is_lines && x != BY_WORKLOAD && !key_value(request, "mean"))
    add_key(request, "mean", "none");
  if (is_lines && !key_value(request, "panels") && series != BY_WORKLOAD &&
      is_open(request, BY_WORKLOAD))
    add_key(request, "panels", "workload");
}

static Status unknown_figure(const FigureRequest *request, const char *name, const json_t *all,
                             Error *err) {
  Closest closest = closest_start(name);
  const json_t *figure;
  char known[512] = "";
  size_t i, used = 0;
  for (uint32_t s = 0; s < request->study.figure_count; s++) {
    const char *id = request->study.figures[s].id;
    closest_offer(&closest, id);
    if (used < sizeof known)
      used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", s ? ", " : "", id);
  }
  json_array_foreach(all, i, figure) {
    closest_offer(&closest, json_string_value(json_object_get(figure, "id")));
  }
  if (!request->study.figure_count)
    return error_set(
        err, ERR_USAGE,
        "unknown figure '%.80s': single runs have no named figures; describe one with --metric",
        name);
  return error_set(err, ERR_USAGE, "unknown figure '%.80s'%s%s%s (figures of the study: %s)", name,
                   CLOSEST_HINT(closest), known);
}

static Status measure(FigureRequest *request, json_t **figures, Error *err) {
  FigureNames names = {0};
  json_t *rows = NULL;
  if (!request->study.figure_count) {
    *figures = json_array();
    return OK;
  }
  if (request->is_study) return figures_measure(request->store, &request->study, figures, err);
  Status status = figures_collect_names(&request->study, &request->arena, &names, err);
  if (status == OK) status = runs_study_rows(&request->study, request->store, &names, &rows, err);
  if (status == OK) status = figures_make(&request->study, rows, &names, figures, err);
  json_decref(rows);
  memory_free(names.items);
  return status;
}

// Finds one of several figures expanded from one definition: "speedup-k40".
static Status find_expanded(FigureRequest *request, const char *name, json_t **figures,
                            Error *err) {
  json_t *all, *figure, *found = NULL;
  size_t i;
  TRY(measure(request, &all, err));
  json_array_foreach(all, i, figure) {
    if (strcmp(json_string_value(json_object_get(figure, "id")), name) == 0) found = figure;
  }
  Status status = found ? OK : unknown_figure(request, name, all, err);
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

static void set_scale(FigureRequest *request, Dimension rows) {
  const char *scale = arguments_value(request->arguments, "--scale", "auto");
  if (strcmp(scale, "linear") == 0) request->study.dimensions[rows].scale = SCALE_LINEAR;
  if (strcmp(scale, "log2") == 0) request->study.dimensions[rows].scale = SCALE_LOG2;
}

static Status make_figures(FigureRequest *request, json_t **figures, Error *err) {
  Study *study = &request->study;
  const char *name = request->arguments->operand_count > 1 ? request->arguments->operands[1] : NULL;
  if (name && !study_figure(study, name)) {
    if (request->key_count) return unknown_figure(request, name, NULL, err);
    return find_expanded(request, name, figures, err);
  }
  if (!name && !key_value(request, "statistic"))
    return error_set(err, ERR_USAGE,
                     "no figure given: name one of the study (--list shows them), or describe it: "
                     "--metric l1d.hit_rate --x l1d.size_kb --series scheme");
  const char *metric = key_value(request, "statistic");
  if (metric) TRY(check_metric(request, metric, err));
  if (!name) choose_dimensions(request);
  if (!name && !key_value(request, "title"))
    add_key(request, "title", key_value(request, "statistic"));
  if (!name) name = "figure";
  TRY(study_add_figure(study, name, request->keys, err));
  const FigureSpec *spec = study_figure(study, name);
  request->baseline = find_baseline(study, spec->columns);
  set_scale(request, spec->rows);
  study_keep_figure(study, name);
  return measure(request, figures, err);
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

// ---- requests

Status figure_request_open(FigureRequest *request, const Arguments *arguments, Error *err) {
  *request = (FigureRequest){.arguments = arguments};
  Status status = read_keys(request, err);
  if (status == OK) status = store_open(&request->store, arguments->operands[0], STORE_READ, err);
  if (status == OK) status = store_check_if_small(request->store, err);
  if (status == OK) status = open_source(request, err);
  if (status != OK) figure_request_close(request);
  return status;
}

void figure_request_close(FigureRequest *request) {
  study_clear(&request->study);
  store_close(request->store);
  arena_clear(&request->arena);
  *request = (FigureRequest){0};
}

Status figure_request_all(FigureRequest *request, json_t **figures, Error *err) {
  return measure(request, figures, err);
}

Status figure_request_one(FigureRequest *request, json_t **figure, Error *err) {
  json_t *figures = NULL;
  TRY(make_figures(request, &figures, err));
  Status status = check_one(figures, err);
  if (status == OK) status = check_values(json_array_get(figures, 0), err);
  if (status == OK) *figure = json_incref(json_array_get(figures, 0));
  json_decref(figures);
  return status;
}
