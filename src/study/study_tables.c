// SPDX-License-Identifier: MIT
// Tables of texts and numbers besides a study's figures, as JSON: {"kind": "table", "id", "title",
// "source", "columns": [...], "rows": [[...]...], "notes": [...]}.
#include "study/study_tables.h"

#include "base/text/text_table.h"
#include "store/rows_print.h"

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

// ---- CSV

static const char *cell_text(Arena *arena, const json_t *cell) {
  if (json_is_string(cell)) return json_string_value(cell);
  return json_is_number(cell) ? arena_printf(arena, "%.10g", json_number_value(cell)) : NULL;
}

static StoreRow row_of(Arena *arena, const json_t *cells, const json_t *columns, bool is_heading) {
  int count = (int)json_array_size(columns);
  const char **texts = ARENA_ARRAY(arena, const char *, (size_t)count + 1);
  bool *is_number = ARENA_ARRAY(arena, bool, (size_t)count + 1);
  for (int i = 0; i < count; i++) texts[i] = cell_text(arena, json_array_get(cells, (size_t)i));
  return is_heading ? (StoreRow){count, texts, NULL, NULL}
                    : (StoreRow){count, NULL, texts, is_number};
}

Status study_table_write_csv(const json_t *table, FILE *file, Error *err) {
  RowsPrinter printer = {.file = file, .format = ROWS_CSV};
  const json_t *columns = json_object_get(table, "columns"), *row;
  Arena arena = {0};
  size_t i;
  StoreRow heading = row_of(&arena, columns, columns, true);
  Status status = rows_print(&printer, &heading, err);
  json_array_foreach(json_object_get(table, "rows"), i, row) {
    StoreRow one = row_of(&arena, row, columns, false);
    if (status == OK) status = rows_print(&printer, &one, err);
  }
  rows_print_finish(&printer);
  arena_clear(&arena);
  return status;
}
