// SPDX-License-Identifier: MIT
// Sets, compares and copies the fields of a run by the rows of run_rows.def.
#include "run/run_spec.h"

#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "frontends/accelsim/kernels_list.h"
#include "frontends/casefile/case.h"
#include "gpu/config/gpu_config.h"

// clang-format off
const RunRow run_rows[] = {
#define RUN_VALUE(TYPE, field, IDENTITY, ...)                        \
  {.name = #field, .type = RUN_##TYPE, .identity = RUN_BY_##IDENTITY, \
   .offset = offsetof(RunSpec, field), .help = __VA_ARGS__},
#define RUN_OPTION(TYPE, field, option_, argument_, IDENTITY, ...)                            \
  {.name = #field, .option = (option_), .argument = (argument_), .type = RUN_##TYPE,          \
   .identity = RUN_BY_##IDENTITY, .offset = offsetof(RunSpec, field), .help = __VA_ARGS__},
#include "run/run_rows.def"
#undef RUN_VALUE
#undef RUN_OPTION
    {0}};
// clang-format on

const RunRow *run_row(const char *name) {
  for (const RunRow *row = run_rows; row->name; row++)
    if (strcmp(row->name, name) == 0 || (row->option && strcmp(row->option, name) == 0)) return row;
  return NULL;
}

static void *field_of(const RunSpec *spec, const RunRow *row) {
  return (char *)(uintptr_t)spec + row->offset;
}

// ---- setting

void run_list_add(RunList *list, const char *text, Arena *arena) {
  const char **items = ARENA_ARRAY(arena, const char *, list->count + 2u);
  for (uint32_t i = 0; i < list->count; i++) items[i] = list->items[i];
  items[list->count] = arena_strdup(arena, text);
  *list = (RunList){items, list->count + 1};
}

static Status set_flag(bool *flag, const char *value, Error *err) {
  *flag = !value || strcmp(value, "true") == 0;
  if (*flag || strcmp(value, "false") == 0) return OK;
  return error_set(err, ERR_USAGE, "expected true or false");
}

static Status set_count(uint64_t *count, const RunRow *row, const char *value, Error *err) {
  char *end = "";
  if (row->word && strcmp(value, row->word) == 0) {
    *count = row->maximum + 1;
    return OK;
  }
  if (*value >= '0' && *value <= '9') *count = strtoull(value, &end, 10);
  bool is_number = *value >= '0' && *value <= '9' && !*end;
  if (is_number && *count >= row->minimum && *count <= row->maximum) return OK;
  *count = 0;
  return error_set(err, ERR_USAGE, "expected a number from %llu to %llu%s%s",
                   (unsigned long long)row->minimum, (unsigned long long)row->maximum,
                   row->word ? ", or " : "", row->word ? row->word : "");
}

Status run_spec_set(RunSpec *spec, const RunRow *row, const char *value, Arena *arena, Error *err) {
  void *field = field_of(spec, row);
  switch (row->type) {
    case RUN_TEXT: *(const char **)field = arena_strdup(arena, value); return OK;
    case RUN_LIST: run_list_add(field, value, arena); return OK;
    case RUN_FLAG: return set_flag(field, value, err);
    default: return set_count(field, row, value, err);
  }
}

void run_spec_unset(RunSpec *spec, const RunRow *row) {
  static const size_t sizes[] = {[RUN_TEXT] = sizeof(const char *),
                                 [RUN_LIST] = sizeof(RunList),
                                 [RUN_FLAG] = sizeof(bool),
                                 [RUN_COUNT] = sizeof(uint64_t)};
  memset(field_of(spec, row), 0, sizes[row->type]);
}

// ---- comparison

static bool texts_equal(const char *a, const char *b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool lists_equal(const RunList *a, const RunList *b) {
  if (a->count != b->count) return false;
  for (uint32_t i = 0; i < a->count; i++)
    if (strcmp(a->items[i], b->items[i]) != 0) return false;
  return true;
}

static bool fields_equal(const RunRow *row, const void *a, const void *b) {
  switch (row->type) {
    case RUN_TEXT: return texts_equal(*(const char *const *)a, *(const char *const *)b);
    case RUN_LIST: return lists_equal(a, b);
    case RUN_FLAG: return *(const bool *)a == *(const bool *)b;
    default: return *(const uint64_t *)a == *(const uint64_t *)b;
  }
}

bool run_spec_equal(const RunSpec *a, const RunSpec *b) {
  for (const RunRow *row = run_rows; row->name; row++)
    if (!fields_equal(row, field_of(a, row), field_of(b, row))) return false;
  return true;
}

const char *const run_program_kinds[] = {"workload", "executable", "case", "trace", NULL};

RunProgram run_spec_program(const RunSpec *spec) {
  for (RunProgram kind = RUN_WORKLOAD; spec->kind && kind <= RUN_TRACE; kind++)
    if (strcmp(spec->kind, run_program_kinds[kind]) == 0) return kind;
  if (path_ends_with(spec->program, CASE_ENDING)) return RUN_CASE;
  if (kernels_list_is_name(spec->program)) return RUN_TRACE;
  return strchr(spec->program, '/') ? RUN_EXECUTABLE : RUN_WORKLOAD;
}
