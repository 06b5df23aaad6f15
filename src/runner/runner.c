// SPDX-License-Identifier: MIT
// Performs one run: a case file in this process, an executable or a workload as a child process.
#include "runner/runner.h"

#include "base/files/file.h"
#include "runner/case/case_run.h"
#include "runner/program/program_run.h"
#include "runner/recorded_run.h"
#include "runner/run_input.h"
#include "runner/run_output.h"
#include "runner/run_store.h"
#include "runner/trace/trace_run.h"
#include "runner/program/workload.h"
#include "runner/program/workload_run.h"

// A workload is found by name, whatever files there are.
static Status check_input(const RunSpec *spec, Error *err) {
  Workload workload;
  Error ignored;
  RunProgram kind = run_spec_program(spec);
  if (kind == RUN_WORKLOAD && workload_find(spec->program, &workload, &ignored) == OK) return OK;
  return run_input_check(spec->program, kind == RUN_EXECUTABLE, err);
}

static Status perform_kind(const RunSpec *spec, RunMachine *machine, RunOutcome *outcome,
                           Error *err) {
  RunProgram kind = run_spec_program(spec);
  if (kind == RUN_WORKLOAD) return workload_run(spec, machine, outcome, err);
  if (spec->size)
    return error_set(err, ERR_USAGE, "--size applies to workloads; %s is not a workload",
                     spec->program);
  if (kind == RUN_CASE) return case_run_file(spec, machine, outcome, err);
  if (kind == RUN_TRACE) return trace_run_file(spec, machine, outcome, err);
  return program_run(spec, machine, outcome, err);
}

// A run with its profile is another one, with a machine of its own.
static Status perform_recorded(RecordedRun *recorded, RunOutcome *outcome, Error *err) {
  RunMachine machine = {0};
  Status status = run_resolve(&machine, &recorded->spec, err);
  if (status == OK) status = perform_kind(&recorded->spec, &machine, outcome, err);
  run_machine_clear(&machine);
  return status;
}

static Status perform(const RunSpec *spec, RunMachine *machine, RunOutcome *outcome, Error *err) {
  RecordedRun recorded = {0};
  TRY(run_resolve(machine, spec, err));
  TRY(file_check_writable(text_or(spec->json, "-"), err));
  TRY(check_input(spec, err));
  Status status = OK;
  if (!spec->functional) status = recorded_run_make(&recorded, spec, machine, err);
  if (status == OK)
    status = recorded.is_made ? perform_recorded(&recorded, outcome, err)
                              : perform_kind(spec, machine, outcome, err);
  recorded_run_clear(&recorded);
  return status;
}

Status run_capture(const RunSpec *spec, RunOutcome *captured, Error *err) {
  RunMachine machine = {0};
  RunOutcome own = {0}, *outcome = captured;
  if (!outcome && spec->json) outcome = &own;
  Status status = perform(spec, &machine, outcome, err);
  if (outcome) status = run_output_write(spec, outcome, status, err);
  run_outcome_clear(&own);
  run_machine_clear(&machine);
  return status;
}

Status run_perform(const RunSpec *spec, Error *err) {
  bool wants_result = spec->db || spec->stats_format;
  return wants_result ? run_for_result(spec, err) : run_capture(spec, NULL, err);
}
