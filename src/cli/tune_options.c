// SPDX-License-Identifier: MIT
// Options of classify and tune become a TuneRequest.
#include "cli/tune_options.h"

#include <string.h>

#include "cli/arguments.h"

Status tune_options_read(const Arguments *arguments, TuneRequest *request, Arena *arena,
                         Error *err) {
  const char *program = arguments->operands[0];
  *request = (TuneRequest){.program = program,
                           .is_executable = arguments->program && program == arguments->program[0],
                           .words = arguments->program,
                           .arguments = arguments_value(arguments, "--arguments", ""),
                           .size = arguments_value(arguments, "--size", "tiny"),
                           .db = arguments_value(arguments, "--db", "classify.db"),
                           .run = {.gpu = arguments_value(arguments, "--gpu", "k40"),
                                   .set = arguments_list(arguments, "--set", arena)},
                           .limit_seconds = 600,
                           .quiet = arguments_has(arguments, "--quiet")};
  TRY(arguments_number(arguments, "--jobs", 1, 1024, &request->processes, err));
  return arguments_number(arguments, "--limit", 1, 1 << 30, &request->limit_seconds, err);
}

bool tune_options_print(const Arguments *arguments) {
  return !arguments_has(arguments, "--quiet") &&
         strcmp(arguments_value(arguments, "--json", ""), "-") != 0;
}
