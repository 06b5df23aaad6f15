// SPDX-License-Identifier: MIT
// Tables with a column for each statistic, made when the first row brings it.
//
// A row is a JSON object: numbers, texts and booleans become columns of their
// names, lists of numbers a text ("16x64x1"), and everything else is left out.
#ifndef STORE_WIDE_TABLE_H
#define STORE_WIDE_TABLE_H

#include <jansson.h>
#include <stdint.h>

#include "base/error.h"

typedef struct Store Store;
typedef struct WideTable WideTable;

// kernel < 0: none. A table that is not there is made, as a table of rows with
// columns `run` and `kernel`.
Status wide_table_insert(Store *store, const char *name, int64_t run, int64_t kernel,
                         const json_t *row, Error *err);
// Makes the table and the column where there is none.
Status wide_table_add_column(Store *store, const char *name, const char *column, Error *err);
void wide_tables_clear(Store *store);

#endif
