// SPDX-License-Identifier: MIT
// A digest is a sum of hashes of rows, and that of a row a sum of hashes of its
// values, each with the names of its table and column. Sums do not depend on
// order: merging adds columns in another order, and leaves those null that a
// run does not have.
#include "store/content.h"

#include <string.h>

#include "base/memory.h"

// The rows of a table that belong to one run or study.
typedef struct Part {
  sqlite3_stmt *select;
  uint64_t seed;    // of the table
  uint64_t *seeds;  // of its columns; 0: a number of this store, not content
  int column_count;
} Part;

struct Content {
  Store *store;
  const char *schema;
  Part *parts;  // of runs; the last STUDY_PARTS are of studies
  size_t count, capacity;
};

enum { STUDY_PARTS = 2 };

// splitmix64's finaliser: sums of FNV's hashes of similar values would cancel out.
static uint64_t mix(uint64_t hash) {
  hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
  return hash ^ hash >> 31;
}

static uint64_t value_hash(uint64_t seed, sqlite3_stmt *statement, int column) {
  int type = sqlite3_column_type(statement, column);
  uint64_t hash = seed * 31 + (uint64_t)type;
  if (type == SQLITE_INTEGER) {
    int64_t number = sqlite3_column_int64(statement, column);
    return mix(mix(hash) ^ (uint64_t)number);
  }
  if (type == SQLITE_FLOAT) {
    double number = sqlite3_column_double(statement, column);
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return mix(mix(hash) ^ bits);
  }
  const void *bytes = sqlite3_column_blob(statement, column);
  size_t length = (size_t)sqlite3_column_bytes(statement, column);
  return mix(digest_add(mix(hash), bytes, bytes ? length : 0));
}

static uint64_t row_hash(const Part *part) {
  uint64_t hash = part->seed;
  for (int i = 0; i < part->column_count; i++)
    if (part->seeds[i] && sqlite3_column_type(part->select, i) != SQLITE_NULL)
      hash += value_hash(part->seeds[i], part->select, i);
  return mix(hash);
}

static Status add_rows(Content *content, Part *part, int64_t of, uint64_t *sum, Error *err) {
  int result;
  sqlite3_bind_int64(part->select, 1, of);
  while ((result = sqlite3_step(part->select)) == SQLITE_ROW) *sum += row_hash(part);
  Status status = result == SQLITE_DONE ? OK : store_error(content->store, err);
  sqlite3_reset(part->select);
  return status;
}

// ---- tables

// numbers: columns that are numbers of this store.
static void learn_columns(Part *part, const char *table, const char *const *numbers) {
  part->seed = digest_add_text(digest_start(), table);
  part->column_count = sqlite3_column_count(part->select);
  part->seeds = memory_alloc(sizeof *part->seeds * (size_t)(part->column_count + 1));
  for (int i = 0; i < part->column_count; i++) {
    const char *name = sqlite3_column_name(part->select, i);
    bool is_number = false;
    for (const char *const *number = numbers; *number; number++)
      is_number |= strcmp(*number, name) == 0;
    part->seeds[i] = is_number ? 0 : digest_add_text(part->seed, name) | 1;
  }
}

// sql: of sqlite3_mprintf, freed.
static Status add_part(Content *content, const char *table, const char *const *numbers, char *sql,
                       Error *err) {
  GROW(content->parts, content->count, content->capacity);
  Part *part = &content->parts[content->count];
  *part = (Part){0};
  Status status = store_prepare(content->store, sql, &part->select, err);
  sqlite3_free(sql);
  if (status != OK) return status;
  content->count++;
  learn_columns(part, table, numbers);
  return OK;
}

static Status add_rows_table(Content *content, const char *table, Error *err) {
  static const char *const numbers[] = {"run", NULL};
  return add_part(content, table, numbers,
                  sqlite3_mprintf("select * from %s.\"%w\" where run = ?", content->schema, table),
                  err);
}

static Status add_row_tables(Content *content, Error *err) {
  sqlite3_stmt *names;
  char *sql = sqlite3_mprintf("select name from %s.row_tables", content->schema);
  Status status = store_prepare(content->store, sql, &names, err);
  sqlite3_free(sql);
  if (status != OK) return status;
  int result;
  while (status == OK && (result = sqlite3_step(names)) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(names, 0);
    status = add_rows_table(content, name ? name : "", err);
  }
  if (status == OK && result != SQLITE_DONE) status = store_error(content->store, err);
  sqlite3_finalize(names);
  return status;
}

static Status add_all(Content *content, Error *err) {
  static const char *const tables[] = {"totals", "kernels", "policy_counters", "sums"};
  static const char *const run[] = {"id", "config", "digest", NULL}, *const none[] = {NULL};
  static const char *const study[] = {"id", "digest", NULL}, *const study_run[] = {"study", NULL};
  const char *schema = content->schema;
  TRY(add_part(content, "runs", run, sqlite3_mprintf("select * from %s.runs where id = ?", schema),
               err));
  TRY(add_part(content, "configs", none,
               sqlite3_mprintf("select settings from %s.configs where id = (select config from "
                               "%s.runs where id = ?)",
                               schema, schema),
               err));
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    TRY(add_rows_table(content, tables[i], err));
  TRY(add_row_tables(content, err));
  TRY(add_part(content, "studies", study,
               sqlite3_mprintf("select * from %s.studies where id = ?", schema), err));
  return add_part(content, "study_runs", study_run,
                  sqlite3_mprintf("select * from %s.study_runs where study = ?", schema), err);
}

Status content_open(Content **content, Store *store, const char *schema, Error *err) {
  Content *made = memory_alloc(sizeof *made);
  *made = (Content){.store = store, .schema = schema};
  Status status = add_all(made, err);
  if (status == OK)
    *content = made;
  else
    content_close(made);
  return status;
}

void content_close(Content *content) {
  for (size_t i = 0; i < content->count; i++) {
    sqlite3_finalize(content->parts[i].select);
    memory_free(content->parts[i].seeds);
  }
  memory_free(content->parts);
  memory_free(content);
}

// ---- digests

static Status digest_parts(Content *content, size_t from, size_t to, int64_t of,
                           char out[DIGEST_BYTES], Error *err) {
  uint64_t sum = 0;
  for (size_t i = from; i < to; i++) TRY(add_rows(content, &content->parts[i], of, &sum, err));
  digest_print(sum, out);
  return OK;
}

Status content_of_run(Content *content, int64_t run, char out[DIGEST_BYTES], Error *err) {
  return digest_parts(content, 0, content->count - STUDY_PARTS, run, out, err);
}

Status content_of_study(Content *content, int64_t study, char out[DIGEST_BYTES], Error *err) {
  return digest_parts(content, content->count - STUDY_PARTS, content->count, study, out, err);
}

Status content_seal_run(Store *store, int64_t run, Error *err) {
  Content *content;
  char digest[DIGEST_BYTES];
  TRY(content_open(&content, store, "main", err));
  Status status = content_of_run(content, run, digest, err);
  content_close(content);
  if (status != OK) return status;
  return store_run(store, err, "update runs set digest = ? where id = ?", "ti", digest, run);
}

Status content_seal_study(Store *store, int64_t study, Error *err) {
  Content *content;
  char digest[DIGEST_BYTES];
  TRY(content_open(&content, store, "main", err));
  Status status = content_of_study(content, study, digest, err);
  content_close(content);
  if (status != OK) return status;
  return store_run(store, err, "update studies set digest = ? where id = ?", "ti", digest, study);
}
