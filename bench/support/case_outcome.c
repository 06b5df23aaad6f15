// SPDX-License-Identifier: MIT
// Runs a case file in this process and keeps its counters and sums, for benches and tests.
#include "support/case_outcome.h"

#include "runner/case/case_engine.h"

static void print_to_stderr(void *sink, const char *text, size_t length) {
  (void)sink;
  fwrite(text, 1, length, stderr);
}

static void keep_sums(CaseOutcome *outcome, const RunResult *result) {
  for (uint32_t i = 0; i < result->sum_count && i < CASE_OUTCOME_SUMS; i++)
    outcome->sums[outcome->sum_count++] = result->sums[i].value;
}

static Status run_engine(CaseEngine *engine, const Case *parsed, CaseOutcome *outcome, Error *err) {
  CaseHost host = case_engine_host(engine);
  CaseOptions options = {.max_loops = engine->engine->config->run.max_loops};
  Seconds start = seconds_now();
  Status status = case_run(parsed, &host, &options, err);
  outcome->seconds = seconds_since(start);
  if (engine->engine->gpu) outcome->stats = *gpu_total(engine->engine->gpu);
  return status;
}

Status case_outcome_run(CaseOutcome *outcome, const Case *parsed, const GpuConfig *config,
                        const CaseOutcomeOptions *options, Error *err) {
  const CaseOutcomeOptions plain = {0};
  if (!options) options = &plain;
  EngineOptions engine_options = {.print = print_to_stderr,
                                  .is_functional = options->functional,
                                  .observe = options->observe ? "all" : "none",
                                  .machine = options->gpu};
  RunResult result = {.input = parsed->source.path, .gpu = config->gpu.name};
  *outcome = (CaseOutcome){0};
  Engine engine;
  CaseEngine host = {.engine = &engine};
  engine_init(&engine, config, &result, &engine_options);
  TRY(engine_open(&engine, err));
  Status status = run_engine(&host, parsed, outcome, err);
  keep_sums(outcome, &result);
  engine_close(&engine);
  case_engine_clear(&host);
  run_result_clear(&result);
  return status;
}

uint64_t case_buffer_bytes(const Case *parsed) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < parsed->buffer_count; i++) bytes += parsed->buffers[i].size_bytes;
  return bytes;
}
