// SPDX-License-Identifier: MIT
#define _GNU_SOURCE  // environ
#include "cli/environment.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/options.h"
#include "policies/shared/profiled_reuse.h"

static const char prefix[] = "HEDDLE_";

static void report_ignored(void) {
  const char *name, *separator = "heddle: ignored: ";
  for (size_t i = 0; (name = device_options_variable(i)); i++) {
    const char *value = getenv(name);
    if (!value || !*value) continue;
    fprintf(stderr, "%s%s", separator, name);
    separator = ", ";
  }
  if (*separator == ',') fputs(" (runs take their options from the command line only)\n", stderr);
}

static bool begins_with(const char *variable, const char *text) {
  return strncmp(variable, text, strlen(text)) == 0;
}

// HEDDLE_CLUSTER_* variables are for rewritten programs, also on real GPUs; the profile variable
// passes the file of the first run to the second (cli/recorded_run.h); --color applies to the
// messages of programs, too.
static bool is_ours(const char *variable) {
  return begins_with(variable, prefix) && !begins_with(variable, "HEDDLE_CLANG=") &&
         !begins_with(variable, "HEDDLE_CLUSTER_") && !begins_with(variable, "HEDDLE_COLOR=") &&
         !begins_with(variable, PROFILED_REUSE_ENVIRONMENT "=");
}

// Edits environ in place, because unsetenv would leave entries that are not NAME=VALUE.
void environment_scrub(void) {
  if (!getenv("HEDDLE_REPORT")) report_ignored();
  char **kept = environ;
  for (char **variable = environ; variable && *variable; variable++)
    if (!is_ours(*variable)) *kept++ = *variable;
  if (kept) *kept = NULL;
}
