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

// words: found in PATH; ends with NULL. A program that is not there is an ERR_UNSUPPORTED;
// one that fails is none: its exit code says so.
Status command_run(char *const *words, Arena *arena, CommandResult *result, Error *err);

#endif
