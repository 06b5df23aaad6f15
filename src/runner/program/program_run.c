// SPDX-License-Identifier: MIT
// The program collects its own results and writes them to a folder
// (device/process/report_folder.h), so that they survive a crash. This file reads them, and
// writes files and tables.
#include "runner/program/program_run.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/scratch_folder.h"
#include "runner/program/program_environment.h"
#include "runner/program/program_process.h"
#include "runner/program/program_report.h"
#include "runner/run_output.h"
#include "runner/trace/kept_recordings.h"
#include "report/run_result.h"

// ---- results

static void add_counts(RunCounts *total, JsonRecords *launches) {
  Error err;
  json_t *kernel;
  uint64_t end = launches ? json_records_end(launches) : 0;
  for (uint64_t id = 0; id < end; id++) {
    if (json_records_get(launches, id, &kernel, &err) != OK || !kernel) continue;
    json_t *const counts[] = {json_object_get(kernel, "warp_instructions"),
                              json_object_get(kernel, "thread_instructions"),
                              json_object_get(kernel, "ctas")};
    total->warp_instructions += (uint64_t)json_integer_value(counts[0]);
    total->thread_instructions += (uint64_t)json_integer_value(counts[1]);
    total->ctas += (uint64_t)json_integer_value(counts[2]);
    total->launches++;
    json_decref(kernel);
  }
}

// Result of a program that wrote none, because it was killed or never used the GPU.
// It contains completed launches only.
static json_t *make_result(const RunSpec *spec, RunMachine *machine, JsonRecords *launches,
                           Seconds seconds, Status status, const Error *err) {
  ParamSection sections[GPU_SECTION_COUNT + 1];
  RunResult result = run_result_of(spec, machine, sections);
  result.seconds = seconds;
  result.status = status;
  result.error = status == OK ? NULL : err->text;
  add_counts(&result.total, launches);
  json_t *json = run_result_json(&result);
  run_result_clear(&result);
  return json;
}

static void report_several(const ProgramReport *report) {
  size_t count = json_array_size(report->reports);
  if (count > 1)
    fprintf(stderr,
            "heddle: %zu processes used the GPU; the result is that of the last one, %.*s\n", count,
            (int)strcspn(report->last, "-"), report->last);
}

// ---- interpretation of the exit

// A process id in the name of a process.
static bool is_running(const char *process) {
  long pid = strtol(process, NULL, 10);
  return pid > 0 && kill((pid_t)pid, 0) == 0;
}

// Results of a process are missing although the program exited with 0.
static Status check_whole(const char *name, const ProgramReport *report, Error *err) {
  const json_t *killed = program_report_killed(report);
  int digits = (int)strcspn(report->lost, "-");
  if (*report->lost && is_running(report->lost))
    return error_set(err, ERR_INCOMPLETE, "%s: process %.*s uses the GPU and is still running",
                     name, digits, report->lost);
  if (report->is_lost_late)
    return error_set(err, ERR_INCOMPLETE,
                     "%s: process %.*s launched kernels while it was exiting, after its results "
                     "had been written; let its threads end before main returns",
                     name, digits, report->lost);
  if (*report->lost)
    return error_set(err, ERR_INCOMPLETE,
                     "%s: process %.*s ended without writing its results: it was killed, called "
                     "exec, or ended by a system call; let it return from main or call exit()",
                     name, digits, report->lost);
  if (killed)
    return error_set(err, ERR_INCOMPLETE, "%s: a process was %s", name,
                     json_string_value(json_object_get(killed, "error")));
  if (report->has_fork)
    return error_set(err, ERR_INCOMPLETE, "%s: a process used the GPU after fork and failed", name);
  return OK;
}

// A program may ignore that a kernel or a launch failed.
static Status check_failures(const RunSpec *spec, const ProgramReport *report, Error *err) {
  char text[ERROR_TEXT_BYTES / 2];
  const char *name = spec->program;
  if (!program_report_failures(report, text, sizeof text)) return OK;
  if (spec->strict) return error_set(err, ERR_PROGRAM, "%s: %s", name, text);
  fprintf(stderr, "heddle: %s exited with 0, but %s (--strict makes this exit code 1)\n", name,
          text);
  return OK;
}

static Status find_cause(const RunSpec *spec, const ProgramReport *report, Status status,
                         Error *err) {
  const char *name = spec->program, *text;
  bool is_ours = run_spec_program(spec) == RUN_WORKLOAD;
  Status failure = program_report_failure(report, &text);
  if (status == OK && !report->has_loaded && !is_ours)
    return error_set(err, ERR_USAGE,
                     "%s does not use the simulated GPU; build it with `heddle cc`, or with "
                     "nvcc -cudart shared (docs/cuda.md)",
                     name);
  // A program may continue after an unsupported call; without any launch it has not run.
  bool has_run = status == OK && program_report_launches(report);
  if (status == OK && failure == ERR_USAGE) return error_set(err, failure, "%s: %s", name, text);
  if ((failure == ERR_UNSUPPORTED && !has_run) || failure == ERR_LIMIT)
    return error_set(err, failure, "%s: %s", name, text);
  if (status == OK && failure == ERR_INTERRUPTED)
    return error_set(err, failure, "%s: %s", name, text);
  if (status == OK) status = check_whole(name, report, err);
  return status == OK ? check_failures(spec, report, err) : status;
}

static Status explain(const RunSpec *spec, const ProgramReport *report, Status status, Error *err) {
  status = find_cause(spec, report, status, err);
  bool is_partial = report->completed < report->launched || *report->lost;
  if (status == OK || !is_partial || !report->launched) return status;
  size_t length = strlen(err->text);
  snprintf(err->text + length, sizeof err->text - length,
           "; %" PRIu64 " of %" PRIu64 " launches so far had completed", report->completed,
           report->launched);
  return status;
}

// What a store is told of a run: a failure that the program ignored is one.
static void conclude(const ProgramReport *report, Status status, RunOutcome *outcome,
                     const Error *err) {
  char text[ERROR_TEXT_BYTES / 2];
  if (status != OK)
    run_outcome_conclude(outcome, status, err->text);
  else if (program_report_failures(report, text, sizeof text))
    run_outcome_conclude(outcome, ERR_PROGRAM, text);
}

// The command line of the program.
static char **words_of(const RunSpec *spec, Arena *arena) {
  char **words = ARENA_ARRAY(arena, char *, spec->arguments.count + 2u);
  words[0] = arena_strdup(arena, spec->program);
  for (uint32_t i = 0; i < spec->arguments.count; i++)
    words[i + 1] = arena_strdup(arena, spec->arguments.items[i]);
  return words;
}

static Status start(const RunSpec *spec, Error *err) {
  Arena arena = {0};
  ProgramOutput output = run_output_is_stdout(spec) ? OUTPUT_TO_STDERR : OUTPUT_AS_OURS;
  if (spec->output) output = OUTPUT_TO_FILE;
  Status status = program_start(words_of(spec, &arena), output, spec->output, err);
  arena_clear(&arena);
  return status;
}

static Status run_and_read(const RunSpec *spec, const char *folder, ProgramReport *report,
                           Error *err) {
  TRY(start(spec, err));
  run_output_forget(spec);
  Status status = program_wait(spec->program, err);
  Error read_err;
  Status was_read = program_report_read(report, folder, &read_err);
  if (was_read != OK) return error_set(err, was_read, "%s", read_err.text);
  status = explain(spec, report, status, err);
  // The table of a program that cannot be simulated would be empty.
  bool has_table = program_report_launches(report) || status_exit_code(status) != 2;
  if (has_table && !run_output_is_quiet(spec)) program_report_print_tables(report, stdout);
  return status == OK ? program_report_races(report, err) : status;
}

static Status run_in(const RunSpec *spec, RunMachine *machine, const char *folder,
                     RunOutcome *outcome, Error *err) {
  ProgramReport report = {0};
  Seconds start_time = seconds_now();
  TRY(program_environment_set(spec, machine, folder, outcome != NULL, err));
  Status status = run_and_read(spec, folder, &report, err);
  if (report.reports && outcome) {
    Error outcome_err;
    Status got = program_report_outcome(&report, folder, outcome, &outcome_err);
    if (status == OK && got != OK) status = error_set(err, got, "%s", outcome_err.text);
    if (!outcome->result)
      outcome->result =
          make_result(spec, machine, outcome->launches, seconds_since(start_time), status, err);
    conclude(&report, status, outcome, err);
    report_several(&report);
  }
  program_report_clear(&report);
  return status;
}

static Status execute(const RunSpec *spec, RunMachine *machine, RunOutcome *outcome, Error *err) {
  ScratchFolder folder;
  // The run's description is in the folder, too.
  TRY(scratch_folder_make(&folder, "heddle-run", outcome != NULL, err));
  Status status = run_in(spec, machine, folder.path, outcome, err);
  scratch_folder_remove(&folder);
  return status;
}

Status program_run(const RunSpec *spec, RunMachine *machine, RunOutcome *outcome, Error *err) {
  if (spec->recordings) return kept_recordings_run(spec, machine, outcome, execute, err);
  return execute(spec, machine, outcome, err);
}
