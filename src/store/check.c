// SPDX-License-Identifier: MIT
// Bits that flip inside a value leave a file that SQLite reads without
// complaint. Runs and studies of this version have digests (store/content.h);
// those of earlier ones are checked by their values only.
#include "store/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/content.h"

typedef struct Check {
  Store *store;
  const char *schema, *path;
} Check;

static Status corrupt(const Check *check, const char *what, Error *err) {
  return error_set(err, ERR_SYNTAX, "%s: corrupt store: %.300s", check->path,
                   what ? what : "unreadable");
}

// What SQLite cannot do is damage, too: a column that is not there, for instance.
static Status prepare(const Check *check, char *sql, sqlite3_stmt **statement, Error *err) {
  Error ignored;
  Status status = store_prepare(check->store, sql, statement, &ignored);
  sqlite3_free(sql);
  return status == OK ? OK : corrupt(check, sqlite3_errmsg(check->store->db), err);
}

// Hands every row of a query to a function. sql is freed.
typedef Status (*RowFn)(const Check *check, sqlite3_stmt *row, const void *self, Error *err);

static Status for_each(const Check *check, char *sql, RowFn take, const void *self, Error *err) {
  sqlite3_stmt *statement;
  TRY(prepare(check, sql, &statement, err));
  Status status = OK;
  int result = SQLITE_DONE;
  while (status == OK && (result = sqlite3_step(statement)) == SQLITE_ROW)
    status = take(check, statement, self, err);
  if (status == OK && result != SQLITE_DONE)
    status = corrupt(check, sqlite3_errmsg(check->store->db), err);
  sqlite3_finalize(statement);
  return status;
}

static Status describe(const Check *check, sqlite3_stmt *row, const void *self, Error *err) {
  (void)self;
  return corrupt(check, (const char *)sqlite3_column_text(row, 0), err);
}

// A query whose rows describe damage; it has none in a sound store. sql is freed.
static Status expect_none(const Check *check, char *sql, Error *err) {
  return for_each(check, sql, describe, NULL, err);
}

// ---- the file

// SQLite's description may begin with a line that names the database.
static Status check_integrity(const Check *check, sqlite3_stmt *row, const void *self, Error *err) {
  (void)self;
  const char *text = (const char *)sqlite3_column_text(row, 0);
  const char *line = text ? strrchr(text, '\n') : NULL;
  return text && strcmp(text, "ok") == 0 ? OK : corrupt(check, line ? line + 1 : text, err);
}

static Status check_file(const Check *check, Error *err) {
  return for_each(check, sqlite3_mprintf("pragma %s.integrity_check(1)", check->schema),
                  check_integrity, NULL, err);
}

// Rows of runs that are not there, and tables of rows that row_tables does not list or invents.
static Status check_references(const Check *check, Error *err) {
  TRY(expect_none(check,
                  sqlite3_mprintf("select printf('table %%s has a row without its %%s', \"table\", "
                                  "parent) from pragma_foreign_key_check(null, '%s')",
                                  check->schema),
                  err));
  TRY(expect_none(
      check,
      sqlite3_mprintf("select quote(name) || ' is not a table of rows' from %s.row_tables "
                      "where name not in (select tbl_name from %s.sqlite_schema where type = "
                      "'index' and name = tbl_name || '_of_run')",
                      check->schema, check->schema),
      err));
  return expect_none(
      check,
      sqlite3_mprintf("select printf('table %%s is not listed in row_tables', tbl_name) from "
                      "%s.sqlite_schema where type = 'index' and name = tbl_name || '_of_run' and "
                      "tbl_name not in (select name from %s.row_tables)",
                      check->schema, check->schema),
      err);
}

// ---- values

#define RUN_NAME "printf('run %%d (%%s): ', id, program) || "
#define IS_TIME(column) \
  column " glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'"
#define IS_SECONDS(column) \
  "(" column " is null or (typeof(" column ") = 'real' and " column " between 0 and 1e12))"

// Descriptions of runs that no Heddle has written.
static const char *const run_faults[] = {
    "select printf('run %%s: no program', id) from %s.runs where typeof(program) <> 'text' or "
    "program = ''",
    "select " RUN_NAME
    "'unknown state ' || quote(state) from %s.runs where state not in "
    "('running', 'complete', 'incomplete', 'stopped', 'failed', 'lost')",
    "select " RUN_NAME "'no version' from %s.runs where typeof(version) <> 'text' or version = ''",
    "select " RUN_NAME
    "'no process' from %s.runs where typeof(process) <> 'text' or process = '' "
    "or typeof(host) <> 'text'",
    "select " RUN_NAME
    "'not a time: ' || quote(started) from %s.runs where not " IS_TIME("started"),
    "select " RUN_NAME
    "'not a time: ' || quote(ended) from %s.runs where ended is not null and "
    "not " IS_TIME("ended"),
    "select " RUN_NAME
    "'wall_seconds = ' || quote(wall_seconds) from %s.runs where "
    "not " IS_SECONDS("wall_seconds"),
    "select " RUN_NAME
    "'cpu_seconds = ' || quote(cpu_seconds) from %s.runs where "
    "not " IS_SECONDS("cpu_seconds"),
    "select " RUN_NAME
    "'a label is not text' from %s.runs where typeof(job) not in ('text', "
    "'null') or typeof(size) not in ('text', 'null') or typeof(arguments) not in ('text', 'null') "
    "or typeof(gpu) not in ('text', 'null') or typeof(scheme) not in ('text', 'null') or "
    "typeof(mode) not in ('text', 'null') or typeof(error) not in ('text', 'null')",
    "select " RUN_NAME
    "'no configuration' from %s.runs where state in ('complete', 'incomplete') "
    "and config is null",
};

// A complete run has totals; %s: the schema, twice.
static const char totals_fault[] =
    "select " RUN_NAME
    "'no results' from %s.runs where state in ('complete', 'incomplete') and id "
    "not in (select run from %s.totals)";

static Status check_runs(const Check *check, Error *err) {
  for (size_t i = 0; i < sizeof run_faults / sizeof *run_faults; i++)
    TRY(expect_none(check, sqlite3_mprintf(run_faults[i], check->schema), err));
  return expect_none(check, sqlite3_mprintf(totals_fault, check->schema, check->schema), err);
}

// Statistics are numbers and texts; those of a whole run are counts and ratios, not negative.
static bool is_plausible(sqlite3_stmt *statement, int column, bool is_total) {
  int type = sqlite3_column_type(statement, column);
  double number = sqlite3_column_double(statement, column);
  if (type == SQLITE_BLOB || (type == SQLITE_TEXT && is_total)) return false;
  if (type == SQLITE_TEXT || type == SQLITE_NULL) return true;
  return isfinite(number) && (!is_total || number >= 0);
}

static Status check_row(const Check *check, sqlite3_stmt *statement, const void *self, Error *err) {
  const char *table = self;
  bool is_total = strcmp(table, "totals") == 0;
  int count = sqlite3_column_count(statement);
  for (int i = 0; i < count; i++) {
    if (is_plausible(statement, i, is_total)) continue;
    char *what = sqlite3_mprintf("run %lld: %s of %s = %.80s", sqlite3_column_int64(statement, 0),
                                 sqlite3_column_name(statement, i), table,
                                 (const char *)sqlite3_column_text(statement, i));
    Status status = corrupt(check, what, err);
    sqlite3_free(what);
    return status;
  }
  return OK;
}

static Status check_table(const Check *check, const char *table, Error *err) {
  return for_each(check, sqlite3_mprintf("select run, * from %s.\"%w\"", check->schema, table),
                  check_row, table, err);
}

static Status check_listed(const Check *check, sqlite3_stmt *row, const void *self, Error *err) {
  (void)self;
  const char *name = (const char *)sqlite3_column_text(row, 0);
  return check_table(check, name ? name : "", err);
}

static Status check_tables(const Check *check, Error *err) {
  static const char *const tables[] = {"totals", "kernels", "policy_counters", "sums"};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    TRY(check_table(check, tables[i], err));
  return for_each(check, sqlite3_mprintf("select name from %s.row_tables", check->schema),
                  check_listed, NULL, err);
}

// ---- counters that are related

static bool has_columns(const Check *check, const char *const *names) {
  int64_t count;
  Error ignored;
  for (; *names; names++)
    if (store_number(check->store, &count, 0, &ignored,
                     "select count(*) from pragma_table_info('totals', ?) where name = ?", "tt",
                     check->schema, *names) != OK ||
        !count)
      return false;
  return true;
}

static Status check_cache(const Check *check, const char *cache, Error *err) {
  char names[4][32];
  static const char *const parts[] = {"accesses", "hits", "merges", "misses"};
  for (int i = 0; i < 4; i++) snprintf(names[i], sizeof names[i], "%s.%s", cache, parts[i]);
  const char *const list[] = {names[0], names[1], names[2], names[3], NULL};
  if (!has_columns(check, list)) return OK;
  return expect_none(
      check,
      sqlite3_mprintf("select printf('run %%d: %s are not the sum of hits, merges and misses', "
                      "run) from %s.totals where \"%w\" <> \"%w\" + \"%w\" + \"%w\"",
                      names[0], check->schema, names[0], names[1], names[2], names[3]),
      err);
}

// ---- configurations

static Status check_config(const Check *check, sqlite3_stmt *statement, const void *self,
                           Error *err) {
  (void)self;
  const char *stored = (const char *)sqlite3_column_text(statement, 1);
  const char *settings = (const char *)sqlite3_column_text(statement, 2);
  char digest[DIGEST_BYTES];
  digest_text(settings, digest);
  json_t *json = settings ? json_loads(settings, 0, NULL) : NULL;
  bool is_sound = json && stored && strcmp(stored, digest) == 0;
  json_decref(json);
  if (is_sound) return OK;
  char *what = sqlite3_mprintf("settings of configuration %lld differ from their digest",
                               sqlite3_column_int64(statement, 0));
  Status status = corrupt(check, what, err);
  sqlite3_free(what);
  return status;
}

// ---- digests

typedef struct Digests {
  Content *content;
  Status (*compute)(Content *content, int64_t of, char out[DIGEST_BYTES], Error *err);
} Digests;

// A row: number, name, digest, whether it may lack one.
static Status check_digest(const Check *check, sqlite3_stmt *row, const void *self, Error *err) {
  const Digests *digests = self;
  const char *stored = (const char *)sqlite3_column_text(row, 2);
  char digest[DIGEST_BYTES];
  Error why;
  if (!stored && sqlite3_column_int(row, 3)) return OK;
  if (stored && strcmp(stored, CONTENT_UNKNOWN) == 0) return OK;
  if (digests->compute(digests->content, sqlite3_column_int64(row, 0), digest, &why) != OK)
    return corrupt(check, why.text, err);
  if (stored && strcmp(stored, digest) == 0) return OK;
  char *what =
      sqlite3_mprintf("%s differs from its digest", (const char *)sqlite3_column_text(row, 1));
  Status status = corrupt(check, what, err);
  sqlite3_free(what);
  return status;
}

// A run that is in progress, or whose process could not record its end, has none.
static Status check_digests(const Check *check, Content *content, Error *err) {
  TRY(for_each(check,
               sqlite3_mprintf("select id, printf('run %%d (%%s)', id, program), digest, state in "
                               "('running', 'failed', 'lost') from %s.runs",
                               check->schema),
               check_digest, &(Digests){content, content_of_run}, err));
  return for_each(
      check,
      sqlite3_mprintf("select id, 'study ' || name, digest, 0 from %s.studies", check->schema),
      check_digest, &(Digests){content, content_of_study}, err);
}

// Stores of earlier versions have no digests.
static Status find_digests(const Check *check, bool *has, Error *err) {
  int64_t version = 0, count = 0;
  Error why;
  char *sql = sqlite3_mprintf("pragma %s.user_version", check->schema);
  Status status = store_number(check->store, &version, 0, &why, sql, "");
  sqlite3_free(sql);
  if (status == OK)
    status = store_number(check->store, &count, 0, &why,
                          "select count(*) from pragma_table_info('runs', ?) where name = 'digest'",
                          "t", check->schema);
  *has = count || version >= FIRST_WITH_DIGESTS;
  return status == OK ? OK : corrupt(check, why.text, err);
}

static Status check_contents(const Check *check, Error *err) {
  Content *content;
  Error why;
  bool has_digests;
  TRY(find_digests(check, &has_digests, err));
  if (!has_digests) return OK;
  if (content_open(&content, check->store, check->schema, &why) != OK)
    return corrupt(check, why.text, err);
  Status status = check_digests(check, content, err);
  content_close(content);
  return status;
}

// ---- all

static Status check_all(const Check *check, Error *err) {
  TRY(check_file(check, err));
  TRY(check_references(check, err));
  TRY(check_runs(check, err));
  TRY(check_tables(check, err));
  TRY(check_cache(check, "l1d", err));
  TRY(check_cache(check, "l2", err));
  TRY(for_each(check, sqlite3_mprintf("select id, digest, settings from %s.configs", check->schema),
               check_config, NULL, err));
  return check_contents(check, err);
}

// In one transaction: writers between two of these queries would look like damage.
Status check_store(Store *store, const char *schema, const char *path, Error *err) {
  Check check = {store, schema, path};
  bool is_own = sqlite3_get_autocommit(store->db);
  if (is_own) sqlite3_exec(store->db, "begin", NULL, NULL, NULL);
  Status status = check_all(&check, err);
  if (is_own) sqlite3_exec(store->db, "rollback", NULL, NULL, NULL);
  return status;
}

Status store_check(Store *store, Error *err) {
  return check_store(store, "main", store->path, err);
}

Status store_check_if_small(Store *store, Error *err) {
  enum { SMALL_BYTES = 16 << 20 };
  int64_t bytes;
  TRY(store_number(store, &bytes, 0, err,
                   "select page_count * page_size from pragma_page_count, pragma_page_size", ""));
  return bytes <= SMALL_BYTES ? store_check(store, err) : OK;
}
