// SPDX-License-Identifier: MIT
// Runs in a report: a summary of each, and details of some.
#include "study/report/report_runs.h"

#include "base/arena.h"
#include "study/results.h"

// Columns of every run, before and after the issue slots; those missing in a store are
// omitted.
static const char *const before_slots[] = {
    "cycles",   "warp_instructions", "thread_instructions", "ctas", "launches",
    "warp_ipc", "thread_ipc",        "achieved_occupancy",  NULL};
static const char *const after_slots[] = {"lsu.load_latency",
                                          "lsu.transactions_per_load",
                                          "l1d.accesses",
                                          "l1d.hits",
                                          "l1d.merges",
                                          "l1d.misses",
                                          "l1d.cold_misses",
                                          "l1d.capacity_conflict_misses",
                                          "l1d.sector_misses",
                                          "l1d.hit_rate",
                                          "l2.accesses",
                                          "l2.hits",
                                          "l2.merges",
                                          "l2.misses",
                                          "l2.cold_misses",
                                          "l2.capacity_conflict_misses",
                                          "l2.sector_misses",
                                          "l2.hit_rate",
                                          "noc.request_bytes",
                                          "noc.reply_bytes",
                                          "dram.reads",
                                          "dram.writes",
                                          "dram.bytes",
                                          "dram.row_hits",
                                          "dram.row_misses",
                                          "dram.utilization",
                                          "dram.peak_share",
                                          "prefetch.fetches",
                                          "prefetch.used",
                                          "sampling.timed_share",
                                          "sampling.cycles_error",
                                          NULL};

static Status add_named(Store *store, const char *const *names, Arena *arena, const char **columns,
                        Error *err) {
  for (; *names; names++) {
    const char *one;
    TRY(statistic_sql(store, *names, arena, &one, err));
    if (one[0] != 't') continue;  // null: not counted
    *columns = arena_printf(arena, "%s, %s as \"%s\"", *columns, one, *names);
  }
  return OK;
}

// Where issue slots went: whatever reasons the store's runs have counted, so
// that their sum is the whole whichever version of heddle ran.
static Status add_slots(Store *store, Arena *arena, const char **columns, Error *err) {
  json_t *found, *row;
  size_t i;
  TRY(store_select(store, &found, err,
                   "select name from pragma_table_info('totals') where name glob 'sm.slot_*' "
                   "and not name glob '*[^a-z0-9_.]*' order by cid",
                   ""));
  Status status = OK;
  json_array_foreach(json_object_get(found, "rows"), i, row) {
    const char *name = arena_strdup(arena, json_string_value(json_array_get(row, 0)));
    if (status == OK)
      status = add_named(store, (const char *const[]){name, NULL}, arena, columns, err);
  }
  json_decref(found);
  return status;
}

static Status headline_sql(Store *store, Arena *arena, const char **sql, Error *err) {
  const char *columns = "";
  TRY(add_named(store, before_slots, arena, &columns, err));
  TRY(add_slots(store, arena, &columns, err));
  TRY(add_named(store, after_slots, arena, &columns, err));
  *sql = arena_printf(arena,
                      "select r.id, r.state, r.program, r.size, r.arguments, %s as settings, "
                      "r.gpu, r.scheme, r.mode, r.config, r.version, r.started, r.wall_seconds, "
                      "r.host, r.error%s from runs as r left join totals as t on t.run = r.id "
                      "order by r.id",
                      store_has_column(store, "runs", "settings") ? "r.settings" : "null", columns);
  return OK;
}

static Status add_counts(Store *store, json_t *data, Error *err) {
  json_t *states, *row, *counts = json_object();
  size_t i;
  json_object_set_new(data, "counts", counts);
  TRY(store_select(store, &states, err, "select state, count(*) from runs group by state", ""));
  json_array_foreach(json_object_get(states, "rows"), i, row)
      json_object_set(counts, json_string_value(json_array_get(row, 0)), json_array_get(row, 1));
  json_decref(states);
  return OK;
}

Status report_runs(Store *store, json_t *data, Error *err) {
  Arena arena = {0};
  const char *sql;
  json_t *runs;
  TRY(add_counts(store, data, err));
  Status status = headline_sql(store, &arena, &sql, err);
  if (status == OK) status = store_select(store, &runs, err, sql, "");
  if (status == OK) json_object_set_new(data, "runs", runs);
  arena_clear(&arena);
  return status;
}
