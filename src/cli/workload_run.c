// SPDX-License-Identifier: MIT
#include "cli/workload_run.h"

#include "base/arena.h"
#include "cli/arguments.h"
#include "base/shell_words.h"
#include "cli/workload.h"

static int count_words(char *const *words) {
  int count = 0;
  while (words && words[count]) count++;
  return count;
}

// The program's path, the workload's arguments, --size, and the words after `--`: if an option is
// repeated, the last value applies.
static Status make_words(const Arguments *arguments, const Workload *workload, char *path,
                         Arena *arena, char ***words, Error *err) {
  const char *size = arguments_value(arguments, "--size", NULL);
  char **own;
  TRY(shell_split(arena, workload->arguments, &own, err));
  int count = 0, own_count = count_words(own), more = count_words(arguments->program);
  char **all = ARENA_ARRAY(arena, char *, own_count + more + 4);
  all[count++] = path;
  for (int i = 0; i < own_count; i++) all[count++] = own[i];
  if (size) {
    all[count++] = arena_strdup(arena, "--size");
    all[count++] = arena_strdup(arena, size);
  }
  for (int i = 0; i < more; i++) all[count++] = arguments->program[i];
  *words = all;
  return OK;
}

Status workload_run(const Arguments *arguments, GpuConfig *config, RunOutcome *outcome,
                    Error *err) {
  Workload workload;
  Arena arena = {0};
  char path[PATH_MAX];
  const char *size = arguments_value(arguments, "--size", NULL);
  TRY(workload_find(arguments->operands[0], &workload, err));
  if (size) TRY(workload_check_size(size, err));
  TRY(workload_build(&workload, path, err));
  Arguments run = *arguments;
  Status status = make_words(arguments, &workload, path, &arena, &run.program, err);
  if (status == OK) status = program_run(&run, config, outcome, err);
  arena_clear(&arena);
  return status;
}
