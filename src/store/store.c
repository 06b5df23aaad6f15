// SPDX-License-Identifier: MIT
// Opening stores, and helpers for statements.
//
// The journal is SQLite's default, a file that is there only while a
// transaction is: unlike a write-ahead log it works on network file systems,
// and at rest the store is one file that can be copied.
#include "store/store.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/files/embedded.h"
#include "base/memory.h"
#include "store/content.h"
#include "store/database.h"

enum { APPLICATION = 1212435557, VERSION = 4, PATIENCE_MS = 60000 };

// ---- errors

Status store_error(Store *store, Error *err) {
  int code = sqlite3_errcode(store->db) & 0xff;
  const char *text = sqlite3_errmsg(store->db);
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
    return error_set(err, ERR_IO, "%s: locked by another program for %d seconds", store->path,
                     PATIENCE_MS / 1000);
  if (code == SQLITE_NOTADB)
    return error_set(err, ERR_SYNTAX, "%s: not a Heddle store (not an SQLite file)", store->path);
  if (code == SQLITE_CORRUPT)
    return error_set(err, ERR_SYNTAX,
                     "%s: corrupt store (%s); `sqlite3 %s .recover` may recover part of it",
                     store->path, text, store->path);
  if (code == SQLITE_READONLY)
    return error_set(err, ERR_IO, "%s: cannot write: %s", store->path, text);
  return error_set(err, ERR_IO, "%s: %s", store->path, text);
}

// ---- statements

Status store_prepare(Store *store, const char *sql, sqlite3_stmt **statement, Error *err) {
  if (sqlite3_prepare_v2(store->db, sql, -1, statement, NULL) == SQLITE_OK) return OK;
  return store_error(store, err);
}

void store_bind(sqlite3_stmt *statement, const char *types, va_list values) {
  for (int i = 0; types[i]; i++) {
    if (types[i] == 'i')
      sqlite3_bind_int64(statement, i + 1, va_arg(values, int64_t));
    else if (types[i] == 'd')
      sqlite3_bind_double(statement, i + 1, va_arg(values, double));
    else
      sqlite3_bind_text(statement, i + 1, va_arg(values, const char *), -1, SQLITE_TRANSIENT);
  }
}

Status store_run(Store *store, Error *err, const char *sql, const char *types, ...) {
  sqlite3_stmt *statement;
  va_list values;
  TRY(store_prepare(store, sql, &statement, err));
  va_start(values, types);
  store_bind(statement, types, values);
  va_end(values);
  int result;
  do result = sqlite3_step(statement);
  while (result == SQLITE_ROW);
  Status status = result == SQLITE_DONE ? OK : store_error(store, err);
  sqlite3_finalize(statement);
  return status;
}

Status store_number(Store *store, int64_t *number, int64_t otherwise, Error *err, const char *sql,
                    const char *types, ...) {
  sqlite3_stmt *statement;
  va_list values;
  TRY(store_prepare(store, sql, &statement, err));
  va_start(values, types);
  store_bind(statement, types, values);
  va_end(values);
  int result = sqlite3_step(statement);
  bool has_value = result == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL;
  *number = has_value ? sqlite3_column_int64(statement, 0) : otherwise;
  Status status = result == SQLITE_ROW || result == SQLITE_DONE ? OK : store_error(store, err);
  sqlite3_finalize(statement);
  return status;
}

Status store_begin(Store *store, Error *err) {
  wide_tables_clear(store);  // others may have added columns
  return store_run(store, err, "begin immediate", "");
}

Status store_end(Store *store, Status status, Error *err) {
  wide_tables_clear(store);
  if (status == OK) status = store_run(store, err, "commit", "");
  if (status != OK && !sqlite3_get_autocommit(store->db))
    sqlite3_exec(store->db, "rollback", NULL, NULL, NULL);
  return status;
}

// ---- opening

static Status make_tables(Store *store, Error *err) {
  const EmbeddedFile *schema = embedded_find("src/store/schema.sql");
  return sqlite3_exec(store->db, schema->text, NULL, NULL, NULL) == SQLITE_OK
             ? OK
             : store_error(store, err);
}

// Several may find the file empty at the same time; one of them fills it.
static Status make_schema(Store *store, Error *err) {
  int64_t tables;
  TRY(store_begin(store, err));
  Status status = store_number(store, &tables, 0, err, "select count(*) from sqlite_schema", "");
  if (status == OK && !tables) status = make_tables(store, err);
  return store_end(store, status, err);
}

// Version 1 has no runs.settings.
static Status add_settings(Store *store, Error *err) {
  return store_run(store, err, "alter table runs add column settings text", "");
}

// Version 2 has no state `stopped`. A constraint can only be changed in the text of the
// schema, as SQLite's documentation of ALTER TABLE describes; rows are not affected.
static Status add_stopped(Store *store, Error *err) {
  int64_t version;
  char sql[64];
  TRY(store_number(store, &version, 0, err, "pragma schema_version", ""));
  snprintf(sql, sizeof sql, "pragma schema_version = %lld", (long long)version + 1);
  sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
  Status status = store_run(store, err, "pragma writable_schema = 1", "");
  if (status == OK)
    status = store_run(store, err,
                       "update sqlite_schema set sql = replace(sql, '''lost'')', '''lost'', "
                       "''stopped'')') where type = 'table' and name = 'runs'",
                       "");
  if (status == OK) status = store_run(store, err, sql, "");
  sqlite3_exec(store->db, "pragma writable_schema = 0", NULL, NULL, NULL);
  sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  return status;
}

// ... and no digests. What is there already cannot be vouched for.
static Status add_digests(Store *store, Error *err) {
  static const char sql[] =
      "alter table runs add column digest text; alter table studies add column digest text;"
      "update runs set digest = '" CONTENT_UNKNOWN
      "' where state <> 'running';"
      "update studies set digest = '" CONTENT_UNKNOWN "';";
  if (store_has_column(store, "runs", "digest")) return OK;
  return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? OK : store_error(store, err);
}

// Version 3 has no variants.
static Status add_variants(Store *store, Error *err) {
  static const char *const sql[] = {"alter table runs add column variant text",
                                    "alter table study_runs add column variant text"};
  if (!store_has_column(store, "runs", "variant")) TRY(store_run(store, err, sql[0], ""));
  return store_has_column(store, "study_runs", "variant") ? OK : store_run(store, err, sql[1], "");
}

// Readers do without; a writer upgrades, unless another one has meanwhile.
static Status upgrade(Store *store, Error *err) {
  int64_t version;
  TRY(store_begin(store, err));
  Status status = store_number(store, &version, 0, err, "pragma user_version", "");
  if (status == OK && version == 1) status = add_settings(store, err);
  if (status == OK && version < 3) status = add_stopped(store, err);
  if (status == OK && version < 3) status = add_digests(store, err);
  if (status == OK && version < 4) status = add_variants(store, err);
  if (status == OK) status = store_run(store, err, "pragma user_version = 4", "");
  return store_end(store, status, err);
}

static Status check_schema(Store *store, StoreMode mode, Error *err) {
  int64_t tables, application, version;
  TRY(store_number(store, &tables, 0, err, "select count(*) from sqlite_schema", ""));
  if (!tables && mode == STORE_WRITE) TRY(make_schema(store, err));
  if (!tables && mode == STORE_READ)
    return error_set(err, ERR_SYNTAX, "%s: empty store, no runs recorded", store->path);
  TRY(store_number(store, &application, 0, err, "pragma application_id", ""));
  TRY(store_number(store, &version, 0, err, "pragma user_version", ""));
  if (application != APPLICATION)
    return error_set(err, ERR_SYNTAX, "%s: not a Heddle store (another kind of SQLite file)",
                     store->path);
  if (version == VERSION) return OK;
  if (version >= 1 && version < VERSION) return mode == STORE_WRITE ? upgrade(store, err) : OK;
  return error_set(err, ERR_SYNTAX,
                   "%s: store version %lld, this Heddle supports %d; use the version that wrote "
                   "it, or another file",
                   store->path, (long long)version, VERSION);
}

// Asks for nothing that the user's tables could define, and takes "a name that
// is not there" for a mistake and not for a text.
static void set_up(Store *store) {
  sqlite3_busy_timeout(store->db, PATIENCE_MS);
  sqlite3_db_config(store->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
  sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
}

static Status open_file(Store *store, StoreMode mode, Error *err) {
  // Readers, too, may have to roll back the transaction of a killed writer; SQLite falls back
  // to read-only if the file is not writable.
  int flags = SQLITE_OPEN_READWRITE | (mode == STORE_READ ? 0 : SQLITE_OPEN_CREATE);
  if (mode == STORE_READ && access(store->path, R_OK) != 0)
    return error_set(err, ERR_IO, "cannot open %s: %s", store->path, strerror(errno));
  if (sqlite3_open_v2(store->path, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
    return error_set(err, ERR_IO, "cannot open %s: %s", store->path,
                     store->db ? sqlite3_errmsg(store->db) : "out of memory");
  set_up(store);
  TRY(check_schema(store, mode, err));
  return mode == STORE_READ ? store_run(store, err, "pragma query_only = 1", "") : OK;
}

Status store_open(Store **store, const char *path, StoreMode mode, Error *err) {
  size_t length = strlen(path);
  Store *made = memory_alloc(sizeof *made);
  made->path = memcpy(memory_alloc(length + 1), path, length);
  Status status = open_file(made, mode, err);
  if (status == OK)
    *store = made;
  else
    store_close(made);
  return status;
}

void store_close(Store *store) {
  if (!store) return;
  wide_tables_clear(store);
  sqlite3_close(store->db);
  memory_free(store->path);
  memory_free(store);
}

bool store_has_table(Store *store, const char *name) {
  int64_t count = 0;
  Error ignored;
  Status status = store_number(store, &count, 0, &ignored,
                               "select count(*) from sqlite_schema where type in ('table', 'view') "
                               "and name = ?",
                               "t", name);
  return status == OK && count;
}

bool store_has_column(Store *store, const char *table, const char *name) {
  int64_t count = 0;
  Error ignored;
  Status status =
      store_number(store, &count, 0, &ignored,
                   "select count(*) from pragma_table_info(?) where name = ?", "tt", table, name);
  return status == OK && count;
}

const char *store_time(char out[STORE_TIME_BYTES]) {
  time_t now = time(NULL);
  struct tm parts;
  gmtime_r(&now, &parts);
  strftime(out, STORE_TIME_BYTES, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return out;
}
