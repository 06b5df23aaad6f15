// SPDX-License-Identifier: MIT
#include "study/figure.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "study/expression.h"
#include "study/results.h"

typedef struct Names {
  const char **items;
  size_t count, capacity;
} Names;

// One figure for one value of its third dimension.
typedef struct Panel {
  const Study *study;
  const FigureSpec *spec;
  const json_t *results;
  const Names *names;
  const Expression *expression;
  Dimension third;
  uint32_t third_at;
  uint32_t rows, columns;
  double *values;  // row by row; NAN: not known
} Panel;

// ---- the statistics that figures want

static void add_name(void *self, const char *name) {
  Names *names = self;
  for (size_t i = 0; i < names->count; i++)
    if (strcmp(names->items[i], name) == 0) return;
  GROW(names->items, names->count, names->capacity);
  names->items[names->count++] = name;
}

static Status collect_names(const Study *study, Arena *arena, Names *names, Error *err) {
  Expression *expression;
  for (uint32_t i = 0; i < study->figure_count; i++) {
    TRY(expression_parse(&expression, arena, study->figures[i].statistic, err));
    expression_names(expression, add_name, names);
  }
  return OK;
}

// ---- cells

typedef struct ResultRow {
  const Names *names;
  const json_t *row;
} ResultRow;

static bool statistic_of(void *self, const char *name, double *value) {
  const ResultRow *result = self;
  for (size_t i = 0; i < result->names->count; i++) {
    if (strcmp(result->names->items[i], name) != 0) continue;
    const json_t *cell = json_array_get(result->row, RESULT_NAMES + i);
    *value = json_number_value(cell);
    return json_is_number(cell);
  }
  return false;
}

static double plain_value(const Panel *panel, uint32_t row, uint32_t column) {
  uint32_t at[DIMENSIONS];
  at[panel->spec->rows] = row;
  at[panel->spec->columns] = column;
  at[panel->third] = panel->third_at;
  size_t position = study_position(panel->study, at);
  ResultRow result = {panel->names,
                      json_array_get(json_object_get(panel->results, "rows"), position)};
  double value;
  return expression_value(panel->expression, statistic_of, &result, &value) ? value : NAN;
}

static uint32_t baseline_at(const Panel *panel) {
  const FigureSpec *spec = panel->spec;
  const StudyItem *item = study_item(panel->study, spec->columns, spec->baseline);
  return (uint32_t)(item - panel->study->items[spec->columns]);
}

static double by(double a, double b) {
  return b != 0 ? a / b : NAN;
}

static void measure(Panel *panel) {
  const FigureSpec *spec = panel->spec;
  for (uint32_t row = 0; row < panel->rows; row++)
    for (uint32_t column = 0; column < panel->columns; column++) {
      double value = plain_value(panel, row, column);
      if (spec->as != AS_VALUE) {
        double base = plain_value(panel, row, baseline_at(panel));
        value = spec->as == AS_SPEEDUP ? by(base, value) : by(value, base);
      }
      panel->values[row * panel->columns + column] = value;
    }
}

// ---- means

static const char *group_of(const Panel *panel, uint32_t row) {
  return panel->study->items[panel->spec->rows][row].group;
}

static bool is_of_group(const Panel *panel, uint32_t row, const char *group) {
  const char *own = group_of(panel, row);
  return !group || (own && strcmp(own, group) == 0);
}

static double mean_of(const Panel *panel, uint32_t column, const char *group) {
  double sum = 0;
  uint32_t count = 0;
  bool is_geometric = panel->spec->mean == MEAN_GEOMETRIC;
  for (uint32_t row = 0; row < panel->rows; row++) {
    double value = panel->values[row * panel->columns + column];
    if (!is_of_group(panel, row, group) || isnan(value)) continue;
    if (is_geometric && value <= 0) return NAN;
    sum += is_geometric ? log(value) : value;
    count++;
  }
  if (!count) return NAN;
  return is_geometric ? exp(sum / count) : sum / count;
}

// ---- as JSON

static json_t *number_json(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

static json_t *paper_json(const Panel *panel, const char *row, uint32_t column) {
  const char *name = panel->study->items[panel->spec->columns][column].name;
  for (uint32_t i = 0; i < panel->spec->paper_count; i++) {
    const PaperNumber *paper = &panel->spec->papers[i];
    if (strcmp(paper->row, row) == 0 && strcmp(paper->column, name) == 0)
      return json_real(paper->value);
  }
  return json_null();
}

static json_t *mean_json(const Panel *panel, const char *group) {
  json_t *mean = json_object(), *measured = json_array(), *paper = json_array();
  char row[128], label[160];
  const char *kind = panel->spec->mean == MEAN_GEOMETRIC ? "geometric mean" : "mean";
  snprintf(row, sizeof row, group ? "mean:%.100s" : "mean", group);
  snprintf(label, sizeof label, "%s%s%.100s", kind, group ? ", " : "", group ? group : "");
  for (uint32_t column = 0; column < panel->columns; column++) {
    json_array_append_new(measured, number_json(mean_of(panel, column, group)));
    json_array_append_new(paper, paper_json(panel, row, column));
  }
  json_object_set_new(mean, "label", json_string(label));
  json_object_set_new(mean, "group", group ? json_string(group) : json_null());
  json_object_set_new(mean, "measured", measured);
  json_object_set_new(mean, "paper", paper);
  return mean;
}

// Of each group, in the order in which they first come, and of all.
static json_t *means_json(const Panel *panel) {
  json_t *means = json_array();
  if (panel->spec->mean == MEAN_NONE) return means;
  for (uint32_t row = 0; row < panel->rows; row++) {
    const char *group = group_of(panel, row);
    bool is_first = group != NULL;
    for (uint32_t before = 0; before < row && is_first; before++)
      is_first = !is_of_group(panel, before, group);
    if (is_first) json_array_append_new(means, mean_json(panel, group));
  }
  json_array_append_new(means, mean_json(panel, NULL));
  return means;
}

static json_t *items_json(const Study *study, Dimension dimension) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < study->item_count[dimension]; i++) {
    const StudyItem *item = &study->items[dimension][i];
    json_array_append_new(list, json_pack("{s:s, s:s, s:s?}", "name", item->name, "title",
                                          item->title, "group", item->group));
  }
  return list;
}

static void set_cells(const Panel *panel, json_t *figure) {
  json_t *measured = json_array(), *paper = json_array();
  for (uint32_t row = 0; row < panel->rows; row++) {
    json_t *values = json_array(), *numbers = json_array();
    const char *name = panel->study->items[panel->spec->rows][row].name;
    for (uint32_t column = 0; column < panel->columns; column++) {
      double value = panel->values[row * panel->columns + column];
      json_array_append_new(values, number_json(value));
      json_array_append_new(numbers, paper_json(panel, name, column));
    }
    json_array_append_new(measured, values);
    json_array_append_new(paper, numbers);
  }
  json_object_set_new(figure, "measured", measured);
  json_object_set_new(figure, "paper", paper);
}

static json_t *panel_json(const Panel *panel, bool is_one_of_many) {
  static const char *const as_names[] = {"value", "speedup", "ratio"};
  const FigureSpec *spec = panel->spec;
  const StudyItem *third = &panel->study->items[panel->third][panel->third_at];
  json_t *figure = json_object();
  json_object_set_new(
      figure, "id",
      is_one_of_many ? json_sprintf("%s-%s", spec->id, third->name) : json_string(spec->id));
  json_object_set_new(figure, "title",
                      is_one_of_many ? json_sprintf("%s, %s", spec->title, third->title)
                                     : json_string(spec->title));
  json_object_update_new(
      figure,
      json_pack("{s:s, s:s, s:s?, s:s?, s:s?, s:s, s:s, s:s, s:s}", "statistic", spec->statistic,
                "as", as_names[spec->as], "baseline", spec->baseline, "note", spec->note, "source",
                spec->source, "row_dimension", dimension_names[spec->rows], "column_dimension",
                dimension_names[spec->columns], "fixed_dimension", dimension_names[panel->third],
                "fixed", third->name));
  json_object_set_new(figure, "rows", items_json(panel->study, spec->rows));
  json_object_set_new(figure, "columns", items_json(panel->study, spec->columns));
  set_cells(panel, figure);
  json_object_set_new(figure, "means", means_json(panel));
  return figure;
}

static void add_panels(Panel *panel, json_t *figures) {
  const Study *study = panel->study;
  const FigureSpec *spec = panel->spec;
  panel->third = (Dimension)(BY_WORKLOAD + BY_GPU + BY_SCHEME - spec->rows - spec->columns);
  panel->rows = study->item_count[spec->rows];
  panel->columns = study->item_count[spec->columns];
  panel->values = memory_alloc(sizeof(double) * panel->rows * panel->columns);
  const char *only = spec->only[panel->third];
  for (uint32_t i = 0; i < study->item_count[panel->third]; i++) {
    if (only && strcmp(only, study->items[panel->third][i].name) != 0) continue;
    panel->third_at = i;
    measure(panel);
    json_array_append_new(figures, panel_json(panel, !only && study->item_count[panel->third] > 1));
  }
  memory_free(panel->values);
}

Status figures_measure(Store *store, const Study *study, json_t **figures, Error *err) {
  Arena arena = {0};
  Names names = {0};
  json_t *results = NULL;
  *figures = json_array();
  Status status = collect_names(study, &arena, &names, err);
  if (status == OK)
    status = study_results(store, study->name, names.items, names.count, &results, err);
  for (uint32_t i = 0; i < study->figure_count && status == OK; i++) {
    Expression *expression;
    Panel panel = {study, &study->figures[i], results, &names, .third_at = 0};
    status = expression_parse(&expression, &arena, study->figures[i].statistic, err);
    panel.expression = expression;
    if (status == OK) add_panels(&panel, *figures);
  }
  json_decref(results);
  memory_free(names.items);
  arena_clear(&arena);
  if (status != OK) {
    json_decref(*figures);
    *figures = NULL;
  }
  return status;
}
