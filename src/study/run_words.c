// SPDX-License-Identifier: MIT
// The words by which tables and progress lines name the end of a run.
#include "study/run_words.h"

#include <stddef.h>
#include <string.h>

// What Heddle writes about runs that it or its user stopped.
bool run_was_stopped(const char *error) {
  static const char *const parts[] = {"stopped after ",      "stopped at cycle ",
                                      "stopped by a signal", "not finished after ",
                                      "killed by signal 2 ", "killed by signal 15 "};
  for (size_t i = 0; error && i < sizeof parts / sizeof *parts; i++)
    if (strstr(error, parts[i])) return true;
  return false;
}

const char *run_word(const char *state, const char *error) {
  if (!state) return "no result";
  if (strcmp(state, "running") == 0 || strcmp(state, "lost") == 0 || strcmp(state, "stopped") == 0)
    return state;
  return run_was_stopped(error) ? "stopped" : "FAILED";
}
