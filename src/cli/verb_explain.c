// SPDX-License-Identifier: MIT
// heddle explain: why a program's kernels take their time, and what to change.
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "cli/arguments.h"
#include "cli/run_arguments.h"
#include "explain/explain.h"
#include "study/report/report_write.h"

static Status write_json(json_t *json, const char *path, Error *err) {
  bool is_stdout = strcmp(path, "-") == 0;
  int failed = is_stdout ? json_dumpf(json, stdout, JSON_INDENT(2))
                         : json_dump_file(json, path, JSON_INDENT(2));
  if (is_stdout) putchar('\n');
  json_decref(json);
  return failed ? error_set(err, ERR_IO, "cannot write %s", path) : OK;
}

static Status explain_given(const Arguments *arguments, Explanation *explanation, Error *err) {
  const char *json = arguments_value(arguments, "--json", NULL);
  const char *page = arguments_value(arguments, "--report", NULL);
  ExplainRequest request = {.has_page = page != NULL,
                            .quiet = arguments_has(arguments, "--quiet"),
                            .shows_source = arguments_has(arguments, "--source")};
  if (json) TRY(file_check_writable(json, err));
  if (page) TRY(report_check_path(page, err));
  TRY(run_arguments_read(arguments, &request.run, &explanation->arena, err));
  request.run.json = NULL;
  request.run.quiet = false;
  TRY(arguments_number(arguments, "--jobs", 1, 1024, &request.processes, err));
  TRY(explain(explanation, &request, err));
  if (!json || strcmp(json, "-") != 0) explanation_print(explanation, stdout);
  if (json) TRY(write_json(explanation_json(explanation), json, err));
  if (page) TRY(explanation_write_page(explanation, &request.run, page, err));
  return explanation->was_stopped
             ? error_set(err, ERR_INTERRUPTED, "stopped by the user: some runs are missing")
             : OK;
}

static Status run_explain(const Arguments *arguments, Error *err) {
  Explanation *explanation = calloc(1, sizeof *explanation);
  if (!explanation) return error_set(err, ERR_IO, "out of memory");
  Status status = explain_given(arguments, explanation, err);
  explanation_clear(explanation);
  free(explanation);
  return status;
}

static const CliOption explain_options[] = {
    {"--gpu", "NAME", "a shipped GPU (`heddle list gpus`) or a .cfg file; default gtx480"},
    {"--scheme", "NAME + NAME", "policies of the machine, as for `heddle run`"},
    {"--set", "SECTION.KEY=VALUE", "set a parameter (`heddle list params`); repeatable"},
    {"--size", "tiny|small|paper", "problem size of a workload; default small"},
    {"--kernels", "3,7-9,NAME*", "launches to time; the others run functionally"},
    {"--source", NULL, "print the source of each kernel, with the cost of its lines in the margin"},
    {"--report", "FILE", "write a report page (.html) or its data (.json)"},
    {"--jobs", "N", "runs at a time; default: one per core"},
    {"--json", "FILE", "write the explanation as JSON; - is standard output"},
    {"--quiet", NULL, "no progress"},
    {0}};

const Verb explain_verb = {
    .name = "explain",
    .summary = "says why kernels are slow, what would happen if not, and what to change",
    .operands = "WORKLOAD [-- OPTIONS] | FILE.case | -- PROGRAM ARGUMENTS",
    .details =
        "Runs the program as it is, then with one cost removed at a time (`--ideal` of heddle\n"
        "run), and reports the gains. Advice follows from rules whose preconditions were\n"
        "measured; see docs/explain.md.\n"
        "  heddle cc -lineinfo prog.cu -o prog && heddle explain --gpu v100 -- ./prog\n",
    .options = explain_options,
    .min_operands = 1,
    .max_operands = 1,
    .takes_program = true,
    .run = run_explain};
