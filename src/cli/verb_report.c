// SPDX-License-Identifier: MIT
// heddle report: writes a report page from a store.
#include "cli/arguments.h"
#include "study/report/report_write.h"

static Status run_report(const Arguments *arguments, Error *err) {
  Store *store;
  const char *path = arguments_value(arguments, "--output", "report.html");
  TRY(report_check_path(path, err));
  TRY(store_open(&store, arguments->operands[0], STORE_READ, err));
  Status status = store_check(store, err);
  if (status == OK)
    status = report_write(store, arguments_value(arguments, "--study", NULL), path, err);
  store_close(store);
  if (status == OK) printf("%s\n", path);
  return status;
}

static const CliOption report_options[] = {
    {"--output", "FILE",
     "output file (or -o FILE): .html, or .json for the data only; default report.html"},
    {"--study", "NAME", "comparison or study of the store; default the latest"},
    {0}};

const Verb report_verb = {.name = "report",
                          .summary = "writes a report page of the runs in a store",
                          .operands = "DB",
                          .options = report_options,
                          .min_operands = 1,
                          .max_operands = 1,
                          .run = run_report};
