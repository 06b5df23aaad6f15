// SPDX-License-Identifier: MIT
// Environment of a program that Heddle starts: Heddle's libraries come first in its library path,
// and HEDDLE_RUN names the file with the run and its resolved configuration (run/run_json.h).
#include "runner/program/program_environment.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/own_folder.h"
#include "base/text/terminal.h"
#include "runner/program/environment.h"
#include "run/run_json.h"

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

// Programs that contain NVIDIA's runtime are redirected to ours (src/redirect/). What the
// caller preloads, such as a sanitizer, stays first.
static void append_preload(const char *folder) {
  char path[2 * PATH_MAX];
  const char *before = getenv("LD_PRELOAD");
  snprintf(path, sizeof path, "%.*s%s%s/libheddle_preload.so", PATH_MAX / 2, before ? before : "",
           before && *before ? ":" : "", folder);
  setenv("LD_PRELOAD", path, 1);
}

// ---- hand-over

Status program_environment_set(const RunSpec *spec, RunMachine *machine, const char *report,
                               bool wants_launches, Error *err) {
  char libraries[PATH_MAX], path[PATH_MAX];
  RunSpec handed = *spec;
  handed.report = report;
  handed.launches = wants_launches;
  handed.progress = true;
  // These are written by the process that waits for the program.
  handed.json = handed.db = NULL;
  TRY(program_libraries_find(libraries, err));
  snprintf(path, sizeof path, "%s/run.json", report);
  TRY(run_spec_write(&handed, &machine->config, path, err));
  environment_scrub();
  prepend_library_path(libraries);
  append_preload(libraries);
  // The machine is made in the program's process, whose heap is not ours to set up; as
  // memory_prefer_huge_pages().
  setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 0);
  terminal_describe(stdout);
  setenv(RUN_FILE_VARIABLE, path, 1);
  for (uint32_t i = 0; i < spec->environment.count; i++)
    putenv((char *)(uintptr_t)spec->environment.items[i]);
  return OK;
}
