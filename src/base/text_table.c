// SPDX-License-Identifier: MIT
#include "base/text_table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

enum { CELL_BYTES = 1024 };

void text_table_init(TextTable *table, const char *const *columns) {
  *table = (TextTable){0};
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
  table->cells[table->cell_count++] = arena_strdup(&table->arena, text);
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

bool text_is_terminal(FILE *file) {
  const char *no_color = getenv("NO_COLOR");
  return (!no_color || !*no_color) && isatty(fileno(file));
}

static void print_row(const TextTable *table, const char *const *cells, size_t count,
                      const int *widths, FILE *file, int indent) {
  fprintf(file, "%*s", indent, "");
  for (size_t i = 0; i < count; i++) {
    // Nothing follows the last column, so it needs no padding.
    int width = i + 1 == count && !table->right[i] ? 0 : widths[i];
    fprintf(file, "%s%*s", i ? "  " : "", table->right[i] ? width : -width, cells[i]);
  }
}

void text_table_print(const TextTable *table, FILE *file, int indent) {
  int widths[TEXT_TABLE_COLUMNS] = {0};
  uint32_t columns = table->column_count;
  bool named = false;
  for (uint32_t i = 0; i < columns; i++) {
    widths[i] = (int)strlen(table->headings[i]);
    named |= widths[i] > 0;
  }
  for (size_t i = 0; i < table->cell_count; i++) {
    int width = (int)strlen(table->cells[i]);
    if (width > widths[i % columns]) widths[i % columns] = width;
  }
  if (named) {
    bool bold = text_is_terminal(file);
    fputs(bold ? "\033[1m" : "", file);
    print_row(table, table->headings, columns, widths, file, indent);
    fputs(bold ? "\033[0m\n" : "\n", file);
  }
  for (size_t i = 0; i < table->cell_count; i += columns) {
    size_t left = table->cell_count - i;
    print_row(table, table->cells + i, left < columns ? left : columns, widths, file, indent);
    fputc('\n', file);
  }
}
