// SPDX-License-Identifier: MIT
// Tables for terminals: columns as wide as their widest cell, a heading in bold and coloured cells
// on a terminal, plain text in a file or pipe.
#include "base/text/text_table.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/memory.h"
#include "base/text/text_table_fold.h"

enum { CELL_BYTES = 1024 };

void text_table_init(TextTable *table, const char *const *columns) {
  *table = (TextTable){.key_columns = 1};
  for (; columns[table->column_count]; table->column_count++) {
    uint32_t i = table->column_count;
    assert(i < TEXT_TABLE_COLUMNS);
    table->right[i] = columns[i][0] == '>';
    table->headings[i] = columns[i] + table->right[i];
  }
}

void text_table_clear(TextTable *table) {
  memory_free(table->cells);
  arena_clear(&table->arena);
  *table = (TextTable){0};
}

void text_table_add(TextTable *table, const char *format, ...) {
  char text[CELL_BYTES];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  GROW(table->cells, table->cell_count, table->cell_capacity);
  table->cells[table->cell_count++] = (TextCell){.text = arena_strdup(&table->arena, text)};
}

void text_table_style(TextTable *table, TextStyle style) {
  assert(table->cell_count);
  table->cells[table->cell_count - 1].style = style;
}

const char *text_grouped(char out[GROUPED_BYTES], uint64_t number) {
  char digits[GROUPED_BYTES];
  int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number), to = 0;
  for (int i = 0; i < length; i++) {
    if (i > 0 && (length - i) % 3 == 0) out[to++] = ',';
    out[to++] = digits[i];
  }
  out[to] = '\0';
  return out;
}

void text_table_add_count(TextTable *table, uint64_t number) {
  char text[GROUPED_BYTES];
  text_table_add(table, "%s", text_grouped(text, number));
}

int text_width(const char *text) {
  int width = 0;
  for (; *text; text++) width += (*text & 0xc0) != 0x80;
  return width;
}

bool text_is_terminal(FILE *file) {
  return terminal_has_color(file);
}

static void measure(const TextTable *table, int widths[TEXT_TABLE_COLUMNS]) {
  uint32_t columns = table->column_count;
  for (uint32_t i = 0; i < columns; i++) widths[i] = text_width(table->headings[i]);
  for (size_t i = 0; i < table->cell_count; i++) {
    int width = text_width(table->cells[i].text);
    if (width > widths[i % columns]) widths[i % columns] = width;
  }
}

void text_table_print(const TextTable *table, FILE *file, int indent) {
  TextLayout layout = {.table = table, .file = file, .indent = indent};
  if (!table->column_count) return;
  measure(table, layout.widths);
  text_table_fold(&layout, terminal_width(file));
}
