// SPDX-License-Identifier: MIT
#include "study/study_tables.h"

#include "base/text/text_table.h"

static bool is_numeric(const json_t *rows, size_t column) {
  const json_t *row;
  size_t i;
  json_array_foreach(rows, i, row) {
    if (json_is_number(json_array_get(row, column))) return true;
  }
  return false;
}

static void init(TextTable *table, Arena *arena, const json_t *columns, const json_t *rows) {
  const char *headings[TEXT_TABLE_COLUMNS + 1] = {0};
  const json_t *column;
  size_t i;
  json_array_foreach(columns, i, column) {
    if (i == TEXT_TABLE_COLUMNS) break;
    headings[i] =
        arena_printf(arena, "%s%s", is_numeric(rows, i) ? ">" : "", json_string_value(column));
  }
  text_table_init(table, headings);
}

static void add_cell(TextTable *table, const json_t *cell) {
  if (json_is_string(cell))
    text_table_add(table, "%s", json_string_value(cell));
  else if (json_is_number(cell))
    text_table_add(table, "%.6g", json_number_value(cell));
  else
    text_table_add(table, "-");
}

static void print_one(const json_t *object, FILE *file) {
  const json_t *columns = json_object_get(object, "columns");
  const json_t *rows = json_object_get(object, "rows"), *row, *note;
  const char *source = json_string_value(json_object_get(object, "source"));
  TextTable table = {0};
  Arena arena = {0};
  size_t i;
  init(&table, &arena, columns, rows);
  json_array_foreach(rows, i, row) {
    for (size_t c = 0; c < table.column_count; c++) add_cell(&table, json_array_get(row, c));
  }
  fprintf(file, "\n%s\n", json_string_value(json_object_get(object, "title")));
  text_table_print(&table, file, 2);
  json_array_foreach(json_object_get(object, "notes"), i, note)
      fprintf(file, "  %s\n", json_string_value(note));
  if (source) fprintf(file, "  paper: %s\n", source);
  text_table_clear(&table);
  arena_clear(&arena);
}

void study_tables_print(const json_t *tables, FILE *file) {
  const json_t *table;
  size_t i;
  json_array_foreach(tables, i, table) print_one(table, file);
}
