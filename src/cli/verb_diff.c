// SPDX-License-Identifier: MIT
// heddle diff: what changed between two runs.
#include <string.h>

#include "base/files/file.h"
#include "cli/arguments.h"
#include "cli/run_arguments.h"
#include "explain/diff.h"
#include "study/report/report_write.h"

static Status write_json(json_t *json, const char *path, Error *err) {
  bool is_stdout = strcmp(path, "-") == 0;
  int failed = is_stdout ? json_dumpf(json, stdout, JSON_INDENT(2))
                         : json_dump_file(json, path, JSON_INDENT(2));
  if (is_stdout) putchar('\n');
  return failed ? error_set(err, ERR_IO, "cannot write %s", path) : OK;
}

static Status diff_given(const Arguments *arguments, Arena *arena, Error *err) {
  const char *path = arguments_value(arguments, "--json", NULL);
  const char *page = arguments_value(arguments, "--report", NULL);
  DiffRequest request = {.before = arguments->operands[0],
                         .after = arguments->operands[1],
                         .quiet = arguments_has(arguments, "--quiet")};
  json_t *json = NULL;
  if (path) TRY(file_check_writable(path, err));
  if (page) TRY(report_check_path(page, err));
  TRY(run_options_read(arguments, &request.run, arena, err));
  request.run.json = NULL;
  request.run.quiet = false;
  bool is_silent = path && strcmp(path, "-") == 0;
  FILE *file = is_silent ? fopen("/dev/null", "w") : stdout;
  if (!file) return error_set(err, ERR_IO, "cannot open /dev/null");
  Status status = diff_runs(&request, file, &json, err);
  if (is_silent) fclose(file);
  if (status == OK && path) status = write_json(json, path, err);
  if (status == OK && page) status = diff_write_page(&request, json, page, err);
  json_decref(json);
  return status;
}

static Status run_diff(const Arguments *arguments, Error *err) {
  Arena arena = {0};
  Status status = diff_given(arguments, &arena, err);
  arena_clear(&arena);
  return status;
}

static const CliOption diff_options[] = {
    {"--gpu", "NAME", "of programs that are run: a shipped GPU or a .cfg file; default gtx480"},
    {"--scheme", "NAME + NAME", "of programs that are run: policies"},
    {"--set", "SECTION.KEY=VALUE", "of programs that are run: a parameter; repeatable"},
    {"--size", "tiny|small|paper", "of workloads that are run; default small"},
    {"--json", "FILE", "write the differences as JSON; - is standard output"},
    {"--report", "FILE", "write a report page (.html) or its data (.json)"},
    {"--quiet", NULL, "no progress"},
    {0}};

const Verb diff_verb = {
    .name = "diff",
    .summary = "compares two runs: cycles, counters, causes and source lines",
    .operands = "A B",
    .details =
        "A and B are results of `heddle run --json` (FILE.json), runs of a store\n"
        "(STORE.db:RUN), or programs, which are run; see docs/explain.md.\n"
        "  heddle diff before.json after.json\n"
        "  heddle diff --gpu v100 ./original ./optimised\n",
    .options = diff_options,
    .min_operands = 2,
    .max_operands = 2,
    .run = run_diff};
