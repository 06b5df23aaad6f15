// SPDX-License-Identifier: MIT
#include "cli/program_environment.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own_folder.h"
#include "base/terminal.h"
#include "cli/arguments.h"
#include "cli/environment.h"
#include "cli/run_limits.h"

enum { LIST_BYTES = 4096 };

// ---- location of the libraries

static bool holds_libraries(const char *folder) {
  char path[PATH_MAX + 32];
  snprintf(path, sizeof path, "%s/libheddle.so", folder);
  return access(path, R_OK) == 0;
}

Status program_libraries_find(char folder[PATH_MAX], Error *err) {
  char own[OWN_FOLDER_BYTES];
  TRY(own_folder(own, err));
  snprintf(folder, PATH_MAX, "%s", own);
  if (holds_libraries(folder)) return OK;
  snprintf(folder, PATH_MAX, "%s/../lib/heddle", own);
  if (holds_libraries(folder)) return OK;
  return error_set(err, ERR_IO, "libheddle.so not found in %s or %s", own, folder);
}

static void prepend_library_path(const char *folder) {
  char path[2 * PATH_MAX];
  const char *before = getenv("LD_LIBRARY_PATH");
  snprintf(path, sizeof path, "%s%s%.*s", folder, before && *before ? ":" : "", PATH_MAX,
           before ? before : "");
  setenv("LD_LIBRARY_PATH", path, 1);
}

// ---- options

static void set_option(const Arguments *arguments, const char *option, const char *variable) {
  const char *value = arguments_value(arguments, option, NULL);
  if (value) setenv(variable, value, 1);
}

static void set_flag(const Arguments *arguments, const char *option, const char *variable) {
  if (arguments_has(arguments, option)) setenv(variable, "1", 1);
}

// Appends the values of a repeatable option to a list, separated by semicolons.
static Status set_list(const Arguments *arguments, const char *option, const char *variable,
                       char list[LIST_BYTES], Error *err) {
  size_t length = strlen(list);
  const char *value;
  for (int i = 0; (value = arguments_next(arguments, option, &i));) {
    length +=
        (size_t)snprintf(list + length, LIST_BYTES - length, "%s%s", length ? ";" : "", value);
    if (length >= LIST_BYTES) return error_set(err, ERR_USAGE, "too many %s", option);
  }
  if (length) setenv(variable, list, 1);
  return OK;
}

static Status set_lists(const Arguments *arguments, Error *err) {
  char limits[LIST_BYTES] = "", observers[LIST_BYTES] = "", plugins[LIST_BYTES] = "";
  const char *assignment;
  // Limits first, as for case files: --set overrides everything else.
  for (int i = 0; (assignment = run_limit_next(arguments, &i));) {
    size_t length = strlen(limits);
    snprintf(limits + length, sizeof limits - length, "%s%s", length ? ";" : "", assignment);
  }
  TRY(set_list(arguments, "--set", "HEDDLE_SET", limits, err));
  TRY(set_list(arguments, "--plugin", "HEDDLE_PLUGIN", plugins, err));
  return set_list(arguments, "--observe", "HEDDLE_OBSERVE", observers, err);
}

Status program_environment_set(const Arguments *arguments, const char *report, bool wants_launches,
                               Error *err) {
  char libraries[PATH_MAX];
  TRY(program_libraries_find(libraries, err));
  environment_scrub();
  prepend_library_path(libraries);
  setenv("HEDDLE_REPORT", report, 1);
  terminal_describe(stdout);
  setenv("HEDDLE_PROGRESS", "1", 1);
  if (wants_launches) setenv("HEDDLE_LAUNCHES", "1", 1);
  set_option(arguments, "--gpu", "HEDDLE_GPU");
  set_option(arguments, "--scheme", "HEDDLE_SCHEME");
  set_option(arguments, "--threads", "HEDDLE_THREADS");
  set_option(arguments, "--interval", "HEDDLE_INTERVAL");
  set_option(arguments, "--accesses", "HEDDLE_ACCESSES");
  set_option(arguments, "--kernels", "HEDDLE_KERNELS");
  set_option(arguments, "--check", "HEDDLE_CHECK");
  set_flag(arguments, "--functional", "HEDDLE_FUNCTIONAL");
  set_flag(arguments, "--no-skip", "HEDDLE_NO_SKIP");
  set_flag(arguments, "--per-sm", "HEDDLE_PER_SM");
  return set_lists(arguments, err);
}
