// SPDX-License-Identifier: MIT
// Details are for looking at single runs, and a page has to stay small: a
// number of runs, and of each the first rows of every table.
#include <string.h>

#include "base/arena.h"
#include "study/report/report_runs.h"

enum {
  MOST_RUNS = 48,
  MOST_KERNELS = 64,
  MOST_ROWS = 2080,  // all pairs of the 64 groups that the observer of sharing has
  MOST_INTERVALS = 400,
  MOST_LAUNCHES = 4000
};

static json_t *rows_of(const json_t *table) {
  return json_object_get(table, "rows");
}

// What details are read from.
typedef struct Source {
  Store *store;
  const json_t *tables;       // rows of their names
  const char *interval_sums;  // SQL
  bool knows_parents;
} Source;

// ---- which runs

// Those of the study, or else the newest.
static Status choose_runs(Store *store, const json_t *data, json_t **runs, Error *err) {
  const json_t *study = json_object_get(data, "study");
  const char *name = json_string_value(json_object_get(study, "name"));
  return store_select(store, runs, err,
                      name ? "select r.id, r.config from study_runs as s join runs as r on r.job = "
                             "s.job and r.state = 'complete' where s.study = (select id from "
                             "studies where name = ?1) order by s.position limit ?2"
                           : "select id, config from runs where config is not null and ?1 is null "
                             "order by id desc limit ?2",
                      "ti", name, (int64_t)MOST_RUNS);
}

// ---- tables

// The additive columns of the interval table: all but keys and ratios.
static Status interval_sums(Store *store, const json_t *meanings, Arena *arena, const char **sums,
                            Error *err) {
  json_t *found, *row;
  size_t i;
  TRY(store_select(store, &found, err,
                   "select name from pragma_table_info('intervals') where name not in ('run', "
                   "'kernel', 'start_cycle') order by cid",
                   ""));
  *sums = "";
  json_array_foreach(rows_of(found), i, row) {
    const char *name = json_string_value(json_array_get(row, 0));
    if (!name || strchr(name, '"')) continue;  // damaged
    const json_t *meaning = json_object_get(meanings, arena_printf(arena, "intervals.%s", name));
    if (json_is_true(json_object_get(meaning, "ratio"))) continue;
    *sums = arena_printf(arena, "%s, sum(\"%s\") as \"%s\"", *sums, name, name);
  }
  json_decref(found);
  return OK;
}

// Several rows become one, so that there are no more than MOST_INTERVALS.
static Status read_intervals(const Source *source, int64_t run, json_t **table, Error *err) {
  json_t *count;
  Arena arena = {0};
  TRY(store_select(source->store, &count, err, "select count(*) from intervals where run = ?", "i",
                   run));
  json_int_t rows = json_integer_value(json_array_get(json_array_get(rows_of(count), 0), 0));
  json_decref(count);
  int64_t together = rows / MOST_INTERVALS + 1;
  const char *sql = arena_printf(
      &arena,
      "select kernel, min(start_cycle) as start_cycle%s from (select *, (row_number() over "
      "(partition by kernel order by rowid) - 1) / ?2 as part from intervals where run = ?1) group "
      "by kernel, part order by kernel, part",
      source->interval_sums);
  Status status = store_select(source->store, table, err, sql, "ii", run, together);
  arena_clear(&arena);
  return status;
}

// Of the whole run where it has rows for that, else of its kernels.
static Status read_rows(Store *store, const char *name, int64_t run, json_t **table, Error *err) {
  Arena arena = {0};
  const char *sql = arena_printf(
      &arena,
      "select * from \"%s\" where run = ?1 and (kernel is null or not exists (select 1 from "
      "\"%s\" where run = ?1 and kernel is null)) order by rowid limit ?2",
      name, name);
  Status status = store_select(store, table, err, sql, "ii", run, (int64_t)MOST_ROWS);
  arena_clear(&arena);
  return status;
}

// CTAs on SMs over time, a row for each SM and a column for each time, called by
// its first cycle.
static Status read_cta_map(Store *store, int64_t run, json_t **table, Error *err) {
  json_t *found, *row, *columns = json_pack("[s]", "sm"), *rows = json_array(), *last = NULL;
  size_t i;
  char name[32];
  TRY(store_select(store, &found, err,
                   "select sm, start_cycle, round(ctas, 3) from cta_map where run = ? order by sm, "
                   "start_cycle",
                   "i", run));
  json_array_foreach(rows_of(found), i, row) {
    json_t *sm = json_array_get(row, 0);
    if (!last || !json_equal(json_array_get(last, 0), sm)) {
      last = json_pack("[O]", sm);
      json_array_append_new(rows, last);
    }
    json_array_append(last, json_array_get(row, 2));
    if (json_array_size(rows) > 1) continue;
    snprintf(name, sizeof name, "%lld",
             (long long)json_integer_value(json_array_get(row, 1)));
    json_array_append_new(columns, json_string(name));
  }
  json_decref(found);
  *table = json_pack("{s:o, s:o}", "columns", columns, "rows", rows);
  return OK;
}

static Status read_table(const Source *source, const char *name, int64_t run, json_t **table,
                         Error *err) {
  if (strcmp(name, "intervals") == 0) return read_intervals(source, run, table, err);
  if (strcmp(name, "cta_map") == 0) return read_cta_map(source->store, run, table, err);
  return read_rows(source->store, name, run, table, err);
}

static Status add_tables(const Source *source, int64_t run, json_t *detail, Error *err) {
  json_t *tables = json_object(), *row, *table;
  size_t i;
  json_object_set_new(detail, "tables", tables);
  json_array_foreach(rows_of(source->tables), i, row) {
    const char *name = json_string_value(json_array_get(row, 0));
    if (!name || strchr(name, '"') || !store_has_table(source->store, name)) continue;  // damaged
    if (strcmp(name, "cta_rows") == 0) continue;  // the page has its map
    TRY(read_table(source, name, run, &table, err));
    if (json_array_size(rows_of(table)))
      json_object_set_new(tables, name, table);
    else
      json_decref(table);
  }
  return OK;
}

// ---- launches

// Columns that a store has once a kernel of some run was launched by a kernel.
static bool knows_parents(Store *store) {
  json_t *found;
  if (store_select(store, &found, NULL,
                   "select 1 from pragma_table_info('kernels') where name in ('parent', "
                   "'sms_used')",
                   "") != OK)
    return false;
  bool both = json_array_size(rows_of(found)) == 2;
  json_decref(found);
  return both;
}

// All kernels of a run in which a kernel launched another.
static Status add_launches(const Source *source, int64_t run, json_t *detail, Error *err) {
  json_t *table;
  if (!source->knows_parents) return OK;
  TRY(store_select(source->store, &table, err,
                   "select id, parent, parent_cta, parent_thread, parent_sm, depth, readable_name as "
                   "name, grid, launched_cycle, submitted_cycle, started_cycle, ended_cycle, "
                   "over_cycle, first_sm, sms_used from kernels where run = ?1 and started_cycle is not null and exists (select 1 "
                   "from kernels where run = ?1 and parent is not null) order by id limit ?2",
                   "ii", run, (int64_t)MOST_LAUNCHES));
  if (json_array_size(rows_of(table)))
    json_object_set_new(json_object_get(detail, "tables"), "launches", table);
  else
    json_decref(table);
  return OK;
}

// ---- a run

static Status add_pairs(Store *store, const char *sql, const char *key, int64_t run, json_t *detail,
                        Error *err) {
  json_t *found, *row, *pairs = json_object();
  size_t i;
  json_object_set_new(detail, key, pairs);
  TRY(store_select(store, &found, err, sql, "i", run));
  json_array_foreach(rows_of(found), i, row)
      json_object_set(pairs, json_string_value(json_array_get(row, 0)), json_array_get(row, 1));
  json_decref(found);
  return OK;
}

static Status add_detail(const Source *source, int64_t run, json_t *detail, Error *err) {
  json_t *kernels;
  json_object_set_new(detail, "run", json_integer(run));
  TRY(store_select(source->store, &kernels, err,
                   "select * from kernels where run = ? order by kernel limit ?", "ii", run,
                   (int64_t)MOST_KERNELS));
  json_object_set_new(detail, "kernels", kernels);
  TRY(add_pairs(source->store, "select name, value from policy_counters where run = ?", "policies",
                run, detail, err));
  TRY(add_tables(source, run, detail, err));
  return add_launches(source, run, detail, err);
}

static Status add_config(Store *store, const json_t *id, json_t *configs, Error *err) {
  char key[32];
  json_t *found;
  snprintf(key, sizeof key, "%lld", (long long)json_integer_value(id));
  if (json_object_get(configs, key)) return OK;
  TRY(store_select(store, &found, err, "select settings from configs where id = ?", "i",
                   (int64_t)json_integer_value(id)));
  const char *text = json_string_value(json_array_get(json_array_get(rows_of(found), 0), 0));
  json_t *settings = text ? json_loads(text, 0, NULL) : NULL;
  json_object_set_new(configs, key, settings ? settings : json_null());
  json_decref(found);
  return OK;
}

static Status add_details(const Source *source, const json_t *runs, json_t *details,
                          json_t *configs, Error *err) {
  json_t *row;
  size_t i;
  json_array_foreach(rows_of(runs), i, row) {
    json_t *detail = json_object();
    json_array_append_new(details, detail);
    TRY(add_detail(source, (int64_t)json_integer_value(json_array_get(row, 0)), detail, err));
    TRY(add_config(source->store, json_array_get(row, 1), configs, err));
  }
  return OK;
}

Status report_details(Store *store, const json_t *meanings, json_t *data, Error *err) {
  json_t *details = json_array(), *configs = json_object(), *runs, *names = NULL;
  Source source = {.store = store, .knows_parents = knows_parents(store)};
  Arena arena = {0};
  json_object_set_new(data, "details", details);
  json_object_set_new(data, "configs", configs);
  json_object_set_new(data, "limits",
                      json_pack("{s:i, s:i, s:i, s:i, s:i}", "details", MOST_RUNS, "kernels",
                                MOST_KERNELS, "rows", MOST_ROWS, "intervals", MOST_INTERVALS,
                                "launches", MOST_LAUNCHES));
  TRY(choose_runs(store, data, &runs, err));
  Status status = store_select(store, &names, err, "select name from row_tables", "");
  if (status == OK) status = interval_sums(store, meanings, &arena, &source.interval_sums, err);
  source.tables = names;
  if (status == OK) status = add_details(&source, runs, details, configs, err);
  arena_clear(&arena);
  json_decref(runs);
  json_decref(names);
  return status;
}
