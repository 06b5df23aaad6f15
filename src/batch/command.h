// SPDX-License-Identifier: MIT
// Runs an external tool and captures its output.
#ifndef BATCH_COMMAND_H
#define BATCH_COMMAND_H

#include "base/arena.h"
#include "base/error.h"

typedef struct CommandResult {
  int exit_code;       // 128 + N: ended by signal N
  const char *output;  // of standard output
  const char *errors;  // of standard error, as one line
} CommandResult;

// words: NULL-terminated; the program is searched in PATH. Fails with ERR_UNSUPPORTED if it is
// not found; a failing program is reported by its exit code, not as an error.
Status command_run(char *const *words, Arena *arena, CommandResult *result, Error *err);

#endif
