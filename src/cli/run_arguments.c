// SPDX-License-Identifier: MIT
#include "cli/run_arguments.h"

#include <string.h>

#include "base/files/file.h"
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

// After `--` follows a program or, if a workload is named, its options.
Status run_arguments_read(const Arguments *arguments, RunSpec *spec, Arena *arena, Error *err) {
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
