// SPDX-License-Identifier: MIT
// Tables with one column per statistic, added when a row first has it.
#include "store/wide_table.h"

#include <string.h>
#include <uthash.h>

#include "base/arena.h"
#include "base/memory.h"
#include "store/database.h"

typedef struct Column {
  UT_hash_handle hh;
  char name[];
} Column;

struct WideTable {
  char *name;
  Column *columns;
  sqlite3_stmt *insert;
  char **keys;  // of the rows that `insert` takes
  size_t key_count, key_capacity;
  UT_hash_handle hh;
};

// ---- what of a row is stored

static bool is_stored(const json_t *value) {
  if (json_is_array(value)) return json_is_number(json_array_get(value, 0));
  return !json_is_object(value);
}

// Two names are taken in every table.
static const char *column_name(const char *key) {
  if (strcmp(key, "run") == 0) return "row_run";
  if (strcmp(key, "kernel") == 0) return "row_kernel";
  return key;
}

static void bind_list(sqlite3_stmt *statement, int at, const json_t *list) {
  char text[256];
  size_t used = 0, i;
  json_t *value;
  json_array_foreach(list, i, value) {
    if (used >= sizeof text) break;
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.10g", i ? "x" : "",
                             json_number_value(value));
  }
  sqlite3_bind_text(statement, at, text, -1, SQLITE_TRANSIENT);
}

static void bind_value(sqlite3_stmt *statement, int at, const json_t *value) {
  if (json_is_integer(value))
    sqlite3_bind_int64(statement, at, json_integer_value(value));
  else if (json_is_real(value))
    sqlite3_bind_double(statement, at, json_real_value(value));
  else if (json_is_boolean(value))
    sqlite3_bind_int(statement, at, json_is_true(value));
  else if (json_is_string(value))
    sqlite3_bind_text64(statement, at, json_string_value(value), json_string_length(value),
                        SQLITE_TRANSIENT, SQLITE_UTF8);
  else if (json_is_array(value))
    bind_list(statement, at, value);
  else
    sqlite3_bind_null(statement, at);
}

// ---- tables and columns

static void forget_statement(WideTable *table) {
  sqlite3_finalize(table->insert);
  table->insert = NULL;
  for (size_t i = 0; i < table->key_count; i++) memory_free(table->keys[i]);
  table->key_count = 0;
}

static void free_table(WideTable *table) {
  Column *column, *next;
  forget_statement(table);
  HASH_ITER(hh, table->columns, column, next) {
    HASH_DEL(table->columns, column);
    memory_free(column);
  }
  memory_free(table->keys);
  memory_free(table->name);
  memory_free(table);
}

void wide_tables_clear(Store *store) {
  WideTable *table, *next;
  HASH_ITER(hh, store->tables, table, next) {
    HASH_DEL(store->tables, table);
    free_table(table);
  }
}

static void know_column(WideTable *table, const char *name) {
  size_t length = strlen(name);
  Column *column = memory_alloc(sizeof *column + length + 1);
  memcpy(column->name, name, length);
  HASH_ADD_KEYPTR(hh, table->columns, column->name, length, column);
}

static Status run_quoted(Store *store, const char *format, const char *name, const char *other,
                         Error *err) {
  char *sql = sqlite3_mprintf(format, name, other);
  Status status = store_run(store, err, sql, "");
  sqlite3_free(sql);
  return status;
}

static Status make_rows_table(Store *store, const char *name, Error *err) {
  if (store_has_table(store, name)) return OK;
  TRY(run_quoted(store,
                 "create table \"%w\" (run integer not null references runs (id) on delete "
                 "cascade, kernel integer)",
                 name, "", err));
  TRY(run_quoted(store, "create index \"%w_of_run\" on \"%w\" (run, kernel)", name, name, err));
  return store_run(store, err, "insert into row_tables values (?)", "t", name);
}

static Status load_columns(Store *store, WideTable *table, Error *err) {
  sqlite3_stmt *statement;
  TRY(store_prepare(store, "select name from pragma_table_info(?)", &statement, err));
  sqlite3_bind_text(statement, 1, table->name, -1, SQLITE_STATIC);
  while (sqlite3_step(statement) == SQLITE_ROW)
    know_column(table, (const char *)sqlite3_column_text(statement, 0));
  return sqlite3_finalize(statement) == SQLITE_OK ? OK : store_error(store, err);
}

static Status find_table(Store *store, const char *name, WideTable **table, Error *err) {
  HASH_FIND_STR(store->tables, name, *table);
  if (*table) return OK;
  TRY(make_rows_table(store, name, err));
  size_t length = strlen(name);
  *table = memory_alloc(sizeof **table);
  (*table)->name = memcpy(memory_alloc(length + 1), name, length);
  HASH_ADD_KEYPTR(hh, store->tables, (*table)->name, length, *table);
  return load_columns(store, *table, err);
}

static Status add_column(Store *store, WideTable *table, const char *name, Error *err) {
  Column *known;
  HASH_FIND_STR(table->columns, name, known);
  if (known) return OK;
  know_column(table, name);
  return run_quoted(store, "alter table \"%w\" add column \"%w\"", table->name, name, err);
}

Status wide_table_add_column(Store *store, const char *name, const char *column, Error *err) {
  WideTable *table;
  TRY(find_table(store, name, &table, err));
  return add_column(store, table, column, err);
}

// ---- rows

static bool has_same_keys(const WideTable *table, const json_t *row) {
  const char *key;
  json_t *value;
  size_t i = 0;
  if (!table->insert) return false;
  json_object_foreach((json_t *)(size_t)row, key, value) {
    if (!is_stored(value)) continue;
    if (i == table->key_count || strcmp(table->keys[i++], key) != 0) return false;
  }
  return i == table->key_count;
}

static Status learn_keys(Store *store, WideTable *table, const json_t *row, Error *err) {
  const char *key;
  json_t *value;
  forget_statement(table);
  json_object_foreach((json_t *)(size_t)row, key, value) {
    if (!is_stored(value)) continue;
    TRY(add_column(store, table, column_name(key), err));
    GROW(table->keys, table->key_count, table->key_capacity);
    size_t length = strlen(key);
    table->keys[table->key_count++] = memcpy(memory_alloc(length + 1), key, length);
  }
  return OK;
}

static Status prepare_insert(Store *store, WideTable *table, bool has_kernel, Error *err) {
  sqlite3_str *sql = sqlite3_str_new(store->db);
  sqlite3_str_appendf(sql, "insert into \"%w\" (run%s", table->name, has_kernel ? ", kernel" : "");
  for (size_t i = 0; i < table->key_count; i++)
    sqlite3_str_appendf(sql, ", \"%w\"", column_name(table->keys[i]));
  sqlite3_str_appendall(sql, has_kernel ? ") values (?1, ?2" : ") values (?1");
  for (size_t i = 0; i < table->key_count; i++) sqlite3_str_appendf(sql, ", ?%d", (int)i + 3);
  sqlite3_str_appendall(sql, ")");
  char *text = sqlite3_str_finish(sql);
  Status status = store_prepare(store, text, &table->insert, err);
  sqlite3_free(text);
  return status;
}

Status wide_table_insert(Store *store, const char *name, int64_t run, int64_t kernel,
                         const json_t *row, Error *err) {
  WideTable *table;
  Column *has_kernel;
  TRY(find_table(store, name, &table, err));
  if (!has_same_keys(table, row)) {
    TRY(learn_keys(store, table, row, err));
    HASH_FIND_STR(table->columns, "kernel", has_kernel);
    TRY(prepare_insert(store, table, has_kernel, err));
  }
  sqlite3_reset(table->insert);
  sqlite3_bind_int64(table->insert, 1, run);
  if (kernel >= 0)
    sqlite3_bind_int64(table->insert, 2, kernel);
  else
    sqlite3_bind_null(table->insert, 2);
  for (size_t i = 0; i < table->key_count; i++)
    bind_value(table->insert, (int)i + 3, json_object_get(row, table->keys[i]));
  int result = sqlite3_step(table->insert);
  sqlite3_reset(table->insert);
  return result == SQLITE_DONE ? OK : store_error(store, err);
}
