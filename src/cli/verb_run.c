// SPDX-License-Identifier: MIT
// heddle run: runs a case and reports, or hands over to a program. A run that
// fails or is interrupted still writes what it has, marked as incomplete.
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/arguments.h"
#include "cli/case_engine.h"
#include "cli/program_run.h"
#include "cli/progress.h"
#include "cli/run_store.h"
#include "cli/verb.h"
#include "cli/workload_run.h"
#include "frontends/casefile/case.h"
#include "gpu/scheme.h"
#include "policies/plugin.h"
#include "locality/observers.h"

// The only state that is not on a stack: a signal handler can reach nothing else.
static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

// The first Ctrl-C asks the run to stop; a second one ends the program at once.
static void listen_for_interrupts(void) {
  struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

// The GPU, then the scheme, then single parameters.
static Status read_config(const Arguments *arguments, const PolicySet *policies, GpuConfig *config,
                          Error *err) {
  TRY(gpu_config_load(config, arguments_value(arguments, "--gpu", GPU_DEFAULT), err));
  const char *scheme_given = arguments_value(arguments, "--scheme", NULL);
  Scheme scheme = {0};
  if (scheme_given) TRY(scheme_parse(&scheme, scheme_given, policies, err));
  scheme_apply(&scheme, config);
  const char *assignment;
  for (int i = 0; (assignment = arguments_next(arguments, "--set", &i));)
    if (gpu_config_assign(config, assignment, err) != OK)
      return error_prefix(err, "--set %.80s", assignment);
  return OK;
}

// --max-cycles is another way to write a parameter.
static Status read_limits(const Arguments *arguments, GpuConfig *config, Error *err) {
  char assignment[128];
  const char *cycles = arguments_value(arguments, "--max-cycles", NULL);
  if (!cycles) return OK;
  snprintf(assignment, sizeof assignment, "run.max_cycles=%.80s", cycles);
  if (gpu_config_assign(config, assignment, err) == OK) return OK;
  return error_prefix(err, "--max-cycles");
}

static Status read_interval(const Arguments *arguments, Cycle *cycles, Error *err) {
  const char *text = arguments_value(arguments, "--interval", NULL);
  if (!text) return OK;
  char *end;
  *cycles = strtoull(text, &end, 10);
  if (*text >= '0' && *text <= '9' && !*end && *cycles && *cycles < NEVER / 2) return OK;
  return error_set(err, ERR_USAGE, "--interval %.40s: a number of cycles is wanted", text);
}

static Status observe(Gpu *gpu, const PolicySet *plugins, const char *spec, Error *err) {
  const ObserverType *type;
  if (strcmp(spec, "none") == 0) return OK;
  if (strcmp(spec, "all") != 0) {
    TRY(observer_find(spec, plugins, &type, err));
    return gpu_observe(gpu, type, spec, err);
  }
  for (const PolicyType *const *each = observer_family.types; *each; each++)
    TRY(gpu_observe(gpu, (const ObserverType *)*each, (*each)->name, err));
  return OK;
}

static Status attach_observers(const Arguments *arguments, const PolicySet *plugins, Gpu *gpu,
                               Error *err) {
  if (gpu && !arguments_has(arguments, "--observe")) return observe(gpu, plugins, "loads", err);
  const char *spec;
  for (int i = 0; (spec = arguments_next(arguments, "--observe", &i));) {
    if (!gpu) return error_set(err, ERR_USAGE, "--observe needs a run with timing");
    if (observe(gpu, plugins, spec, err) != OK)
      return error_prefix(err, "--observe %.80s", spec);
  }
  return OK;
}

static Status execute(const Arguments *arguments, const Case *parsed, const GpuConfig *config,
                      RunResult *result, const CaseEngineOptions *engine_options, Error *err) {
  CaseEngine engine;
  TRY(case_engine_init(&engine, config, result, engine_options, err));
  Status attached = attach_observers(arguments, engine_options->gpu.policies, engine.gpu, err);
  if (attached != OK) {
    case_engine_clear(&engine);
    return attached;
  }
  CaseHost host = case_engine_host(&engine);
  CaseOptions options = {.max_loops = config->run.max_loops, .stop = &interrupted};
  listen_for_interrupts();
  Seconds start = seconds_now();
  result->status = case_run(parsed, &host, &options, err);
  result->seconds = seconds_since(start);
  progress_hide(engine_options->progress);
  result->error = result->status == OK ? NULL : err->text;
  case_engine_finish(&engine);
  case_engine_clear(&engine);
  return result->status;
}

static Status report(const Arguments *arguments, const RunResult *result, Error *err) {
  const char *json = arguments_value(arguments, "--json", NULL);
  bool quiet = arguments_has(arguments, "--quiet") || arguments_has(arguments, "--stats-format") ||
               (json && strcmp(json, "-") == 0);
  if (!quiet) run_result_print(result, stdout);
  return json ? run_result_write_json(result, json, err) : OK;
}

static Status read_threads(const Arguments *arguments, uint32_t *threads, Error *err) {
  enum { MOST = 256 };
  const char *text = arguments_value(arguments, "--threads", "1");
  char *end;
  unsigned long value = strtoul(text, &end, 10);
  if (*end || value < 1 || value > MOST)
    return error_set(err, ERR_USAGE, "--threads %.40s: a number from 1 to %d is wanted", text,
                     MOST);
  *threads = (uint32_t)value;
  return OK;
}

static Status run_case(const Arguments *arguments, const Case *parsed, const PolicySet *policies,
                       GpuConfig *config, json_t **captured, Error *err) {
  ParamSection sections[GPU_SECTION_COUNT + 1];
  gpu_config_sections(config, sections);
  bool functional = arguments_has(arguments, "--functional");
  const char *scheme = arguments_value(arguments, "--scheme", config->policy.warp_scheduler);
  RunResult result = {.input = parsed->source.path,
                      .mode = functional ? "functional" : "timing",
                      .scheme = functional ? NULL : scheme,
                      .gpu = config->gpu.name,
                      .sm_count = config->gpu.sm_count,
                      .core_clock_mhz = config->gpu.core_clock_mhz,
                      .config = sections};
  // With JSON on standard output, what kernels print must go elsewhere.
  bool json_to_stdout = strcmp(arguments_value(arguments, "--json", ""), "-") == 0;
  uint32_t threads = 1;
  TRY(read_threads(arguments, &threads, err));
  Progress progress;
  progress_init(&progress, stderr);
  CaseEngineOptions options = {
      .functional = functional,
      .gpu = {.no_skip = arguments_has(arguments, "--no-skip"),
              .threads = threads,
              .stop = &interrupted},
      .print = json_to_stdout ? stderr : stdout,
      .progress = &progress,
  };
  options.gpu.policies = policies;
  options.gpu.per_sm = arguments_has(arguments, "--per-sm");
  TRY(read_interval(arguments, &options.gpu.interval_cycles, err));
  Status status = execute(arguments, parsed, config, &result, &options, err);
  if (status != OK && result.status == OK) return status;  // it never began
  Error write_error;
  Status written = report(arguments, &result, &write_error);
  if (status == OK && written != OK) status = error_set(err, written, "%s", write_error.text);
  if (captured) *captured = run_result_json(&result);
  run_result_clear(&result);
  return status;
}

// A program that was given as if it were a case file.
static Status check_no_program(const char *path, Error *err) {
  char start[4] = "";
  size_t got;
  TRY(file_read_prefix(path, start, sizeof start, &got, err));
  if (memcmp(start, "\177ELF", sizeof start) != 0) return OK;
  return error_set(err, ERR_USAGE, "%s is a program: heddle run -- %s", path, path);
}

static Status run_case_file(const Arguments *arguments, const PolicySet *policies,
                            GpuConfig *config, json_t **captured, Error *err) {
  const char *path = arguments->operands[0];
  Case *parsed;
  if (arguments->operand_count > 1)
    return error_set(err, ERR_USAGE, "'%s' is too much: a case file has no options",
                     arguments->operands[1]);
  TRY(check_no_program(path, err));
  TRY(case_read(&parsed, path, err));
  Status status = run_case(arguments, parsed, policies, config, captured, err);
  case_destroy(parsed);
  return status;
}

// Behind `--` stands a program, or, behind the name of a workload, its options.
static Status run_with(const Arguments *arguments, const PolicySet *policies, json_t **captured,
                       Error *err) {
  const char *name = arguments->operands[0], *json = arguments_value(arguments, "--json", "-");
  bool is_program = arguments->program && name == arguments->program[0];
  GpuConfig config;
  TRY(read_config(arguments, policies, &config, err));
  TRY(read_limits(arguments, &config, err));
  TRY(file_check_writable(json, err));
  if (!is_program && !word_is_path(name, CASE_ENDING))
    return workload_run(arguments, captured, err);
  if (arguments_has(arguments, "--size"))
    return error_set(err, ERR_USAGE, "--size is for workloads, and %s is none", name);
  if (is_program && !path_ends_with(name, CASE_ENDING))
    return program_run(arguments, captured, err);
  return run_case_file(arguments, policies, &config, captured, err);
}

Status run_capture(const Arguments *arguments, json_t **captured, Error *err) {
  PolicySet plugins = {0};
  Status status = arguments_load_plugins(arguments, &plugins, err);
  if (status == OK) status = run_with(arguments, &plugins, captured, err);
  policy_set_clear(&plugins);
  return status;
}

static Status run_run(const Arguments *arguments, Error *err) {
  bool wants_result =
      arguments_has(arguments, "--db") || arguments_has(arguments, "--stats-format");
  return wants_result ? run_for_result(arguments, err) : run_capture(arguments, NULL, err);
}

static const CliOption run_options[] = {
    {"--size", "tiny|small|paper", "how large a workload; default small"},
    {"--functional", NULL, "execute without timing"},
    {"--gpu", "NAME", "a shipped GPU (`heddle list gpus`) or a .cfg file; default " GPU_DEFAULT},
    {"--scheme", "NAME + NAME",
     "policies (`heddle list policies`), a bundle (`heddle list schemes`) or an .ini file"},
    {"--plugin", "FILE.so", "a policy of your own (docs/policies.md); may be repeated"},
    {"--threads", "N", "step SMs on N threads; results are the same"},
    {"--no-skip", NULL, "step through cycles in which nothing happens; results are the same"},
    {"--set", "SECTION.KEY=VALUE", "change a parameter (`heddle list params`); may be repeated"},
    {"--max-cycles", "N",
     "stop after N cycles, with what there is; the same as --set run.max_cycles=N"},
    {"--observe", "NAME",
     "further tables (`heddle list observers`), all or none; default loads; may be repeated"},
    {"--interval", "N", "a row of the interval series every N cycles"},
    {"--per-sm", NULL, "rows by SM for each kernel, not only for the whole run"},
    {"--json", "FILE", "write everything as JSON; - for standard output"},
    {"--db", "FILE", "keep the run in a store, which is made if it is not there (docs/store.md)"},
    {"--job", "KEY", "with --db: a name of which the store keeps one complete run"},
    {"--stats-format", "gpgpusim", "print `name = value` lines as GPGPU-Sim does, not the table"},
    {"--quiet", NULL, "print no table"},
    {0}};

const Verb run_verb = {
    .name = "run",
    .summary = "runs a workload, a CUDA program, or the kernels of a case file",
    .operands = "WORKLOAD [-- OPTIONS] | FILE.case | -- PROGRAM ARGUMENTS",
    .details =
        "A workload is one of the programs that ship (`heddle list workloads`); it is built\n"
        "when it is first run. Its own options stand behind `--`: heddle run matrixMul -- --n 64\n"
        "\n"
        "A case file loads PTX, allocates and fills buffers, launches kernels and sums\n"
        "buffers, one command a line; tests/reference/README.md describes the format.\n"
        "\n"
        "A program is one that nvcc built with -cudart shared, or `heddle cc`. It runs as it\n"
        "is, with the simulated GPU in place of a real one; docs/cuda.md says more.\n",
    .options = run_options,
    .min_operands = 1,
    .max_operands = 1,
    .takes_program = true,
    .run = run_run};
