// SPDX-License-Identifier: MIT
#include "cli/workload_run.h"

#include "base/memory.h"
#include "cli/arguments.h"
#include "cli/workload.h"

Status workload_run(const Arguments *arguments, GpuConfig *config, RunOutcome *outcome,
                    Error *err) {
  Workload workload;
  char path[PATH_MAX], size_option[] = "--size";
  const char *size = arguments_value(arguments, "--size", NULL);
  TRY(workload_find(arguments->operands[0], &workload, err));
  if (size) TRY(workload_check_size(size, err));
  TRY(workload_build(&workload, path, err));
  int count = 0, more = 0;
  while (arguments->program && arguments->program[more]) more++;
  char **words = memory_alloc(sizeof *words * (size_t)(more + 4));
  words[count++] = path;
  if (size) {
    words[count++] = size_option;
    words[count++] = (char *)(size_t)size;
  }
  for (int i = 0; i < more; i++) words[count++] = arguments->program[i];
  words[count] = NULL;
  Arguments run = *arguments;
  run.program = words;
  Status status = program_run(&run, config, outcome, err);
  memory_free(words);
  return status;
}
