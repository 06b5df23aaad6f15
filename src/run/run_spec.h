// SPDX-License-Identifier: MIT
// A run, as one value: which program, on which machine, under which policies, how it is measured,
// and where its results go.
//
// run_rows.def describes each field in one line. The options of `heddle run` with their help, the
// keys of files, the identity of a run in a store and the hand-over to another process all come
// from that table.
//
//   RunSpec spec = {0};                                   // every field at its default
//   TRY(run_spec_set(&spec, run_row("gpu"), "v100", &arena, err));
//   TRY(run_resolve(&machine, &spec, err));               // run/run_machine.h
//
// Values are immutable and live in the arena that they were set with, so a copy of the struct is a
// run of its own: derive one run from another by copying and setting.
#ifndef RUN_RUN_SPEC_H
#define RUN_RUN_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/cycle.h"
#include "base/error.h"

// Texts in order. items[count] is NULL; items itself is NULL if the list is empty.
typedef struct RunList {
  const char *const *items;
  uint32_t count;
} RunList;

#define RUN_FIELD_TEXT const char *  // NULL: not given
#define RUN_FIELD_LIST RunList
#define RUN_FIELD_FLAG bool
#define RUN_FIELD_COUNT uint64_t  // 0: not given

typedef struct RunSpec {
#define RUN_VALUE(TYPE, field, ...) RUN_FIELD_##TYPE field;
#define RUN_OPTION(TYPE, field, ...) RUN_FIELD_##TYPE field;
#include "run/run_rows.def"
#undef RUN_VALUE
#undef RUN_OPTION
} RunSpec;

typedef enum RunType { RUN_TEXT, RUN_LIST, RUN_FLAG, RUN_COUNT } RunType;
typedef enum RunIdentity { RUN_BY_VALUE, RUN_BY_MACHINE, RUN_BY_CONTENT, RUN_BY_NONE } RunIdentity;

typedef struct RunRow {
  const char *name;    // of the field, and its key in files
  const char *option;  // of `heddle run`, or NULL
  const char *argument, *help;
  RunType type;
  RunIdentity identity;
  size_t offset;
  uint64_t minimum, maximum;  // of a RUN_COUNT
  const char *word;           // that stands for maximum + 1; or NULL
  const char *parameter;      // that the value sets: section.key; or NULL
  bool is_of_studies;         // a key of [study], for all its runs
  bool is_of_measurement;     // not of the program and the machine: a recording run drops it
} RunRow;

extern const RunRow run_rows[];  // ends with {0}
// By field or by option ("--gpu"); NULL if there is none.
const RunRow *run_row(const char *name);

// Sets a field from text, as options give it; adds to a list. A flag takes NULL, true or false.
// Values are checked as far as the row describes them.
Status run_spec_set(RunSpec *spec, const RunRow *row, const char *value, Arena *arena, Error *err);
// Back to the default.
void run_spec_unset(RunSpec *spec, const RunRow *row);
// Adds to a list.
void run_list_add(RunList *list, const char *text, Arena *arena);
bool run_spec_equal(const RunSpec *a, const RunSpec *b);

// What the program is.
typedef enum RunProgram { RUN_WORKLOAD, RUN_EXECUTABLE, RUN_CASE, RUN_TRACE } RunProgram;
extern const char *const run_program_kinds[];  // their names, NULL-terminated
// spec->kind, or by the name: a word with the ending of a case file or the name of a trace is one;
// a word with a '/' is an executable; any other word names a workload.
RunProgram run_spec_program(const RunSpec *spec);

static inline const char *text_or(const char *text, const char *otherwise) {
  return text ? text : otherwise;
}

#endif
