// SPDX-License-Identifier: MIT
// heddle perform: a run that a file describes. Heddle hands runs to its own child processes this
// way; `heddle run --print-run` writes such a file.
#include "cli/arguments.h"
#include "run/run_json.h"
#include "runner/runner.h"

static Status perform_file(const Arguments *arguments, Error *err) {
  RunSpec spec = {0};
  Arena arena = {0};
  Status status = run_spec_read(&spec, NULL, NULL, arguments->operands[0], &arena, err);
  if (status == OK && !spec.program)
    status = error_set(err, ERR_SYNTAX, "%s: no program", arguments->operands[0]);
  if (status == OK) status = run_perform(&spec, err);
  arena_clear(&arena);
  return status;
}

static const CliOption no_options[] = {{0}};

const Verb perform_verb = {
    .name = "perform",
    .summary = "performs a run that a file describes",
    .operands = "FILE.json",
    .details =
        "The file has one member per option that differs from its default, such as\n  "
        "{\"program\": "
        "\"matrixMul\", \"gpu\": \"v100\", \"set\": [\"gpu.sm_count=4\"], \"functional\": true}\n"
        "`heddle run --print-run ...` prints the file of a command.\n",
    .options = no_options,
    .min_operands = 1,
    .max_operands = 1,
    .run = perform_file};
