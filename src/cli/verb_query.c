// SPDX-License-Identifier: MIT
// heddle query: read-only SQL on a store.
#include "cli/arguments.h"
#include "store/rows_print.h"

static Status run_query(const Arguments *arguments, Error *err) {
  Store *store;
  bool csv = arguments_has(arguments, "--csv"), json = arguments_has(arguments, "--json");
  if (csv && json) return error_set(err, ERR_USAGE, "--csv or --json, not both");
  TRY(store_open(&store, arguments->operands[0], STORE_READ, err));
  RowsPrinter printer = {.file = stdout, .format = csv ? ROWS_CSV : json ? ROWS_JSON : ROWS_TABLE};
  Status status = store_check_if_small(store, err);
  if (status == OK) status = store_query(store, arguments->operands[1], rows_print, &printer, err);
  if (status == OK) rows_print_finish(&printer);
  if (status == OK && json) putchar('\n');
  store_close(store);
  return status;
}

static const CliOption query_options[] = {
    {"--csv", NULL, "print rows as CSV"}, {"--json", NULL, "print rows as JSON"}, {0}};

const Verb query_verb = {
    .name = "query",
    .summary = "runs an SQL query on a store",
    .operands = "DB SQL",
    .details =
        "docs/store.md describes the tables. Quote names that contain a dot:\n  heddle query "
        "runs.db 'select program, scheme, cycles, \"l1d.hit_rate\" from results'\n",
    .options = query_options,
    .min_operands = 2,
    .max_operands = 2,
    .run = run_query};
