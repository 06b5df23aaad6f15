// SPDX-License-Identifier: MIT
#include "runner/case/case_run.h"

#include <signal.h>

#include "base/text/terminal.h"
#include "frontends/casefile/case.h"
#include "gpu/config/default_gpu.h"
#include "runner/case/case_engine.h"
#include "runner/case/case_target.h"
#include "runner/run_output.h"

// Global because the signal handler needs it.
static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

// The first signal requests the run to stop; a second one terminates the process.
// Ignored signals stay ignored (nohup).
static void listen_for_interrupts(void) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND}, before;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(signals[i], &action, NULL);
}

static Status execute(const Case *parsed, CaseEngine *engine, Error *err) {
  RunResult *result = engine->engine.result;
  CaseHost host = case_engine_host(engine);
  CaseOptions options = {.max_loops = engine->engine.config->run.max_loops, .stop = &interrupted};
  listen_for_interrupts();
  Seconds start = seconds_now();
  result->status = case_run(parsed, &host, &options, err);
  result->seconds = seconds_since(start);
  result->error = result->status == OK ? NULL : err->text;
  return result->status;
}

static Status take_complaint(RunResult *result, Error *err) {
  if (!result->complaint) return OK;
  if (result->complaint_status == OK) {
    char text[ERROR_TEXT_BYTES];
    snprintf(text, sizeof text, "warning: %s", result->complaint);
    terminal_message(false, text);
    return OK;
  }
  result->status = error_set(err, result->complaint_status, "%s", result->complaint);
  result->error = err->text;
  return result->status;
}

static EngineOptions engine_options(const RunSpec *spec, const RunMachine *machine) {
  EngineOptions options = {.is_functional = spec->functional,
                           .observe = machine->observers,
                           .check = spec->check,
                           .machine = {.no_skip = spec->no_skip,
                                       .per_sm = spec->per_sm,
                                       .threads = (uint32_t)spec->threads,
                                       .interval_cycles = spec->interval,
                                       .inputs = machine->inputs,
                                       .policies = &machine->plugins,
                                       .stop = &interrupted}};
  if (kernel_choice_is_given(&machine->choice)) options.choice = &machine->choice;
  return options;
}

static Status run_case(const RunSpec *spec, const Case *parsed, const RunMachine *machine,
                       RunResult *result, Error *err) {
  // With JSON on standard output, the output of kernels goes to stderr.
  FILE *print = run_output_is_stdout(spec) ? stderr : stdout;
  EngineOptions options = engine_options(spec, machine);
  CaseEngine engine;
  Progress progress;
  progress_init(&progress, stderr);
  options.progress = &progress;
  Status status = case_engine_init(&engine, &machine->config, result, &options, print, err);
  if (status == OK) {
    run_output_forget(spec);
    status = execute(parsed, &engine, err);
  }
  progress_hide(&progress);
  case_engine_clear(&engine);
  return status == OK ? take_complaint(result, err) : status;
}

static Status run_and_report(const RunSpec *spec, const Case *parsed, RunMachine *machine,
                             RunOutcome *outcome, Error *err) {
  ParamSection sections[GPU_SECTION_COUNT + 1];
  RunResult result = run_result_of(spec, machine, sections);
  result.input = parsed->source.path;
  if (outcome) TRY(json_records_create(&outcome->launches, NULL, err));
  if (outcome) result.records = outcome->launches;
  Status status = run_case(spec, parsed, machine, &result, err);
  bool began = status == OK || result.status != OK;
  if (status == OK) status = run_races_status(&result, err);
  if (began && !run_output_is_quiet(spec)) run_result_print(&result, stdout);
  if (began && outcome) outcome->result = run_result_json(&result);
  run_result_clear(&result);
  return status;
}

static void note_default_gpu(const Case *parsed, const GpuConfig *config) {
  char text[DEFAULT_GPU_NOTE_BYTES];
  if (default_gpu_note(config, case_target(parsed), text)) terminal_message(false, text);
}

Status case_run_file(const RunSpec *spec, RunMachine *machine, RunOutcome *outcome, Error *err) {
  Case *parsed;
  if (spec->arguments.count)
    return error_set(err, ERR_USAGE, "unexpected argument '%s': a case file has no options",
                     spec->arguments.items[0]);
  TRY(case_read(&parsed, spec->program, err));
  if (!spec->gpu && !spec->functional) note_default_gpu(parsed, &machine->config);
  Status status = run_and_report(spec, parsed, machine, outcome, err);
  case_destroy(parsed);
  return status;
}
