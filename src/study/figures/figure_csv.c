// SPDX-License-Identifier: MIT
// Writes a figure as CSV: one line per value, preceded by its coordinates.
#include "study/figures/figure_csv.h"

#include "store/rows_print.h"
#include "study/study.h"

enum { MOST_COLUMNS = MAX_DIMENSIONS + 4 };

typedef struct Csv {
  RowsPrinter printer;
  const json_t *figure;
  const char *columns[MOST_COLUMNS], *texts[MOST_COLUMNS];
  int count, named;  // columns; those preceding the values
  bool has_intervals;
} Csv;

static const char *text_of(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

// Means are labelled by their kind, other items by name.
static const char *name_of(const json_t *item) {
  return text_of(item, json_is_true(json_object_get(item, "mean")) ? "title" : "name");
}

static const char *number_text(const json_t *value, char out[32]) {
  if (!json_is_number(value)) return NULL;
  if (json_is_integer(value))
    snprintf(out, 32, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
  else
    snprintf(out, 32, "%.10g", json_number_value(value));
  return out;
}

static Status print_row(Csv *csv, Error *err) {
  bool is_number[MOST_COLUMNS] = {0};
  StoreRow row = {csv->count, csv->columns, csv->texts, is_number};
  return rows_print(&csv->printer, &row, err);
}

static Status print_cells(Csv *csv, const char *row, const json_t *measured, const json_t *interval,
                          const json_t *paper, const json_t *best, Error *err) {
  const json_t *column;
  size_t i;
  csv->texts[0] = row;
  json_array_foreach(json_object_get(csv->figure, "columns"), i, column) {
    char numbers[3][32];
    int at = csv->named;
    csv->texts[1] = name_of(column);
    csv->texts[at++] = number_text(json_array_get(measured, i), numbers[0]);
    if (csv->has_intervals) csv->texts[at++] = number_text(json_array_get(interval, i), numbers[2]);
    csv->texts[at++] = number_text(json_array_get(paper, i), numbers[1]);
    csv->texts[at] = json_string_value(json_array_get(best, i));
    TRY(print_row(csv, err));
  }
  return OK;
}

static Status print_panel(Csv *csv, const json_t *panel, Error *err) {
  const json_t *row, *mean;
  size_t i;
  if (json_is_string(json_object_get(csv->figure, "panel_dimension")))
    csv->texts[2] = name_of(panel);
  json_array_foreach(json_object_get(csv->figure, "rows"), i, row) {
    TRY(print_cells(csv, name_of(row), json_array_get(json_object_get(panel, "measured"), i),
                    json_array_get(json_object_get(panel, "interval"), i),
                    json_array_get(json_object_get(panel, "paper"), i),
                    json_array_get(json_object_get(panel, "best"), i), err));
  }
  json_array_foreach(json_object_get(panel, "means"), i, mean) {
    TRY(print_cells(csv, text_of(mean, "label"), json_object_get(mean, "measured"),
                    json_object_get(mean, "interval"), json_object_get(mean, "paper"), NULL, err));
  }
  return OK;
}

static void name_columns(Csv *csv) {
  const json_t *fixed;
  size_t i;
  csv->columns[csv->count++] = text_of(csv->figure, "row_dimension");
  csv->columns[csv->count++] = text_of(csv->figure, "column_dimension");
  if (json_is_string(json_object_get(csv->figure, "panel_dimension")))
    csv->columns[csv->count++] = text_of(csv->figure, "panel_dimension");
  json_array_foreach(json_object_get(csv->figure, "fixed"), i, fixed) {
    csv->texts[csv->count] = text_of(fixed, "name");
    csv->columns[csv->count++] = text_of(fixed, "dimension");
  }
  csv->named = csv->count;
  csv->columns[csv->count++] = "measured";
  csv->has_intervals = json_object_get(csv->figure, "seeds") != NULL;
  if (csv->has_intervals) csv->columns[csv->count++] = "interval";
  csv->columns[csv->count++] = "paper";
  if (json_object_get(json_array_get(json_object_get(csv->figure, "panels"), 0), "best"))
    csv->columns[csv->count++] = "best";
}

Status figure_write_csv(const json_t *figure, FILE *file, Error *err) {
  Csv csv = {.printer = {.file = file, .format = ROWS_CSV}, .figure = figure};
  const json_t *panel;
  size_t i;
  name_columns(&csv);
  StoreRow heading = {csv.count, csv.columns, NULL, NULL};
  TRY(rows_print(&csv.printer, &heading, err));
  json_array_foreach(json_object_get(figure, "panels"), i, panel) {
    TRY(print_panel(&csv, panel, err));
  }
  rows_print_finish(&csv.printer);
  return OK;
}
