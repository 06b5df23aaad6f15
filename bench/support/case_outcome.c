// SPDX-License-Identifier: MIT
#include "support/case_outcome.h"

#include "cli/case_engine.h"

static void keep_sums(CaseOutcome *outcome, const RunResult *result) {
  for (uint32_t i = 0; i < result->sum_count && i < CASE_OUTCOME_SUMS; i++)
    outcome->sums[outcome->sum_count++] = result->sums[i].value;
}

Status case_outcome_run(CaseOutcome *outcome, const Case *parsed, const GpuConfig *config,
                        const GpuOptions *options, Error *err) {
  *outcome = (CaseOutcome){0};
  RunResult result = {.input = parsed->source.path, .gpu = config->gpu.name};
  CaseEngineOptions engine_options = {.print = stderr};
  if (options) engine_options.gpu = *options;
  CaseEngine engine;
  TRY(case_engine_init(&engine, config, &result, &engine_options, err));
  CaseHost host = case_engine_host(&engine);
  CaseOptions case_options = {.max_loops = config->run.max_loops};
  Seconds start = seconds_now();
  Status status = case_run(parsed, &host, &case_options, err);
  outcome->seconds = seconds_since(start);
  outcome->stats = *gpu_total(engine.gpu);
  keep_sums(outcome, &result);
  case_engine_clear(&engine);
  run_result_clear(&result);
  return status;
}

uint64_t case_buffer_bytes(const Case *parsed) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < parsed->buffer_count; i++) bytes += parsed->buffers[i].size_bytes;
  return bytes;
}
