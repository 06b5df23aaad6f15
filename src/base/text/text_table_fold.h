// SPDX-License-Identifier: MIT
// Prints a table in the columns of a terminal; only text_table.c includes this.
#ifndef BASE_TEXT_TEXT_TABLE_FOLD_H
#define BASE_TEXT_TEXT_TABLE_FOLD_H

#include "base/text/text_table.h"

typedef struct TextLayout {
  const TextTable *table;
  FILE *file;
  int indent;
  int widths[TEXT_TABLE_COLUMNS];  // of the widest cell or heading; less if cells are folded
  // columns of the block that is printed: the keys, then first..last - 1
  uint32_t keys, first, last;
} TextLayout;

// columns: of the terminal; 0: unlimited.
void text_table_fold(TextLayout *layout, int columns);

#endif
