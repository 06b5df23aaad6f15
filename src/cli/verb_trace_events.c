// SPDX-License-Identifier: MIT
// heddle trace-events: runs as `heddle run` does and writes a time line in Chrome's
// trace format.
#include <string.h>

#include "base/files/file.h"
#include "base/files/replaced_file.h"
#include "cli/arguments.h"
#include "cli/run_arguments.h"
#include "report/trace_events.h"
#include "runner/runner.h"

static const CliOption trace_options[] = {
    {"--output", "FILE", "output file (or -o FILE); default trace.json"},
    {"--min-stall", "N", "minimum length of a stall in cycles; default 20"},
    {"--size", "tiny|small|paper", "problem size of a workload; default small"},
    {"--gpu", "NAME", "a shipped GPU (`heddle list gpus`) or a .cfg file; default gtx480"},
    {"--scheme", "NAME + NAME", "policies, as for `heddle run`"},
    {"--plugin", "FILE.so", "policy plugin (docs/policies.md); repeatable"},
    {"--set", "SECTION.KEY=VALUE", "set a parameter (`heddle list params`); repeatable"},
    {"--max-cycles", "N", "stop after N cycles, and report partial results"},
    {"--max-instructions", "N", "stop after N warp instructions"},
    {"--max-ctas", "N", "stop after N completed CTAs"},
    {"--kernels", "3,7-9,NAME*", "launches to trace, by number from 0 or by name"},
    {"--interval", "N", "sampling period of IPC and resident warps in cycles; default 1000"},
    {0}};

static Status write_trace(const json_t *result, const char *path, Error *err) {
  ReplacedFile out;
  TRY(replaced_file_begin(&out, path, err));
  json_t *trace = trace_events(result);
  size_t count = json_array_size(json_object_get(trace, "traceEvents"));
  json_dumpf(trace, out.file, JSON_COMPACT | JSON_REAL_PRECISION(12));
  json_decref(trace);
  TRY(replaced_file_end(&out, OK, err));
  printf("%s: %zu events; open it in ui.perfetto.dev or chrome://tracing\n", path, count);
  return OK;
}

// The user's run with the observers that a trace needs.
static Status read_run(const Arguments *arguments, RunSpec *spec, Arena *arena, Error *err) {
  const char *stall = arguments_value(arguments, "--min-stall", "20");
  TRY(run_arguments_read(arguments, spec, arena, err));
  run_list_add(&spec->observe, "ctas", arena);
  run_list_add(&spec->observe, arena_printf(arena, "stalls:min_cycles=%s", stall), arena);
  if (!spec->interval) spec->interval = 1000;
  spec->quiet = true;
  return OK;
}

static Status run_trace(const Arguments *arguments, Error *err) {
  const char *path = arguments_value(arguments, "--output", "trace.json");
  TRY(file_check_writable(path, err));
  Arena arena = {0};
  RunOutcome outcome = {0};
  RunSpec spec = {0};
  Status status = read_run(arguments, &spec, &arena, err);
  if (status == OK) status = run_capture(&spec, &outcome, err);
  Error write_err;
  Status written = run_outcome_gather(&outcome, &write_err);
  if (outcome.result && written == OK) written = write_trace(outcome.result, path, &write_err);
  run_outcome_clear(&outcome);
  arena_clear(&arena);
  if (status == OK && written != OK) return error_set(err, written, "%s", write_err.text);
  return status;
}

const Verb trace_events_verb = {
    .name = "trace-events",
    .summary = "writes a trace of kernels, CTAs and stalls for a trace viewer",
    .operands = "WORKLOAD [-- OPTIONS] | FILE.case | -- PROGRAM ARGUMENTS",
    .details = "The viewers are ui.perfetto.dev and chrome://tracing; the file is Chrome's JSON.\n",
    .options = trace_options,
    .min_operands = 1,
    .max_operands = 1,
    .takes_program = true,
    .run = run_trace};
