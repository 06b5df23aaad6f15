// SPDX-License-Identifier: MIT
// Queries: Heddle's own and those of users.
#include <string.h>

#include "base/text/json_text.h"
#include "base/memory.h"
#include "store/database.h"

// ---- our own questions

static json_t *value_json(sqlite3_stmt *statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER: return json_integer(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT: return json_real(sqlite3_column_double(statement, column));
    case SQLITE_NULL: return json_null();
    default: return json_text((const char *)sqlite3_column_text(statement, column));
  }
}

static int collect(sqlite3_stmt *statement, json_t *table) {
  json_t *columns = json_array(), *rows = json_array();
  int result, count = sqlite3_column_count(statement);
  for (int i = 0; i < count; i++)
    json_array_append_new(columns, json_text(sqlite3_column_name(statement, i)));
  while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
    json_t *row = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(row, value_json(statement, i));
    json_array_append_new(rows, row);
  }
  json_object_set_new(table, "columns", columns);
  json_object_set_new(table, "rows", rows);
  return result;
}

Status store_select(Store *store, json_t **table, Error *err, const char *sql, const char *types,
                    ...) {
  sqlite3_stmt *statement;
  va_list values;
  *table = NULL;
  TRY(store_prepare(store, sql, &statement, err));
  va_start(values, types);
  store_bind(statement, types, values);
  va_end(values);
  *table = json_object();
  Status status = collect(statement, *table) == SQLITE_DONE ? OK : store_error(store, err);
  sqlite3_finalize(statement);
  if (status != OK) {
    json_decref(*table);
    *table = NULL;
  }
  return status;
}

// ---- the user's

// Nothing but reading, and no other file may be attached.
static int allow(void *self, int action, const char *a, const char *b, const char *c,
                 const char *d) {
  (void)self, (void)a, (void)b, (void)c, (void)d;
  bool is_reading = action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION ||
                    action == SQLITE_RECURSIVE;
  // Asking for columns is a pragma too, and changes nothing.
  bool is_asking = action == SQLITE_PRAGMA && !b;
  return is_reading || is_asking ? SQLITE_OK : SQLITE_DENY;
}

static Status prepare_one(Store *store, const char *sql, sqlite3_stmt **statement, Error *err) {
  const char *rest;
  sqlite3_set_authorizer(store->db, allow, NULL);
  int result = sqlite3_prepare_v2(store->db, sql, -1, statement, &rest);
  sqlite3_set_authorizer(store->db, NULL, NULL);
  if (result == SQLITE_AUTH) return error_set(err, ERR_USAGE, "queries are read-only: %.200s", sql);
  if (result == SQLITE_ERROR)
    return error_set(err, ERR_USAGE, "%s (docs/store.md has the tables)",
                     sqlite3_errmsg(store->db));
  if (result != SQLITE_OK) return store_error(store, err);
  if (!*statement) return error_set(err, ERR_USAGE, "empty query");
  bool is_reading = sqlite3_stmt_readonly(*statement);
  if (is_reading && !rest[strspn(rest, " \t\r\n;")]) return OK;
  sqlite3_finalize(*statement);
  if (!is_reading) return error_set(err, ERR_USAGE, "queries are read-only: %.200s", sql);
  return error_set(err, ERR_USAGE, "one query at a time: unexpected '%.80s' after the first", rest);
}

static void read_row(sqlite3_stmt *statement, int count, const char **texts, bool *is_number) {
  for (int i = 0; i < count; i++) {
    int type = sqlite3_column_type(statement, i);
    is_number[i] = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
    texts[i] = (const char *)sqlite3_column_text(statement, i);
  }
}

static Status deliver_rows(Store *store, sqlite3_stmt *statement, StoreRowFn on_row, void *self,
                           Error *err) {
  int count = sqlite3_column_count(statement), result = SQLITE_DONE;
  const char **columns = memory_alloc(sizeof *columns * (size_t)(count + 1));
  const char **texts = memory_alloc(sizeof *texts * (size_t)(count + 1));
  bool *is_number = memory_alloc(sizeof *is_number * (size_t)(count + 1));
  for (int i = 0; i < count; i++) columns[i] = sqlite3_column_name(statement, i);
  StoreRow heading = {count, columns, NULL, NULL}, row = {count, columns, texts, is_number};
  Status status = on_row(self, &heading, err);
  while (status == OK && (result = sqlite3_step(statement)) == SQLITE_ROW) {
    read_row(statement, count, texts, is_number);
    status = on_row(self, &row, err);
  }
  if (status == OK && result != SQLITE_DONE) status = store_error(store, err);
  memory_free(columns);
  memory_free(texts);
  memory_free(is_number);
  return status;
}

Status store_query(Store *store, const char *sql, StoreRowFn on_row, void *self, Error *err) {
  sqlite3_stmt *statement;
  TRY(prepare_one(store, sql, &statement, err));
  Status status = deliver_rows(store, statement, on_row, self, err);
  sqlite3_finalize(statement);
  return status;
}
