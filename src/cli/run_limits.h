// SPDX-License-Identifier: MIT
// --max-cycles and the like: other ways to write parameters.
#ifndef CLI_RUN_LIMITS_H
#define CLI_RUN_LIMITS_H

#include "cli/verb.h"

// The options, for the table of a verb.
#define RUN_LIMIT_OPTIONS                                                   \
  {"--max-cycles", "N", "stop after N cycles, and report partial results"}, \
      {"--max-instructions", "N", "stop after N warp instructions"}, {      \
    "--max-ctas", "N", "stop after N completed CTAs"                        \
  }

// The assignments that the command line means, "run.max_cycles=1000": from *at,
// which begins at 0, the next one, until the next call; NULL: no more.
const char *run_limit_next(const Arguments *arguments, int *at);
// The option of the assignment that was last.
const char *run_limit_option(int at);

#endif
