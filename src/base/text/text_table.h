// SPDX-License-Identifier: MIT
// Tables for terminals: columns as wide as their widest cell, a heading in bold and coloured
// cells on a terminal, plain text in a file or pipe.
//
// A table that is too wide for its terminal is folded, and nothing is left out: texts continue on
// further lines of their column, that of the last column below its row; numbers go to further
// blocks of rows, which repeat the key columns.
#ifndef BASE_TEXT_TEXT_TABLE_H
#define BASE_TEXT_TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/text/terminal.h"

enum { TEXT_TABLE_COLUMNS = 64 };

typedef struct TextCell {
  const char *text;
  TextStyle style;
} TextCell;

typedef struct TextTable {
  Arena arena;
  const char *headings[TEXT_TABLE_COLUMNS];
  bool right[TEXT_TABLE_COLUMNS];
  uint32_t column_count;
  uint32_t key_columns;  // that identify a row; 1 unless set after text_table_init
  TextCell *cells;       // row after row
  size_t cell_count, cell_capacity;
} TextTable;

// Columns are "name", or ">name" for right alignment; the list is NULL-terminated. A
// zeroed TextTable is ready for use.
void text_table_init(TextTable *table, const char *const *columns);
void text_table_clear(TextTable *table);

// The next cell, from left to right and row by row.
void text_table_add(TextTable *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// The same for a number, with digits in groups of three.
void text_table_add_count(TextTable *table, uint64_t number);

// Styles the cell that was added last.
void text_table_style(TextTable *table, TextStyle style);

// Without headings if none has a name. indent: spaces before each row.
void text_table_print(const TextTable *table, FILE *file, int indent);

// Writes number with commas between groups of three digits; returns out.
enum { GROUPED_BYTES = 32 };
const char *text_grouped(char out[GROUPED_BYTES], uint64_t number);

// Columns that a text takes: characters of UTF-8, each assumed to take one.
int text_width(const char *text);

// Whether bars and bold text are shown: terminal_has_color.
bool text_is_terminal(FILE *file);

#endif
