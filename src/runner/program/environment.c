// SPDX-License-Identifier: MIT
// Removes HEDDLE_RUN from the environment of heddle's own commands, with a note.
#include "runner/program/environment.h"

#include <stdio.h>
#include <stdlib.h>

#include "run/run_json.h"

void environment_scrub(void) {
  const char *path = getenv(RUN_FILE_VARIABLE);
  if (!path || !*path) return;
  fprintf(stderr,
          "heddle: ignored: " RUN_FILE_VARIABLE
          "=%s (runs take their options from the command "
          "line only)\n",
          path);
  unsetenv(RUN_FILE_VARIABLE);
}
