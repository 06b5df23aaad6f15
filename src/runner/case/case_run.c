// SPDX-License-Identifier: MIT
// Runs a case file in this process.
#include "runner/case/case_run.h"

#include "base/text/terminal.h"
#include "frontends/casefile/case.h"
#include "gpu/config/default_gpu.h"
#include "runner/case/case_engine.h"
#include "runner/case/case_target.h"
#include "runner/local_run.h"

typedef struct CaseLaunches {
  const Case *parsed;
  CaseEngine engine;
} CaseLaunches;

static Status launch_all(void *self, Engine *engine, const volatile sig_atomic_t *stop,
                         Error *err) {
  CaseLaunches *launches = self;
  launches->engine.engine = engine;
  CaseHost host = case_engine_host(&launches->engine);
  CaseOptions options = {.max_loops = engine->config->run.max_loops, .stop = stop};
  return case_run(launches->parsed, &host, &options, err);
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
  CaseLaunches launches = {.parsed = parsed};
  LocalRun run = {.input = parsed->source.path, .launch = launch_all, .self = &launches};
  Status status = local_run_perform(&run, spec, machine, outcome, err);
  case_engine_clear(&launches.engine);
  case_destroy(parsed);
  return status;
}
