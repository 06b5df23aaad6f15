// SPDX-License-Identifier: MIT
// Rows of a store as a table for people, CSV, or JSON.
#ifndef CLI_ROWS_PRINT_H
#define CLI_ROWS_PRINT_H

#include <stdio.h>

#include "base/text_table.h"
#include "store/store.h"

typedef enum RowsFormat { ROWS_TABLE, ROWS_CSV, ROWS_JSON } RowsFormat;

typedef struct RowsPrinter {
  FILE *file;
  RowsFormat format;
  TextTable table;
  Arena arena;
  uint64_t count;
} RowsPrinter;

// Give to store_query as `self`; then finish.
Status rows_print(void *printer, const StoreRow *row, Error *err);
void rows_print_finish(RowsPrinter *printer);

#endif
