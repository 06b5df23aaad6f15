// SPDX-License-Identifier: MIT
// Prints rows of a store as an aligned table, CSV or JSON.
#ifndef STORE_ROWS_PRINT_H
#define STORE_ROWS_PRINT_H

#include <stdio.h>

#include "base/text/text_table.h"
#include "store/store.h"

typedef enum RowsFormat { ROWS_TABLE, ROWS_CSV, ROWS_JSON } RowsFormat;

typedef struct RowsPrinter {
  FILE *file;
  RowsFormat format;
  TextTable table;
  Arena arena;
  uint64_t count;
} RowsPrinter;

// Callback for store_query, with the printer as `self`; call rows_print_finish afterwards.
Status rows_print(void *printer, const StoreRow *row, Error *err);
void rows_print_finish(RowsPrinter *printer);

#endif
