// SPDX-License-Identifier: MIT
// heddle run: runs a case file, or starts a program. A run that fails or is
// interrupted still writes its results so far, marked as incomplete.
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/terminal.h"
#include "cli/arguments.h"
#include "cli/case_engine.h"
#include "cli/case_target.h"
#include "cli/program_run.h"
#include "cli/recorded_run.h"
#include "cli/run_input.h"
#include "cli/run_limits.h"
#include "cli/run_output.h"
#include "cli/run_store.h"
#include "cli/workload.h"
#include "cli/workload_run.h"
#include "device/observer_list.h"
#include "frontends/casefile/case.h"
#include "gpu/default_gpu.h"
#include "gpu/scheme.h"
#include "policies/plugin.h"

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

// ---- options

// In order of increasing priority: GPU, scheme, limits, single parameters.
static Status read_config(const Arguments *arguments, const PolicySet *policies, GpuConfig *config,
                          Error *err) {
  TRY(scheme_config(config, arguments_value(arguments, "--gpu", NULL),
                    arguments_value(arguments, "--scheme", NULL), policies, err));
  const char *assignment;
  for (int i = 0; (assignment = run_limit_next(arguments, &i));)
    if (gpu_config_assign(config, assignment, err) != OK)
      return error_prefix(err, "%s", run_limit_option(i));
  for (int i = 0; (assignment = arguments_next(arguments, "--set", &i));)
    if (gpu_config_assign(config, assignment, err) != OK)
      return error_prefix(err, "--set %.80s", assignment);
  return OK;
}

static Status read_interval(const Arguments *arguments, Cycle *cycles, Error *err) {
  const char *text = arguments_value(arguments, "--interval", NULL);
  if (!text) return OK;
  char *end;
  *cycles = strtoull(text, &end, 10);
  if (*text >= '0' && *text <= '9' && !*end && *cycles && *cycles < NEVER / 2) return OK;
  return error_set(err, ERR_USAGE, "--interval %.40s: expected a number of cycles", text);
}

static Status read_accesses(const Arguments *arguments, uint32_t *rows, Error *err) {
  const char *text = arguments_value(arguments, "--accesses", NULL);
  if (!text) return OK;
  char *end;
  unsigned long value = strtoul(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || !value)
    return error_set(err, ERR_USAGE, "--accesses %.40s: expected a number of rows, 1 or more",
                     text);
  *rows = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
  return OK;
}

static Status read_threads(const Arguments *arguments, uint32_t *threads, Error *err) {
  enum { MOST = 256 };
  const char *text = arguments_value(arguments, "--threads", "1");
  char *end;
  unsigned long value = strtoul(text, &end, 10);
  if (*end || value < 1 || value > MOST)
    return error_set(err, ERR_USAGE, "--threads %.40s: expected a number from 1 to %d", text, MOST);
  *threads = (uint32_t)value;
  return OK;
}

// All values of --observe, separated by semicolons.
static const char *observers_of(const Arguments *arguments, Arena *arena) {
  const char *spec, *list = "";
  for (int i = 0; (spec = arguments_next(arguments, "--observe", &i));)
    list = arena_printf(arena, "%s;%s", list, spec);
  return list;
}

static Status read_observers(const Arguments *arguments, const PolicySet *policies, Arena *arena,
                             const char **list, Error *err) {
  *list = observers_of(arguments, arena);
  return observer_list_check(*list, policies, arguments_has(arguments, "--functional"), err);
}

static Status read_check(const Arguments *arguments, const char **check, Error *err) {
  RaceOptions races;
  *check = arguments_value(arguments, "--check", NULL);
  if (!*check || race_options_read(&races, *check, err) == OK) return OK;
  return error_prefix(err, "--check %.80s", *check);
}

static Status read_choice(const Arguments *arguments, KernelChoice *choice, Error *err) {
  const char *text = arguments_value(arguments, "--kernels", NULL);
  if (!text) return OK;
  if (arguments_has(arguments, "--functional"))
    return error_set(err, ERR_USAGE,
                     "--kernels selects launches to time and cannot be combined with --functional");
  if (kernel_choice_parse(choice, text, err) == OK) return OK;
  return error_prefix(err, "--kernels %.80s", text);
}

// Options of an engine; those of programs are checked before the program starts.
typedef struct RunOptions {
  EngineOptions engine;
  uint32_t shown_accesses;
  KernelChoice choice;
  Arena arena;
} RunOptions;

static Status read_options(const Arguments *arguments, const PolicySet *policies,
                           RunOptions *options, Error *err) {
  EngineOptions *engine = &options->engine;
  engine->is_functional = arguments_has(arguments, "--functional");
  engine->machine.no_skip = arguments_has(arguments, "--no-skip");
  engine->machine.per_sm = arguments_has(arguments, "--per-sm");
  engine->machine.policies = policies;
  engine->machine.stop = &interrupted;
  TRY(read_observers(arguments, policies, &options->arena, &engine->observe, err));
  TRY(read_threads(arguments, &engine->machine.threads, err));
  TRY(read_accesses(arguments, &options->shown_accesses, err));
  TRY(read_interval(arguments, &engine->machine.interval_cycles, err));
  TRY(read_check(arguments, &engine->check, err));
  TRY(read_choice(arguments, &options->choice, err));
  if (kernel_choice_is_given(&options->choice)) engine->choice = &options->choice;
  return OK;
}

static void clear_options(RunOptions *options) {
  kernel_choice_clear(&options->choice);
  arena_clear(&options->arena);
}

// ---- case files

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

static Status run_case(const Arguments *arguments, const Case *parsed, const GpuConfig *config,
                       RunOptions *options, RunResult *result, Error *err) {
  // With JSON on standard output, the output of kernels goes to stderr.
  FILE *print = run_output_is_stdout(arguments) ? stderr : stdout;
  CaseEngine engine;
  Progress progress;
  progress_init(&progress, stderr);
  options->engine.progress = &progress;
  Status status = case_engine_init(&engine, config, result, &options->engine, print, err);
  if (status == OK) {
    run_output_forget(arguments);
    status = execute(parsed, &engine, err);
  }
  progress_hide(&progress);
  case_engine_clear(&engine);
  return status == OK ? take_complaint(result, err) : status;
}

static Status run_and_report(const Arguments *arguments, const Case *parsed, GpuConfig *config,
                             RunOptions *options, RunOutcome *outcome, Error *err) {
  ParamSection sections[GPU_SECTION_COUNT + 1];
  gpu_config_sections(config, sections);
  bool functional = options->engine.is_functional;
  const char *scheme = arguments_value(arguments, "--scheme", config->policy.warp_scheduler);
  RunResult result = {.input = parsed->source.path,
                      .mode = functional ? "functional" : "timing",
                      .scheme = functional ? NULL : scheme,
                      .gpu = config->gpu.name,
                      .sm_count = config->gpu.sm_count,
                      .core_clock_mhz = config->gpu.core_clock_mhz,
                      .shown_accesses = options->shown_accesses,
                      .config = sections};
  if (outcome) TRY(json_records_create(&outcome->launches, NULL, err));
  if (outcome) result.records = outcome->launches;
  Status status = run_case(arguments, parsed, config, options, &result, err);
  bool began = status == OK || result.status != OK;
  if (status == OK) status = run_races_status(&result, err);
  if (began && !run_output_is_quiet(arguments)) run_result_print(&result, stdout);
  if (began && outcome) outcome->result = run_result_json(&result);
  run_result_clear(&result);
  return status;
}

static void note_default_gpu(const Case *parsed, const GpuConfig *config) {
  char text[DEFAULT_GPU_NOTE_BYTES];
  if (default_gpu_note(config, case_target(parsed), text)) terminal_message(false, text);
}

static Status run_case_file(const Arguments *arguments, GpuConfig *config, RunOptions *options,
                            RunOutcome *outcome, Error *err) {
  const char *path = arguments->operands[0];
  Case *parsed;
  if (arguments->operand_count > 1)
    return error_set(err, ERR_USAGE, "unexpected argument '%s': a case file has no options",
                     arguments->operands[1]);
  TRY(case_read(&parsed, path, err));
  if (!arguments_has(arguments, "--gpu") && !options->engine.is_functional)
    note_default_gpu(parsed, config);
  Status status = run_and_report(arguments, parsed, config, options, outcome, err);
  case_destroy(parsed);
  return status;
}

// ---- dispatch

// A workload is found by name, whatever files there are.
static Status check_input(const char *name, bool is_program, Error *err) {
  Workload workload;
  Error ignored;
  bool is_workload = !is_program && !word_is_path(name, CASE_ENDING) &&
                     workload_find(name, &workload, &ignored) == OK;
  return is_workload ? OK : run_input_check(name, is_program, err);
}

// After `--` follows a program or, if a workload is named, its options.
static Status run_with(const Arguments *arguments, const PolicySet *policies, RunOptions *options,
                       RunOutcome *outcome, Error *err) {
  const char *name = arguments->operands[0], *json = arguments_value(arguments, "--json", "-");
  bool is_program = arguments->program && name == arguments->program[0];
  GpuConfig config;
  TRY(read_config(arguments, policies, &config, err));
  TRY(read_options(arguments, policies, options, err));
  TRY(file_check_writable(json, err));
  TRY(check_input(name, is_program, err));
  if (!is_program && !word_is_path(name, CASE_ENDING))
    return workload_run(arguments, &config, outcome, err);
  if (arguments_has(arguments, "--size"))
    return error_set(err, ERR_USAGE, "--size applies to workloads; %s is not a workload", name);
  if (is_program && !path_ends_with(name, CASE_ENDING))
    return program_run(arguments, &config, outcome, err);
  return run_case_file(arguments, &config, options, outcome, err);
}

// With a recording run first if the scheme's policies need a profile and no file is given.
static Status run_recorded(const Arguments *arguments, const PolicySet *policies,
                           RunOptions *options, RunOutcome *outcome, Error *err) {
  RecordedRun recorded = {0};
  GpuConfig config;
  TRY(read_config(arguments, policies, &config, err));
  Status status = OK;
  if (!arguments_has(arguments, "--functional"))
    status = recorded_run_make(&recorded, arguments, &config, policies, err);
  const Arguments *second = recorded.is_made ? &recorded.arguments : arguments;
  if (status == OK) status = run_with(second, policies, options, outcome, err);
  recorded_run_clear(&recorded);
  return status;
}

Status run_capture(const Arguments *arguments, RunOutcome *captured, Error *err) {
  PolicySet plugins = {0};
  RunOptions options = {0};
  RunOutcome own = {0}, *outcome = captured;
  if (!outcome && arguments_has(arguments, "--json")) outcome = &own;
  Status status = arguments_load_plugins(arguments, &plugins, err);
  if (status == OK) status = run_recorded(arguments, &plugins, &options, outcome, err);
  if (outcome) status = run_output_write(arguments, outcome, status, err);
  run_outcome_clear(&own);
  clear_options(&options);
  policy_set_clear(&plugins);
  return status;
}

static Status run_run(const Arguments *arguments, Error *err) {
  bool wants_result =
      arguments_has(arguments, "--db") || arguments_has(arguments, "--stats-format");
  return wants_result ? run_for_result(arguments, err) : run_capture(arguments, NULL, err);
}

static const CliOption run_options[] = {
    {"--size", "tiny|small|paper", "problem size of a workload; default small"},
    {"--functional", NULL, "execute without timing"},
    {"--gpu", "NAME", "a shipped GPU (`heddle list gpus`) or a .cfg file; default " GPU_DEFAULT},
    {"--scheme", "NAME + NAME",
     "policies (`heddle list policies`), a bundle (`heddle list schemes`) or an .ini file"},
    {"--plugin", "FILE.so", "policy plugin (docs/policies.md); repeatable"},
    {"--threads", "N", "simulate SMs on N threads; results are identical"},
    {"--no-skip", NULL, "simulate idle cycles one by one; results are identical"},
    {"--set", "SECTION.KEY=VALUE", "set a parameter (`heddle list params`); repeatable"},
    RUN_LIMIT_OPTIONS,
    {"--kernels", "3,7-9,NAME*",
     "launches to time, by number from 0 or by name; the others run functionally"},
    {"--observe", "NAME",
     "additional table (`heddle list observers`), or all; none disables the default ones; "
     "repeatable"},
    {"--check", "races",
     "report data races of the kernels; exit code 1 if there are any (docs/races.md); options: "
     "races:warp=on, races:all"},
    {"--accesses", "N", "rows of the table of accesses, per kernel; default 5"},
    {"--interval", "N", "sampling period of the interval series in cycles"},
    {"--per-sm", NULL, "per-SM rows for each kernel, not only for the whole run"},
    {"--json", "FILE",
     "write all results as JSON; - is standard output (program output then goes to standard "
     "error)"},
    {"--db", "FILE", "record the run in a store, created if missing (docs/store.md)"},
    {"--job", "KEY", "with --db: key of the run; the store keeps one complete run per key"},
    {"--stats-format", "gpgpusim",
     "print statistics as GPGPU-Sim does, `name = value`, instead of the table"},
    {"--strict", NULL,
     "exit code 1 if a kernel or a launch failed, even if the program exits with 0"},
    {"--quiet", NULL, "print no tables"},
    {0}};

const Verb run_verb = {
    .name = "run",
    .summary = "runs a workload, a CUDA program, or the kernels of a case file",
    .operands = "WORKLOAD [-- OPTIONS] | FILE.case | -- PROGRAM ARGUMENTS",
    .details =
        "A workload is a program that ships with Heddle (`heddle list workloads`), built on first\n"
        "use. Its own options follow `--`: heddle run matrixMul -- --n 64\n"
        "\n"
        "A case file loads PTX, allocates and fills buffers, launches kernels and sums\n"
        "buffers, one command per line; tests/reference/README.md describes the format.\n"
        "\n"
        "Schemes with prior knowledge of a program's reuse (dp_kernel, dp_wg, dp_wavefront) run\n"
        "it twice: once to record the reuse, with its output discarded, then as requested.\n"
        "\n"
        "A program is an executable built by nvcc -cudart shared or by `heddle cc`. It runs\n"
        "unmodified on the simulated GPU; see docs/cuda.md.\n",
    .options = run_options,
    .min_operands = 1,
    .max_operands = 1,
    .takes_program = true,
    .run = run_run};
