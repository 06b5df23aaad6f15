// SPDX-License-Identifier: MIT
// Queries the store for the runs of a study and their statistics.
#include "study/results.h"

#include <string.h>

#include "base/text/closest.h"

// Names come from users' files: only what can be a name goes into SQL.
static bool is_plain(const char *name) {
  return *name &&
         !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")];
}

Status statistic_sql(Store *store, const char *name, Arena *arena, const char **sql, Error *err) {
  static const char prefix[] = "policies.";
  *sql = "null";
  if (!is_plain(name)) return error_set(err, ERR_SYNTAX, "unknown statistic '%.80s'", name);
  if (strncmp(name, prefix, sizeof prefix - 1) == 0) {
    *sql = arena_printf(arena,
                        "(select value from policy_counters as p where p.run = r.id and p.name = "
                        "'%s')",
                        name + sizeof prefix - 1);
    return OK;
  }
  if (store_has_column(store, "totals", name)) *sql = arena_printf(arena, "t.\"%s\"", name);
  return OK;
}

static Status make_sql(Store *store, const char *const *names, size_t count, Arena *arena,
                       const char **sql, Error *err) {
  const char *columns = "";
  for (size_t i = 0; i < count; i++) {
    const char *one;
    TRY(statistic_sql(store, names[i], arena, &one, err));
    columns = arena_printf(arena, "%s, %s as \"%s\"", columns, one, names[i]);
  }
  *sql = arena_printf(arena,
                      "select s.workload, s.gpu, s.scheme, r.id as run%s from study_runs as s left "
                      "join runs as r on r.job = s.job and r.state = 'complete' left join totals "
                      "as t on t.run = r.id where s.study = (select id from studies where name = "
                      "?) order by s.position",
                      columns);
  return OK;
}

Status study_results(Store *store, const char *study, const char *const *names, size_t count,
                     json_t **table, Error *err) {
  Arena arena = {0};
  const char *sql;
  Status status = make_sql(store, names, count, &arena, &sql, err);
  if (status == OK) status = store_select(store, table, err, sql, "t", study);
  arena_clear(&arena);
  return status;
}

Status study_outcomes(Store *store, const char *study, json_t **table, Error *err) {
  return store_select(store, table, err,
                      "select r.state, r.error from study_runs as s left join (select job, max(id) "
                      "as id from runs where job is not null group by job) as last on last.job = "
                      "s.job left join runs as r on r.id = last.id where s.study = (select id from "
                      "studies where name = ?) order by s.position",
                      "t", study);
}

static Status unknown_study(Store *store, const char *wanted, Error *err) {
  json_t *names, *row;
  size_t i;
  Closest closest = closest_start(wanted);
  TRY(store_select(store, &names, err, "select name from studies", ""));
  json_array_foreach(json_object_get(names, "rows"), i, row)
      closest_offer(&closest, json_string_value(json_array_get(row, 0)));
  json_decref(names);
  return error_set(err, ERR_USAGE, "unknown study '%.80s' in the store%s%s%s", wanted,
                   CLOSEST_HINT(closest));
}

Status study_stored(Store *store, const char *wanted, json_t **row, Error *err) {
  json_t *found;
  TRY(store_select(store, &found, err,
                   "select name, definition, updated from studies where ?1 is null or name = ?1 "
                   "order by updated desc, id desc limit 1",
                   "t", wanted));
  *row = json_incref(json_array_get(json_object_get(found, "rows"), 0));
  json_decref(found);
  return wanted && !*row ? unknown_study(store, wanted, err) : OK;
}
