// SPDX-License-Identifier: MIT
// Warnings about events that do not show in the counters and may invalidate the results of a
// program.
#include "device/process/run_warnings.h"

#include <inttypes.h>
#include <stdio.h>

#include "exec/memory/stray_access.h"

static void warn(RunResult *result, const RunWarning *warning, WarnFn warn_user, void *self) {
  char text[ERROR_TEXT_BYTES + 512];
  if (!run_result_warn(result, warning)) return;
  snprintf(text, sizeof text, "warning: %" PRIu64 " %s%s%s", warning->count,
           run_warning_text(warning), warning->detail ? "; first:\n" : "",
           warning->detail ? warning->detail : "");
  warn_user(self, text);
}

void warn_of_strays(RunResult *result, const DeviceMemory *memory, WarnFn warn_user, void *self) {
  static const RunWarning kinds[STRAY_KINDS] = {
      {.kind = "stray_reads",
       .text = "global reads outside any allocation, permitted by run.bounds = page",
       .one = "global read outside any allocation, permitted by run.bounds = page"},
      {.kind = "stray_writes",
       .text = "global writes outside any allocation, permitted by run.bounds = page",
       .one = "global write outside any allocation, permitted by run.bounds = page"},
      {.kind = "stray_arrivals",
       .text = "arrivals at mbarriers of CTAs that have exited, ignored by run.bounds = page",
       .one = "arrival at an mbarrier of a CTA that has exited, ignored by run.bounds = page"}};
  StrayAccesses *strays = device_memory_strays(memory);
  for (uint32_t kind = 0; strays && kind < STRAY_KINDS; kind++) {
    StrayReport report = stray_report_take(strays, (StrayKind)kind);
    RunWarning warning = kinds[kind];
    warning.count = report.count;
    warning.detail = report.first;
    if (warning.count) warn(result, &warning, warn_user, self);
  }
}

// What to raise, where a limit was the reason.
static void advise(const RefusedLaunches *refused, const DeviceRuntimeLimits *limits, char *out,
                   size_t bytes) {
  *out = '\0';
  if (refused->code == LAUNCH_PENDING_EXCEEDED)
    snprintf(out, bytes,
             " (limit: %u pending; raise gpu.pending_launches, or "
             "cudaLimitDevRuntimePendingLaunchCount in the program)",
             limits->pending);
  else if (refused->code == LAUNCH_DEPTH_EXCEEDED)
    snprintf(out, bytes, " (limit: depth %u; raise gpu.launch_depth)", limits->depth);
}

void warn_of_refused(RunResult *result, const RefusedLaunches *refused,
                     const DeviceRuntimeLimits *limits, WarnFn warn_user, void *self) {
  char text[512], one[512], advice[192];
  const char *kernel = function_title(refused->kernel);
  const char *error = device_runtime_error_name(refused->code);
  advise(refused, limits, advice, sizeof advice);
  snprintf(text, sizeof text, "launches by kernel %.128s failed with %s%s", kernel, error, advice);
  snprintf(one, sizeof one, "launch by kernel %.128s failed with %s%s", kernel, error, advice);
  RunWarning warning = {
      .kind = "failed_launches", .text = text, .one = one, .count = refused->count};
  warn(result, &warning, warn_user, self);
}
