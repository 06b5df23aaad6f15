// SPDX-License-Identifier: MIT
// --max-cycles, --max-instructions, --max-ctas: shorthands for parameters.
#ifndef CLI_RUN_LIMITS_H
#define CLI_RUN_LIMITS_H

#include "cli/verb.h"

// Entries of a verb's option table.
#define RUN_LIMIT_OPTIONS                                                   \
  {"--max-cycles", "N", "stop after N cycles, and report partial results"}, \
      {"--max-instructions", "N", "stop after N warp instructions"}, {      \
    "--max-ctas", "N", "stop after N completed CTAs"                        \
  }

// Iterates over the equivalent assignments, such as "run.max_cycles=1000": returns
// the next one, valid until the next call, or NULL. *at starts at 0.
const char *run_limit_next(const Arguments *arguments, int *at);
// The option of the assignment returned last.
const char *run_limit_option(int at);

#endif
