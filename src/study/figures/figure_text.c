// SPDX-License-Identifier: MIT
// Figures for a terminal: measured values by column of the figure, next to the paper's
// values if there are any.
#include <math.h>
#include <string.h>

#include "base/text/text_table.h"
#include "study/figures/figure.h"

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

static void add_row(TextTable *table, const char *label, const json_t *measured,
                    const json_t *paper, const json_t *best, const bool *has_paper) {
  text_table_add(table, "%s", label);
  for (size_t i = 0; i < json_array_size(measured) && i < MOST_COLUMNS; i++) {
    add_number(table, json_array_get(measured, i), json_string_value(json_array_get(best, i)));
    if (has_paper[i]) add_number(table, json_array_get(paper, i), NULL);
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
  json_array_foreach(json_object_get(figure, "rows"), i, item)
      add_row(&table, text_of(item, "name"), json_array_get(json_object_get(panel, "measured"), i),
              json_array_get(json_object_get(panel, "paper"), i),
              json_array_get(json_object_get(panel, "best"), i), has_paper);
  json_array_foreach(json_object_get(panel, "means"), i, mean)
      add_row(&table, text_of(mean, "label"), json_object_get(mean, "measured"),
              json_object_get(mean, "paper"), NULL, has_paper);
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
