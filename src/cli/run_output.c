// SPDX-License-Identifier: MIT
#include "cli/run_output.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/terminal.h"
#include "cli/arguments.h"
#include "report/run_result.h"

bool run_output_is_stdout(const Arguments *arguments) {
  return strcmp(arguments_value(arguments, "--json", ""), "-") == 0;
}

bool run_output_is_quiet(const Arguments *arguments) {
  return arguments_has(arguments, "--quiet") || arguments_has(arguments, "--stats-format") ||
         run_output_is_stdout(arguments);
}

void run_output_forget(const Arguments *arguments) {
  const char *path = arguments_value(arguments, "--json", NULL);
  struct stat about;
  if (!path || lstat(path, &about) != 0) return;
  if (S_ISREG(about.st_mode)) unlink(path);
  // The target of a link is truncated, so that the result replaces it.
  if (S_ISLNK(about.st_mode) && stat(path, &about) == 0 && S_ISREG(about.st_mode)) {
    int ignored = truncate(path, 0);
    (void)ignored;
  }
}

Status run_output_write(const Arguments *arguments, const RunOutcome *outcome, Status status,
                        Error *err) {
  const char *path = arguments_value(arguments, "--json", NULL);
  Error write_err;
  if (!path || !outcome->result) return status;
  Status written = run_json_write(outcome->result, outcome->launches, path, &write_err);
  if (written == OK) return status;
  if (status == OK) return error_set(err, written, "%s", write_err.text);
  terminal_message(true, write_err.text);
  return status;
}
