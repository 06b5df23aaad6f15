// SPDX-License-Identifier: MIT
#include "cli/run_limits.h"

#include "cli/arguments.h"

static const struct {
  const char *option, *parameter;
} limits[] = {{"--max-cycles", "run.max_cycles"},
              {"--max-instructions", "run.max_instructions"},
              {"--max-ctas", "run.max_ctas"}};
enum { LIMITS = sizeof limits / sizeof *limits };

const char *run_limit_option(int at) {
  return limits[at - 1].option;
}

const char *run_limit_next(const Arguments *arguments, int *at) {
  static char assignment[128];
  while (*at < LIMITS) {
    int i = (*at)++;
    const char *value = arguments_value(arguments, limits[i].option, NULL);
    if (!value) continue;
    snprintf(assignment, sizeof assignment, "%s=%.80s", limits[i].parameter, value);
    return assignment;
  }
  return NULL;
}
