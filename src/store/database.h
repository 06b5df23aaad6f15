// SPDX-License-Identifier: MIT
// SQLite, as the files of this room use it.
#ifndef STORE_DATABASE_H
#define STORE_DATABASE_H

#include <sqlite3.h>
#include <stdarg.h>

#include "store/process.h"
#include "store/store.h"
#include "store/wide_table.h"

struct Store {
  sqlite3 *db;
  char *path;
  WideTable *tables;  // that this process has written to
};

// What SQLite says has gone wrong, as an error of ours.
Status store_error(Store *store, Error *err);

Status store_prepare(Store *store, const char *sql, sqlite3_stmt **statement, Error *err);
// i int64_t, d double, t const char * (NULL: null)
void store_bind(sqlite3_stmt *statement, const char *types, va_list values);
// Runs a statement and discards its rows.
Status store_run(Store *store, Error *err, const char *sql, const char *types, ...);
// The first column of the first row; `otherwise` if there is none or it is null.
Status store_number(Store *store, int64_t *number, int64_t otherwise, Error *err, const char *sql,
                    const char *types, ...);

// Starts a write transaction, which locks the file immediately. End it with the status of
// the operations: it is committed if OK, else rolled back.
Status store_begin(Store *store, Error *err);
Status store_end(Store *store, Status status, Error *err);

#endif
