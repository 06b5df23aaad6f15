// SPDX-License-Identifier: MIT
// The other store is attached as `part`. A temporary table maps its runs to
// their numbers here; every table is then copied through that map in a single
// statement.
#include "store/merge.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/memory.h"
#include "store/check.h"
#include "store/content.h"
#include "store/database.h"

enum { HEADER_BYTES = 100 };  // of an SQLite file

typedef struct Merge {
  Store *store;
  const char *from;
  const MergeOptions *options;
  MergeCounts *counts;
  Arena arena;
} Merge;

// A run as made by one process: `r` of the part, `m` of the store.
#define SAME_RUN                                                               \
  "m.process = r.process and m.started = r.started and m.program = r.program " \
  "and m.job is r.job"

static const char run_columns[] =
    "state, job, program, size, arguments, gpu, scheme, mode, version, started, ended, "
    "wall_seconds, cpu_seconds, host, process, error";

// ---- selection

static const char setup_sql[] =
    "create temp table if not exists merge_map (old integer primary key, new integer);"
    "create temp table if not exists merge_lost (id integer primary key);"
    "delete from temp.merge_map; delete from temp.merge_lost;";

// Set operations inside SQLite: memory does not grow with the number of runs.
static Status execute(Merge *merge, const char *sql, Error *err) {
  return sqlite3_exec(merge->store->db, sql, NULL, NULL, NULL) == SQLITE_OK
             ? OK
             : store_error(merge->store, err);
}

// Runs that never ended.
// `running` in a store at rest means that its process was killed; but only on this host, or if
// the caller knows that nothing writes any more, is that certain.
static Status find_lost(Merge *merge, Error *err) {
  sqlite3_stmt *statement;
  char host[HOST_BYTES];
  host_name(host);
  TRY(store_prepare(merge->store, "select id, host, process from part.runs where state = 'running'",
                    &statement, err));
  Status status = OK;
  int result;
  while ((result = sqlite3_step(statement)) == SQLITE_ROW && status == OK) {
    const char *where = (const char *)sqlite3_column_text(statement, 1);
    const char *process = (const char *)sqlite3_column_text(statement, 2);
    bool is_gone = where && process && strcmp(where, host) == 0 && process_is_gone(process);
    if (!merge->options->is_over && !is_gone) continue;
    status = store_run(merge->store, err, "insert into temp.merge_lost values (?)", "i",
                       (int64_t)sqlite3_column_int64(statement, 0));
  }
  if (status == OK && result != SQLITE_DONE) status = store_error(merge->store, err);
  sqlite3_finalize(statement);
  return status;
}

// A run that was marked lost, but has completed after all, replaces its record.
static const char forget_sql[] =
    "delete from main.runs as m where m.state = 'lost' and exists (select 1 from part.runs as r "
    "where " SAME_RUN " and r.state not in ('running', 'lost'));";

#define NUMBERED \
  "select r.id, (select coalesce(max(id), 0) from main.runs) + row_number() over (order by r.id) "

// Complete runs of jobs are looked up in the index of jobs, all others by their process, for
// which SQLite creates an automatic index.
static const char map_jobs_sql[] =
    "insert into temp.merge_map " NUMBERED
    "from part.runs as r where r.state = 'complete' and r.job is not null and not exists (select 1 "
    "from main.runs as m where m.job = r.job and m.state = 'complete');";
static const char map_others_sql[] =
    "insert into temp.merge_map select r.id, (select max(coalesce(max(m.id), 0), (select "
    "coalesce(max(new), 0) from temp.merge_map)) from main.runs as m) + row_number() over (order "
    "by "
    "r.id) from part.runs as r left join main.runs as m on " SAME_RUN
    " where m.id is null and (r.state in ('incomplete', 'failed', 'lost', 'stopped') or "
    "(r.state = 'complete' "
    "and r.job is null) or r.id in (select id from temp.merge_lost));";

static Status find_runs(Merge *merge, Error *err) {
  MergeCounts *counts = merge->counts;
  TRY(execute(merge, setup_sql, err));
  TRY(find_lost(merge, err));
  TRY(execute(merge, forget_sql, err));
  TRY(execute(merge, map_jobs_sql, err));
  TRY(execute(merge, map_others_sql, err));
  TRY(store_number(merge->store, &counts->runs, 0, err, "select count(*) from part.runs", ""));
  TRY(store_number(merge->store, &counts->others, 0, err, "select count(*) from temp.merge_map",
                   ""));
  TRY(store_number(merge->store, &counts->complete, 0, err,
                   "select count(*) from part.runs where state = 'complete' and id in (select old "
                   "from temp.merge_map)",
                   ""));
  counts->others -= counts->complete;
  return OK;
}

// ---- runs

static const char configs_sql[] =
    "insert or ignore into main.configs (digest, settings) select digest, settings from "
    "part.configs where id in (select config from part.runs where id in (select old from "
    "temp.merge_map)) order by id;";
static const char mark_lost_sql[] =
    "update main.runs set state = 'lost', error = 'its process was killed' where state = 'running' "
    "and id in (select new from temp.merge_map);";

static Status part_has(Merge *merge, const char *table, const char *column, bool *has, Error *err) {
  int64_t count;
  TRY(store_number(merge->store, &count, 0, err,
                   "select count(*) from pragma_table_info(?, 'part') where name = ?", "tt", table,
                   column));
  *has = count > 0;
  return OK;
}

static Status copy_runs(Merge *merge, Error *err) {
  bool has_settings, has_digest, has_variant;
  TRY(part_has(merge, "runs", "settings", &has_settings, err));
  TRY(part_has(merge, "runs", "variant", &has_variant, err));
  TRY(part_has(merge, "runs", "digest", &has_digest, err));
  TRY(execute(merge, configs_sql, err));
  char *sql = sqlite3_mprintf(
      "insert into main.runs (id, settings, variant, digest, config, %s) select map.new, %s, %s, "
      "%s, (select "
      "c.id from "
      "main.configs as c, part.configs as p where p.id = r.config and c.digest = p.digest), %s "
      "from "
      "temp.merge_map as map cross join part.runs as r on r.id = map.old",
      run_columns, has_settings ? "r.settings" : "null", has_variant ? "r.variant" : "null",
      has_digest ? "r.digest" : "iif(r.state = 'running', null, '" CONTENT_UNKNOWN "')",
      run_columns);
  Status status = execute(merge, sql, err);
  sqlite3_free(sql);
  if (status == OK) status = execute(merge, mark_lost_sql, err);
  return status;
}

// ---- tables

typedef struct Names {
  const char **items;
  size_t count, capacity;
} Names;

// Read completely first: no statement may be active while tables are altered.
static Status list_names(Merge *merge, const char *sql, const char *argument, Names *names,
                         Error *err) {
  sqlite3_stmt *statement;
  int result;
  TRY(store_prepare(merge->store, sql, &statement, err));
  if (argument) sqlite3_bind_text(statement, 1, argument, -1, SQLITE_STATIC);
  while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(statement, 0);
    GROW(names->items, names->count, names->capacity);
    names->items[names->count++] = arena_strdup(&merge->arena, name ? name : "");
  }
  Status status = result == SQLITE_DONE ? OK : store_error(merge->store, err);
  sqlite3_finalize(statement);
  return status;
}

// The columns of a table of the part except `run`, as an insert list; missing ones are added
// to the store's table.
static Status list_columns(Merge *merge, const char *table, char **list, Error *err) {
  Names columns = {0};
  sqlite3_str *text = sqlite3_str_new(merge->store->db);
  Status status =
      list_names(merge, "select name from pragma_table_info(?, 'part')", table, &columns, err);
  for (size_t i = 0; i < columns.count && status == OK; i++) {
    if (strcmp(columns.items[i], "run") == 0) continue;
    sqlite3_str_appendf(text, ", \"%w\"", columns.items[i]);
    status = wide_table_add_column(merge->store, table, columns.items[i], err);
  }
  memory_free(columns.items);
  *list = sqlite3_str_finish(text);
  return status;
}

// Rows in the order in which they were written: by run and kernel, which is how
// the index of a table of rows has them.
static Status copy_table(Merge *merge, const char *table, Error *err) {
  char *list;
  Status status = list_columns(merge, table, &list, err);
  if (status == OK) {
    char *sql = sqlite3_mprintf(
        "insert into main.\"%w\" (run%s) select map.new%s from temp.merge_map as map cross join "
        "part.\"%w\" as rows_of_part on rows_of_part.run = map.old",
        table, list ? list : "", list ? list : "", table);
    status = execute(merge, sql, err);
    sqlite3_free(sql);
  }
  sqlite3_free(list);
  return status;
}

// A part that names a table of the store itself as one of its tables of rows
// was not written by heddle.
static Status check_name(Merge *merge, const char *table, Error *err) {
  int64_t known;
  TRY(store_number(merge->store, &known, 0, err,
                   "select count(*) from main.row_tables where name = ?", "t", table));
  if (known || (!store_has_table(merge->store, table) && strncmp(table, "sqlite_", 7) != 0))
    return OK;
  return error_set(err, ERR_SYNTAX, "%s: corrupt store: '%.80s' is not a table of rows",
                   merge->from, table);
}

static Status copy_row_tables(Merge *merge, Error *err) {
  Names tables = {0};
  Status status =
      list_names(merge, "select name from part.row_tables order by name", NULL, &tables, err);
  for (size_t i = 0; i < tables.count && status == OK; i++) {
    status = check_name(merge, tables.items[i], err);
    if (status == OK) status = copy_table(merge, tables.items[i], err);
  }
  memory_free(tables.items);
  return status;
}

static Status copy_study_runs(Merge *merge, Error *err) {
  bool has_variant;
  TRY(part_has(merge, "study_runs", "variant", &has_variant, err));
  char *sql = sqlite3_mprintf(
      "insert into main.study_runs (study, position, workload, gpu, scheme, job, variant) select "
      "(select coalesce(max(id), 0) from main.studies) + s.id, position, workload, gpu, scheme, "
      "job, %s from part.study_runs join part.studies as s on s.id = study where s.name not in "
      "(select name from main.studies)",
      has_variant ? "variant" : "null");
  Status status = execute(merge, sql, err);
  sqlite3_free(sql);
  return status;
}

static Status copy_studies(Merge *merge, Error *err) {
  bool has_digest;
  TRY(part_has(merge, "studies", "digest", &has_digest, err));
  TRY(copy_study_runs(merge, err));
  char *sql = sqlite3_mprintf(
      "insert into main.studies (id, name, definition, updated, digest) select (select "
      "coalesce(max(id), 0) from main.studies) + id, name, definition, updated, %s from "
      "part.studies where name not in (select name from main.studies)",
      has_digest ? "digest" : "'" CONTENT_UNKNOWN "'");
  Status status = execute(merge, sql, err);
  sqlite3_free(sql);
  return status;
}

static Status copy(Merge *merge, Error *err) {
  static const char *const tables[] = {"totals", "kernels", "policy_counters", "sums"};
  TRY(find_runs(merge, err));
  TRY(execute(merge, "pragma defer_foreign_keys = 1", err));
  TRY(copy_studies(merge, err));
  if (!merge->counts->complete && !merge->counts->others) return OK;
  TRY(copy_runs(merge, err));
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    TRY(copy_table(merge, tables[i], err));
  return copy_row_tables(merge, err);
}

// ---- the other store

static Status check_kind(Merge *merge, int64_t *tables, Error *err) {
  int64_t application, version, own;
  Error ignored;
  if (store_number(merge->store, tables, 0, &ignored, "select count(*) from part.sqlite_schema",
                   "") != OK)
    return error_set(err, ERR_SYNTAX, "%s: corrupt store: %.200s", merge->from,
                     sqlite3_errmsg(merge->store->db));
  if (!*tables) return OK;
  TRY(store_number(merge->store, &application, 0, err, "pragma part.application_id", ""));
  TRY(store_number(merge->store, &version, 0, err, "pragma part.user_version", ""));
  TRY(store_number(merge->store, &own, 0, err, "pragma main.application_id", ""));
  if (application != own) return error_set(err, ERR_SYNTAX, "%s: not a Heddle store", merge->from);
  TRY(store_number(merge->store, &own, 0, err, "pragma main.user_version", ""));
  if (version >= 1 && version <= own) return OK;
  return error_set(err, ERR_SYNTAX,
                   "%s: store version %lld, but this Heddle supports up to %lld: merge it with the "
                   "heddle that wrote it",
                   merge->from, (long long)version, (long long)own);
}

static Status merge_attached(Merge *merge, Error *err) {
  int64_t tables;
  TRY(check_kind(merge, &tables, err));
  if (!tables) return OK;
  TRY(check_store(merge->store, "part", merge->from, err));
  TRY(store_begin(merge->store, err));
  Status status = store_end(merge->store, copy(merge, err), err);
  if (status != OK) error_prefix(err, "cannot merge %s", merge->from);
  return status;
}

// ATTACH would make a file that is not there.
static Status attach(Merge *merge, Error *err) {
  struct stat own, other;
  if (stat(merge->from, &other) != 0)
    return error_set(err, ERR_IO, "cannot open %s: %s", merge->from, strerror(errno));
  if (!S_ISREG(other.st_mode)) return error_set(err, ERR_IO, "%s is not a file", merge->from);
  // SQLite takes a file that is shorter than its header for an empty one.
  if (other.st_size == 0 && !merge->options->may_be_empty)
    return error_set(err, ERR_SYNTAX, "%s: empty store, no runs recorded", merge->from);
  if (other.st_size > 0 && other.st_size < HEADER_BYTES)
    return error_set(err, ERR_SYNTAX, "%s: not a Heddle store: cut off after %lld bytes",
                     merge->from, (long long)other.st_size);
  if (stat(merge->store->path, &own) == 0 && own.st_dev == other.st_dev &&
      own.st_ino == other.st_ino)
    return error_set(err, ERR_USAGE, "%s cannot be merged into itself", merge->from);
  if (access(merge->from, R_OK) != 0)
    return error_set(err, ERR_IO, "cannot open %s: %s", merge->from, strerror(errno));
  Error why;
  if (store_run(merge->store, &why, "attach database ? as part", "t", merge->from) == OK) return OK;
  bool is_damaged = (sqlite3_errcode(merge->store->db) & 0xff) == SQLITE_CORRUPT;
  return error_set(err, ERR_SYNTAX, "%s: %s: %.200s", merge->from,
                   is_damaged ? "corrupt store" : "not a Heddle store",
                   sqlite3_errmsg(merge->store->db));
}

Status store_merge(Store *store, const char *from, const MergeOptions *options, MergeCounts *counts,
                   Error *err) {
  MergeCounts ignored;
  Merge merge = {store, from, options, counts ? counts : &ignored, {0}};
  *merge.counts = (MergeCounts){0};
  TRY(attach(&merge, err));
  Status status = merge_attached(&merge, err);
  arena_clear(&merge.arena);
  sqlite3_exec(store->db, "detach database part", NULL, NULL, NULL);
  if (status != OK) *merge.counts = (MergeCounts){0};
  return status;
}
