// SPDX-License-Identifier: MIT
#define _GNU_SOURCE  // environ
#include "cli/environment.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/options.h"

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

static bool is_ours(const char *variable) {
  return strncmp(variable, prefix, sizeof prefix - 1) == 0 &&
         strncmp(variable, "HEDDLE_CLANG=", sizeof "HEDDLE_CLANG=" - 1) != 0;
}

// In place: unsetenv would leave entries that are no NAME=VALUE.
void environment_scrub(void) {
  if (!getenv("HEDDLE_REPORT")) report_ignored();
  char **kept = environ;
  for (char **variable = environ; variable && *variable; variable++)
    if (!is_ours(*variable)) *kept++ = *variable;
  if (kept) *kept = NULL;
}
