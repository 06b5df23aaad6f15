// SPDX-License-Identifier: MIT
// Figures for a terminal: measured values by column of the figure, next to the paper's
// values if there are any.
#include <math.h>
#include <string.h>

#include "base/text/text_table.h"
#include "study/figures/figure.h"
#include "study/figures/figure_seeds.h"

enum { MOST_COLUMNS = (TEXT_TABLE_COLUMNS - 2) / 2 };

static bool is_known_in(const json_t *panel, size_t column) {
  const json_t *row, *mean;
  size_t i;
  json_array_foreach(json_object_get(panel, "paper"), i,
                     row) if (json_is_number(json_array_get(row, column))) return true;
  json_array_foreach(
      json_object_get(panel, "means"), i,
      mean) if (json_is_number(json_array_get(json_object_get(mean, "paper"), column))) return true;
  return false;
}

// Relative to a baseline, a difference within the interval is marked.
static void add_estimate(TextTable *table, double number, double half_width, bool is_relative) {
  const char *format = fabs(number) >= 10000 ? "%.0f ±%.0f%s"
                       : fabs(number) >= 100 ? "%.1f ±%.1f%s"
                                             : "%.3f ±%.3f%s";
  bool is_chance = is_relative && estimate_is_chance(number, half_width);
  text_table_add(table, format, number, half_width, is_chance ? " ~" : "");
}

// chosen: the column that it is the value of, where it is the best of several.
static void add_number(TextTable *table, const json_t *value, const char *chosen) {
  double number = json_number_value(value);
  if (!json_is_number(value))
    text_table_add(table, "-");
  else if (chosen)
    text_table_add(table, fabs(number) >= 100 ? "%.1f (%s)" : "%.3f (%s)", number, chosen);
  else if (fabs(number) >= 10000)
    text_table_add_count(table, (uint64_t)fabs(number));
  else
    text_table_add(table, fabs(number) >= 100 ? "%.1f" : "%.3f", number);
}

// What a row shows: lists by column, NULL if there is none of a kind.
typedef struct Row {
  const char *label;
  const json_t *measured, *interval, *paper, *best;
} Row;

static void add_row(TextTable *table, const Row *row, const bool *has_paper, bool is_relative) {
  text_table_add(table, "%s", row->label);
  for (size_t i = 0; i < json_array_size(row->measured) && i < MOST_COLUMNS; i++) {
    const json_t *value = json_array_get(row->measured, i);
    const json_t *half_width = json_array_get(row->interval, i);
    if (json_number_value(half_width) > 0)
      add_estimate(table, json_number_value(value), json_number_value(half_width), is_relative);
    else
      add_number(table, value, json_string_value(json_array_get(row->best, i)));
    if (has_paper[i]) add_number(table, json_array_get(row->paper, i), NULL);
  }
}

static const char *text_of(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

static void init_table(TextTable *table, Arena *arena, const json_t *figure, const json_t *panel,
                       bool has_paper[MOST_COLUMNS]) {
  const char *columns[TEXT_TABLE_COLUMNS + 1] = {text_of(figure, "row_dimension")};
  const json_t *item;
  size_t i, count = 1;
  json_array_foreach(json_object_get(figure, "columns"), i, item) {
    if (i == MOST_COLUMNS) break;
    has_paper[i] = is_known_in(panel, i);
    columns[count++] = arena_printf(arena, ">%s", text_of(item, "name"));
    if (has_paper[i]) columns[count++] = ">paper";
  }
  text_table_init(table, columns);
}

static void print_panel(const json_t *figure, const json_t *panel, FILE *file) {
  TextTable table = {0};
  Arena arena = {0};
  bool has_paper[MOST_COLUMNS] = {0};
  const json_t *item, *mean;
  size_t i;
  init_table(&table, &arena, figure, panel, has_paper);
  bool is_relative = strcmp(text_of(figure, "as"), "value") != 0;
  json_array_foreach(json_object_get(figure, "rows"), i, item) {
    Row row = {.label = text_of(item, "name"),
               .measured = json_array_get(json_object_get(panel, "measured"), i),
               .interval = json_array_get(json_object_get(panel, "interval"), i),
               .paper = json_array_get(json_object_get(panel, "paper"), i),
               .best = json_array_get(json_object_get(panel, "best"), i)};
    add_row(&table, &row, has_paper, is_relative);
  }
  json_array_foreach(json_object_get(panel, "means"), i, mean) {
    Row row = {.label = text_of(mean, "label"),
               .measured = json_object_get(mean, "measured"),
               .interval = json_object_get(mean, "interval"),
               .paper = json_object_get(mean, "paper")};
    add_row(&table, &row, has_paper, is_relative);
  }
  if (text_of(panel, "title"))
    fprintf(file, "  %s %s\n", text_of(figure, "panel_dimension"), text_of(panel, "title"));
  text_table_print(&table, file, text_of(panel, "title") ? 4 : 2);
  text_table_clear(&table);
  arena_clear(&arena);
}

static void print_one(const json_t *figure, FILE *file) {
  const json_t *panel, *note;
  size_t i;
  fprintf(file, "\n%s\n", text_of(figure, "title"));
  json_array_foreach(json_object_get(figure, "panels"), i, panel) print_panel(figure, panel, file);
  json_array_foreach(json_object_get(figure, "mean_notes"), i, note)
      fprintf(file, "  %s\n", json_string_value(note));
  if (json_object_get(figure, "seeds"))
    fprintf(file, "  ± 95 %% confidence over %d seeds%s\n",
            (int)json_integer_value(json_object_get(figure, "seeds")),
            strcmp(text_of(figure, "as"), "value") == 0 ? "" : "; ~ within it of the baseline");
  if (text_of(figure, "source")) fprintf(file, "  paper: %s\n", text_of(figure, "source"));
  if (text_of(figure, "note")) fprintf(file, "  %s\n", text_of(figure, "note"));
  if (json_array_size(json_object_get(figure, "columns")) > MOST_COLUMNS)
    fprintf(file, "  (the first %d columns are shown; the report has all)\n", MOST_COLUMNS);
}

void figures_print(const json_t *figures, FILE *file) {
  const json_t *figure;
  size_t i;
  json_array_foreach(figures, i, figure) print_one(figure, file);
}
