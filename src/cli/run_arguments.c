// SPDX-License-Identifier: MIT
// Options and operands become fields of a RunSpec by the rows of run_rows.def.
#include "cli/run_arguments.h"

#include <string.h>

#include "base/files/file.h"
#include "cli/arguments.h"
#include "frontends/accelsim/kernels_list.h"
#include "frontends/casefile/case.h"

Status run_options_read(const Arguments *arguments, RunSpec *spec, Arena *arena, Error *err) {
  for (int i = 0; i < arguments->given_count; i++) {
    const struct GivenOption *given = &arguments->given[i];
    const RunRow *row = run_row(given->option->name);
    if (row && run_spec_set(spec, row, given->value, arena, err) != OK)
      return error_prefix(err, "%s %.40s", row->option, given->value ? given->value : "");
  }
  return OK;
}

// --trace FILE is the program of the run.
static Status read_trace(const Arguments *arguments, const char *path, RunSpec *spec, Arena *arena,
                         Error *err) {
  if (arguments->operand_count)
    return error_set(err, ERR_USAGE, "--trace %s: unexpected argument '%s'", path,
                     arguments->operands[0]);
  TRY(run_options_read(arguments, spec, arena, err));
  spec->program = spec->trace;
  spec->trace = NULL;
  spec->kind = run_program_kinds[RUN_TRACE];
  return OK;
}

// After `--` follows a program or, if a workload is named, its options.
Status run_arguments_read(const Arguments *arguments, RunSpec *spec, Arena *arena, Error *err) {
  const char *trace = arguments_value(arguments, "--trace", NULL);
  if (trace) return read_trace(arguments, trace, spec, arena, err);
  if (!arguments->operand_count)
    return error_set(err, ERR_USAGE,
                     "missing argument: a workload, a case file, --trace FILE, or -- PROGRAM");
  const char *name = arguments->operands[0];
  bool is_program = arguments->program && name == arguments->program[0];
  bool is_case = is_program ? path_ends_with(name, CASE_ENDING) : word_is_path(name, CASE_ENDING);
  TRY(run_options_read(arguments, spec, arena, err));
  spec->program = arena_strdup(arena, name);
  RunProgram kind = is_case ? RUN_CASE : is_program ? RUN_EXECUTABLE : RUN_WORKLOAD;
  if (!is_program && kernels_list_is_name(name)) kind = RUN_TRACE;
  spec->kind = run_program_kinds[kind];
  char **more = arguments->program ? arguments->program + is_program : NULL;
  for (; more && *more; more++) run_list_add(&spec->arguments, *more, arena);
  return OK;
}
