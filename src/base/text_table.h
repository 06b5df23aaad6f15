// SPDX-License-Identifier: MIT
// Tables for terminals: columns as wide as their widest cell, a heading in
// bold when a person is looking, plain text when it goes to a file or pipe.
#ifndef BASE_TEXT_TABLE_H
#define BASE_TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"

enum { TEXT_TABLE_COLUMNS = 64 };

typedef struct TextTable {
  Arena arena;
  const char *headings[TEXT_TABLE_COLUMNS];
  bool right[TEXT_TABLE_COLUMNS];
  uint32_t column_count;
  const char **cells;  // row after row
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

// Without headings if none has a name. indent: spaces before each row.
void text_table_print(const TextTable *table, FILE *file, int indent);

// Writes number with commas between groups of three digits; returns out.
enum { GROUPED_BYTES = 32 };
const char *text_grouped(char out[GROUPED_BYTES], uint64_t number);

// Whether a person looks at this file: a terminal, and NO_COLOR is not set.
bool text_is_terminal(FILE *file);

#endif
