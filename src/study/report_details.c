// SPDX-License-Identifier: MIT
// Details are for looking at single runs, and a page has to stay small: a
// number of runs, and of each the first rows of every table.
#include <string.h>

#include "base/arena.h"
#include "study/report_runs.h"

enum {
  MOST_RUNS = 48,
  MOST_KERNELS = 64,
  MOST_ROWS = 2080,  // all pairs of the 64 groups that the observer of sharing has
  MOST_INTERVALS = 400
};

static json_t *rows_of(const json_t *table) {
  return json_object_get(table, "rows");
}

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

// Rows whose columns add up, but for the first, which says when they begin:
// several become one, so that there are no more than MOST_INTERVALS.
static Status read_intervals(Store *store, int64_t run, json_t **table, Error *err) {
  json_t *count;
  TRY(store_select(store, &count, err, "select count(*) from intervals where run = ?", "i", run));
  json_int_t rows = json_integer_value(json_array_get(json_array_get(rows_of(count), 0), 0));
  json_decref(count);
  int64_t together = rows / MOST_INTERVALS + 1;
  return store_select(
      store, table, err,
      "select kernel, min(start_cycle) as start_cycle, sum(cycles) as cycles, "
      "sum(warp_instructions) as warp_instructions, sum(thread_instructions) as "
      "thread_instructions, sum(warp_cycles) as warp_cycles, sum(ctas) as ctas, sum(l1d_accesses) "
      "as l1d_accesses, sum(l1d_misses) as l1d_misses, sum(l2_accesses) as l2_accesses, "
      "sum(l2_misses) as l2_misses, sum(dram_reads) as dram_reads, sum(dram_writes) as "
      "dram_writes from (select *, (row_number() over (partition by kernel order by rowid) - 1) / "
      "?2 as part from intervals where run = ?1) group by kernel, part order by kernel, part",
      "ii", run, together);
}

// Of the whole run where it has rows for that, else of its kernels.
static Status read_rows(Store *store, const char *name, int64_t run, json_t **table, Error *err) {
  Arena arena = {0};
  bool is_loads = strcmp(name, "loads") == 0;
  const char *sql = arena_printf(
      &arena,
      "select * from \"%s\" where run = ?1 and (kernel is null or not exists (select 1 from "
      "\"%s\" where run = ?1 and kernel is null)) order by %s limit ?2",
      name, name, is_loads ? "misses + bypasses desc, rowid" : "rowid");
  Status status = store_select(store, table, err, sql, "ii", run, (int64_t)MOST_ROWS);
  arena_clear(&arena);
  return status;
}

static Status add_tables(Store *store, const json_t *names, int64_t run, json_t *detail,
                         Error *err) {
  json_t *tables = json_object(), *row, *table;
  size_t i;
  json_object_set_new(detail, "tables", tables);
  json_array_foreach(rows_of(names), i, row) {
    const char *name = json_string_value(json_array_get(row, 0));
    if (!name || strchr(name, '"') || !store_has_table(store, name)) continue;  // damaged
    bool is_intervals = strcmp(name, "intervals") == 0;
    TRY(is_intervals ? read_intervals(store, run, &table, err)
                     : read_rows(store, name, run, &table, err));
    if (json_array_size(rows_of(table)))
      json_object_set_new(tables, name, table);
    else
      json_decref(table);
  }
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

static Status add_detail(Store *store, const json_t *names, int64_t run, json_t *detail,
                         Error *err) {
  json_t *kernels;
  json_object_set_new(detail, "run", json_integer(run));
  TRY(store_select(store, &kernels, err,
                   "select * from kernels where run = ? order by kernel limit ?", "ii", run,
                   (int64_t)MOST_KERNELS));
  json_object_set_new(detail, "kernels", kernels);
  TRY(add_pairs(store, "select name, value from policy_counters where run = ?", "policies", run,
                detail, err));
  return add_tables(store, names, run, detail, err);
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

static Status add_details(Store *store, const json_t *runs, const json_t *names, json_t *details,
                          json_t *configs, Error *err) {
  json_t *row;
  size_t i;
  json_array_foreach(rows_of(runs), i, row) {
    json_t *detail = json_object();
    json_array_append_new(details, detail);
    TRY(add_detail(store, names, (int64_t)json_integer_value(json_array_get(row, 0)), detail, err));
    TRY(add_config(store, json_array_get(row, 1), configs, err));
  }
  return OK;
}

Status report_details(Store *store, json_t *data, Error *err) {
  json_t *details = json_array(), *configs = json_object(), *runs, *names = NULL;
  json_object_set_new(data, "details", details);
  json_object_set_new(data, "configs", configs);
  json_object_set_new(data, "limits",
                      json_pack("{s:i, s:i, s:i, s:i}", "details", MOST_RUNS, "kernels",
                                MOST_KERNELS, "rows", MOST_ROWS, "intervals", MOST_INTERVALS));
  TRY(choose_runs(store, data, &runs, err));
  Status status = store_select(store, &names, err, "select name from row_tables", "");
  if (status == OK) status = add_details(store, runs, names, details, configs, err);
  json_decref(runs);
  json_decref(names);
  return status;
}
