// SPDX-License-Identifier: MIT
// Runs a shipped program (runner/program/workload.h) with its size and arguments.
#include "runner/program/workload_run.h"

#include "base/text/shell_words.h"
#include "runner/program/workload.h"

// The workload's arguments, --size, and those of the run: if an option is repeated, the last value
// applies.
static Status add_arguments(const RunSpec *spec, const Workload *workload, RunSpec *run,
                            Arena *arena, Error *err) {
  char **own;
  TRY(shell_split(arena, workload->arguments, &own, err));
  run->arguments = (RunList){0};
  for (; *own; own++) run_list_add(&run->arguments, *own, arena);
  if (spec->size) {
    run_list_add(&run->arguments, "--size", arena);
    run_list_add(&run->arguments, spec->size, arena);
  }
  for (uint32_t i = 0; i < spec->arguments.count; i++)
    run_list_add(&run->arguments, spec->arguments.items[i], arena);
  return OK;
}

Status workload_run(const RunSpec *spec, RunMachine *machine, RunOutcome *outcome, Error *err) {
  Workload workload;
  Arena arena = {0};
  char path[PATH_MAX];
  RunSpec run = *spec;
  TRY(workload_find(spec->program, &workload, err));
  if (spec->size) TRY(workload_check_size(spec->size, err));
  TRY(workload_build(&workload, spec->variant, path, err));
  run.program = path;
  run.kind = run_program_kinds[RUN_WORKLOAD];
  Status status = add_arguments(spec, &workload, &run, &arena, err);
  if (status == OK) status = program_run(&run, machine, outcome, err);
  arena_clear(&arena);
  return status;
}
