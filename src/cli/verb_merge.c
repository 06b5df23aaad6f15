// SPDX-License-Identifier: MIT
// heddle merge: copies the runs of several stores into one.
#include "base/text/terminal.h"
#include "cli/arguments.h"
#include "store/merge.h"

// An unreadable store is reported and does not stop the others.
static Status merge_all(Store *store, const Arguments *arguments, Error *err) {
  MergeOptions options = {.is_over = arguments_has(arguments, "--ended")};
  MergeCounts sum = {0}, counts;
  int failures = 0;
  for (int i = 1; i < arguments->operand_count; i++) {
    Error why;
    Status status = store_merge(store, arguments->operands[i], &options, &counts, &why);
    sum.runs += counts.runs;
    sum.complete += counts.complete;
    sum.others += counts.others;
    if (status == OK) continue;
    terminal_message(true, why.text);
    failures++;
  }
  printf("%s: %lld runs copied, %lld of them complete; %lld already present or still running\n",
         arguments->operands[0], (long long)(sum.complete + sum.others), (long long)sum.complete,
         (long long)(sum.runs - sum.complete - sum.others));
  if (!failures) return OK;
  return error_set(err, ERR_SYNTAX, "%d of %d stores could not be merged", failures,
                   arguments->operand_count - 1);
}

static Status run_merge(const Arguments *arguments, Error *err) {
  Store *store;
  TRY(store_open(&store, arguments->operands[0], STORE_WRITE, err));
  Status status = merge_all(store, arguments, err);
  store_close(store);
  return status;
}

static const CliOption merge_options[] = {
    {"--ended", NULL, "treat unfinished runs as lost; no process may be writing to those stores"},
    {0}};

const Verb merge_verb = {.name = "merge",
                         .summary = "copies the runs of other stores into one",
                         .operands = "DB OTHER.db...",
                         .details =
                             "Runs already present are skipped, so a merge can be repeated.\n"
                             "  heddle merge all.db monday.db tuesday.db\n",
                         .options = merge_options,
                         .min_operands = 2,
                         .max_operands = 1 << 20,
                         .run = run_merge};
