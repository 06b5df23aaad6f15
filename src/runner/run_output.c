// SPDX-License-Identifier: MIT
// Output of a run's results as selected by --json, --quiet and --stats-format.
#include "runner/run_output.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/terminal.h"

bool run_output_is_stdout(const RunSpec *spec) {
  return spec->json && strcmp(spec->json, "-") == 0;
}

bool run_output_is_quiet(const RunSpec *spec) {
  return spec->quiet || spec->stats_format || run_output_is_stdout(spec);
}

RunResult run_result_of(const RunSpec *spec, RunMachine *machine,
                        ParamSection sections[GPU_SECTION_COUNT + 1]) {
  GpuConfig *config = &machine->config;
  gpu_config_sections(config, sections);
  const char *scheme = text_or(spec->scheme, config->policy.warp_scheduler);
  return (RunResult){.input = spec->program,
                     .mode = spec->functional ? "functional"
                             : spec->sample   ? "sampled"
                                              : "timing",
                     .scheme = spec->functional ? NULL : scheme,
                     .gpu = config->gpu.name,
                     .sm_count = config->gpu.sm_count,
                     .core_clock_mhz = config->gpu.core_clock_mhz,
                     .shown_accesses = (uint32_t)spec->accesses,
                     .config = sections};
}

void run_output_forget(const RunSpec *spec) {
  const char *path = spec->json;
  struct stat about;
  if (!path || lstat(path, &about) != 0) return;
  if (S_ISREG(about.st_mode)) unlink(path);
  // The target of a link is truncated, so that the result replaces it.
  if (S_ISLNK(about.st_mode) && stat(path, &about) == 0 && S_ISREG(about.st_mode)) {
    int ignored = truncate(path, 0);
    (void)ignored;
  }
}

Status run_output_write(const RunSpec *spec, const RunOutcome *outcome, Status status, Error *err) {
  const char *path = spec->json;
  Error write_err;
  if (!path || !outcome->result) return status;
  Status written = run_json_write(outcome->result, outcome->launches, path, &write_err);
  if (written == OK) return status;
  if (status == OK) return error_set(err, written, "%s", write_err.text);
  terminal_message(true, write_err.text);
  return status;
}
