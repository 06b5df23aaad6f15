// SPDX-License-Identifier: MIT
// Keys of [study] that are fields of its runs: the rows of run/run_rows.def with .is_of_studies.
#include "study/run_keys.h"

#include <string.h>

#include "base/text/text_list.h"

const RunRow *run_key(const char *key) {
  const RunRow *row = run_row(key);
  return row && row->is_of_studies && strcmp(row->name, key) == 0 ? row : NULL;
}

static Status set_list(RunSpec *run, const RunRow *row, const char *list, Arena *arena,
                       Error *err) {
  const char *part;
  while ((part = text_list_next(&list, ';', arena))) TRY(run_spec_set(run, row, part, arena, err));
  return OK;
}

Status run_key_set(RunSpec *run, const RunRow *row, const char *value, Arena *arena, Error *err) {
  Error why;
  run_spec_unset(run, row);
  if (row->type == RUN_LIST) return set_list(run, row, value, arena, err);
  if (row->type == RUN_COUNT && strcmp(value, "0") == 0) return OK;
  if (run_spec_set(run, row, value, arena, &why) == OK) return OK;
  return error_set(err, ERR_SYNTAX, "%s = %.40s: %s", row->name, value, why.text);
}

void run_keys_offer(Closest *closest) {
  for (const RunRow *row = run_rows; row->name; row++)
    if (row->is_of_studies) closest_offer(closest, row->name);
}
