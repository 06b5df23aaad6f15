// SPDX-License-Identifier: MIT
// Engine, interrupts, progress and results around the launches of a case file or a trace.
#include "runner/local_run.h"

#include "base/signals.h"
#include "base/text/terminal.h"
#include "runner/run_output.h"

// Global because the signal handler needs it.
static volatile sig_atomic_t interrupted;

// The first signal requests the run to stop; a later one terminates the process.
static void on_interrupt(int number, siginfo_t *info, void *context) {
  (void)context;
  if (signal_is_deaf(number) && signal_is_of_terminal(info)) return;
  bool is_repeated = signal_is_repeated();
  if (interrupted && !is_repeated) {
    signal(number, SIG_DFL);
    raise(number);
  }
  interrupted = 1;
}

static void listen_for_interrupts(void) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  signals_handle(signals, sizeof signals / sizeof *signals, on_interrupt, 0);
}

static Status execute(const LocalRun *run, Engine *engine, Error *err) {
  RunResult *result = engine->result;
  listen_for_interrupts();
  Seconds start = seconds_now();
  result->status = run->launch(run->self, engine, &interrupted, err);
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

static void print_to_file(void *self, const char *text, size_t length) {
  fwrite(text, 1, length, ((const LocalRun *)self)->print);
}

static void warn(void *sink, const char *text) {
  (void)sink;
  terminal_message(false, text);
}

static EngineOptions engine_options(LocalRun *run, const RunSpec *spec, const RunMachine *machine) {
  EngineOptions options = {.is_functional = spec->functional,
                           .observe = machine->observers,
                           .check = spec->check,
                           .forward = {.launches = spec->skip_kernels,
                                       .instructions = spec->fast_forward,
                                       .checkpoint = spec->checkpoint,
                                       .restore = spec->restore},
                           .print = print_to_file,
                           .print_sink = run,
                           .warn = warn,
                           .machine = {.no_skip = spec->no_skip,
                                       .per_sm = spec->per_sm,
                                       .threads = (uint32_t)spec->threads,
                                       .interval_cycles = spec->interval,
                                       .inputs = machine->inputs,
                                       .policies = &machine->plugins,
                                       .stop = &interrupted}};
  if (spec->sample) options.sample = &machine->sample;
  if (kernel_choice_is_given(&machine->choice)) options.choice = &machine->choice;
  return options;
}

// The error of the run is the one to report, if it has one.
static Status finish_recording(Recorder *recorder, const RunResult *result, Status status,
                               Error *err) {
  RecordingAbout about = {result->input, result->gpu, result->scheme};
  Error own;
  Status finished = recorder_finish(recorder, &about, status, &own);
  if (status == OK && finished != OK) *err = own;
  return status == OK ? finished : status;
}

static Status run_engine(LocalRun *run, const RunSpec *spec, const RunMachine *machine,
                         RunResult *result, Error *err) {
  // With JSON on standard output, the output of kernels goes to stderr.
  run->print = run_output_is_stdout(spec) ? stderr : stdout;
  EngineOptions options = engine_options(run, spec, machine);
  Engine engine;
  Progress progress;
  progress_init(&progress, stderr);
  options.progress = &progress;
  if (spec->record) TRY(recorder_create(&options.recorder, spec->record, err));
  engine_init(&engine, &machine->config, result, &options);
  Status status = engine_open(&engine, err);
  if (status == OK) {
    run_output_forget(spec);
    status = execute(run, &engine, err);
  }
  progress_hide(&progress);
  if (engine.memory) engine_close(&engine);
  if (options.recorder) status = finish_recording(options.recorder, result, status, err);
  return status == OK ? take_complaint(result, err) : status;
}

Status local_run_perform(LocalRun *run, const RunSpec *spec, RunMachine *machine,
                         RunOutcome *outcome, Error *err) {
  ParamSection sections[GPU_SECTION_COUNT + 1];
  RunResult result = run_result_of(spec, machine, sections);
  result.input = run->input;
  if (outcome) TRY(json_records_create(&outcome->launches, NULL, err));
  if (outcome) result.records = outcome->launches;
  Status status = run_engine(run, spec, machine, &result, err);
  bool began = status == OK || result.status != OK;
  if (status == OK) status = run_races_status(&result, err);
  if (began && !run_output_is_quiet(spec)) run_result_print(&result, stdout);
  if (began && outcome) outcome->result = run_result_json(&result);
  run_result_clear(&result);
  return status;
}
