// SPDX-License-Identifier: MIT
// Where the gain of a variant comes from: the cycles of two runs by cause.
#include "tune/gain_source.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "store/store.h"
#include "study/report/stat_meanings.h"

// A row of totals by the names of its columns; NULL if the store lacks the run.
static Status read_totals(Store *store, const char *key, json_t **row, Error *err) {
  json_t *table, *column;
  size_t i;
  TRY(store_select(store, &table, err,
                   "select t.* from totals as t join runs as r on r.id = t.run where r.job = ? and "
                   "r.state = 'complete' limit 1",
                   "t", key));
  json_t *values = json_array_get(json_object_get(table, "rows"), 0);
  *row = values ? json_object() : NULL;
  json_array_foreach(json_object_get(table, "columns"), i, column) {
    if (values) json_object_set(*row, json_string_value(column), json_array_get(values, i));
  }
  json_decref(table);
  return OK;
}

static bool is_slot(const char *name) {
  return strncmp(name, "sm.slot_", 8) == 0;
}

// Cycles per issue slot.
static double scale(const json_t *row) {
  const char *name;
  json_t *value;
  double slots = 0;
  json_object_foreach((json_t *)row, name, value) {
    if (is_slot(name)) slots += json_number_value(value);
  }
  return slots > 0 ? json_number_value(json_object_get(row, "cycles")) / slots : 0;
}

// Keeps the largest differences, in order.
static void offer(GainSource *source, GainCause cause) {
  size_t at = source->count;
  double size = fabs(cause.after - cause.before);
  if (size <= 0) return;
  while (at && fabs(source->causes[at - 1].after - source->causes[at - 1].before) < size) at--;
  if (at == GAIN_CAUSES) return;
  if (source->count < GAIN_CAUSES) source->count++;
  for (size_t i = source->count - 1; i > at; i--) source->causes[i] = source->causes[i - 1];
  source->causes[at] = cause;
}

static void compare(GainSource *source, const json_t *before, const json_t *after, Arena *arena) {
  json_t *meanings = stat_meanings(), *value;
  double a = scale(before), b = scale(after);
  const char *name;
  json_object_foreach((json_t *)before, name, value) {
    if (!is_slot(name)) continue;
    const json_t *meaning = json_object_get(meanings, name);
    const char *label = json_string_value(json_object_get(meaning, "label"));
    offer(source, (GainCause){.label = arena_strdup(arena, label ? label : name),
                              .before = json_number_value(value) * a,
                              .after = json_number_value(json_object_get(after, name)) * b});
  }
  json_decref(meanings);
}

Status gain_source_read(GainSource *source, const char *db, const char *before, const char *after,
                        Arena *arena, Error *err) {
  Store *store;
  json_t *first = NULL, *second = NULL;
  *source = (GainSource){0};
  TRY(store_open(&store, db, STORE_READ, err));
  Status status = read_totals(store, before, &first, err);
  if (status == OK) status = read_totals(store, after, &second, err);
  store_close(store);
  if (status == OK && first && second) compare(source, first, second, arena);
  json_decref(first);
  json_decref(second);
  return status;
}
