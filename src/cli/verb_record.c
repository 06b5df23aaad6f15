// SPDX-License-Identifier: MIT
// heddle record: a run that also writes what its warps executed, for `heddle run` to replay.
#include "base/files/file.h"
#include "cli/arguments.h"
#include "cli/run_arguments.h"
#include "runner/runner.h"

static Status check(const RunSpec *spec, Error *err) {
  if (!spec->record) return error_set(err, ERR_USAGE, "missing option: -o FILE");
  if (run_spec_program(spec) == RUN_TRACE && path_ends_with(spec->program, ".htrace"))
    return error_set(err, ERR_USAGE, "%s is a recording already", spec->program);
  if (spec->functional)
    return error_set(err, ERR_USAGE, "--functional: a recording is made of a timed run");
  return file_check_writable(spec->record, err);
}

static Status run_record(const Arguments *arguments, Error *err) {
  RunSpec spec = {0};
  Arena arena = {0};
  spec.record = arguments_value(arguments, "-o", NULL);
  Status status = run_arguments_read(arguments, &spec, &arena, err);
  if (status == OK) status = check(&spec, err);
  spec.strict = true;  // a run whose recording failed must not exit with 0
  if (status == OK) status = run_perform(&spec, err);
  arena_clear(&arena);
  return status;
}

static const CliOption record_options[] = {{"-o", "FILE", "the recording"},
#include "cli/run_options.def"
                                           {0}};

const Verb record_verb = {
    .name = "record",
    .summary = "records a run, for `heddle run` to replay without executing",
    .operands = "WORKLOAD [-- OPTIONS] | FILE.case | -- PROGRAM ARGUMENTS",
    .details =
        "Runs as `heddle run` does, and writes which instructions every warp executed, with which\n"
        "lanes and addresses (docs/traces.md). Replayed on the same machine, it has the same "
        "cycles:\n"
        "\n"
        "  heddle record spmv --size tiny --gpu v100 -o spmv.htrace\n"
        "  heddle run spmv.htrace --gpu v100 --scheme ccws\n",
    .options = record_options,
    .min_operands = 0,
    .max_operands = 1,
    .takes_program = true,
    .run = run_record};
