// SPDX-License-Identifier: MIT
// A file of tab-separated cells under a line of column names.
#ifndef BENCH_SUPPORT_TAB_TABLE_H
#define BENCH_SUPPORT_TAB_TABLE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

enum { TAB_TABLE_MOST_COLUMNS = 32 };

// Takes one row; the cells live as long as the arena.
typedef Status TabRow(void *to, char *const *cells, Error *err);

// Reads the file into the arena and gives its rows to `take`, in order. Fails, naming the file and
// the row, if the columns are others than `columns` or a row has more or fewer cells.
Status tab_table_read(const char *path, const char *const *columns, uint32_t column_count,
                      TabRow *take, void *to, Arena *arena, Error *err);

#endif
