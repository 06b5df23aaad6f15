// SPDX-License-Identifier: MIT
// Measures how the CPU time per simulated instruction changes along a run, by decades of
// instructions.
#include "support/growth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "support/case_outcome.h"
#include "support/process.h"

enum { WINDOW = 50000, SHORT_RUNS = 2, FEWEST_WINDOWS = 10 };  // warp instructions, at least

// Arithmetic only; lines that hit the L1; lines that do not fit it.
const GrowthKind growth_kinds[GROWTH_KINDS] = {
    {"arithmetic", "alloc O 122880\nlaunch fma_chain 120 1 1 256 1 1 $O f:0.5 i:", "\nsum O f32\n",
     960 * 6.0},
    {"L1 hits",
     "alloc O 15360\nalloc I 30720\nfill I f32 rand 1\nlaunch reread 15 1 1 256 1 1 $O $I i:2 i:",
     "\nsum O f32\n", 120 * 29.0},
    {"L2 hits",
     "alloc O 15360\nalloc I 491520\nfill I f32 rand 1\n"
     "launch reread 15 1 1 256 1 1 $O $I i:32 i:",
     "\nsum O f32\n", 120 * 232.0},
};

typedef struct Trace {
  GrowthDecade *decades;
  double *costs[GROWTH_DECADES];  // a window each
  uint32_t capacity[GROWTH_DECADES];
  uint64_t instructions;  // at the end of the last window
  double seconds;
} Trace;

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint32_t decade_of(uint64_t instructions) {
  uint32_t d = 0;
  for (uint64_t end = 10 * GROWTH_FIRST; instructions >= end && d + 1 < GROWTH_DECADES; end *= 10)
    d++;
  return d;
}

static void end_window(Trace *trace, uint64_t instructions, double seconds) {
  uint32_t d = decade_of(trace->instructions);
  GrowthDecade *decade = &trace->decades[d];
  GROW(trace->costs[d], decade->windows, trace->capacity[d]);
  trace->costs[d][decade->windows++] =
      (seconds - trace->seconds) / (double)(instructions - trace->instructions);
  if (instructions > decade->last) decade->last = instructions;
  decade->resident_mb = process_resident_mb();
}

static void on_progress(void *self, const GpuProgress *progress) {
  Trace *trace = self;
  uint64_t instructions = progress->warp_instructions;
  if (instructions - trace->instructions < WINDOW) return;
  double seconds = cpu_seconds();
  if (trace->instructions >= GROWTH_FIRST) end_window(trace, instructions, seconds);
  if (trace->instructions < GROWTH_FIRST && instructions < GROWTH_FIRST) return;
  trace->instructions = instructions;
  trace->seconds = seconds;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static void sum_up(Trace *trace, uint32_t *count) {
  *count = 0;
  for (uint32_t d = 0; d < GROWTH_DECADES; d++) {
    GrowthDecade *decade = &trace->decades[d];
    if (decade->windows >= FEWEST_WINDOWS) {
      qsort(trace->costs[d], decade->windows, sizeof(double), by_value);
      decade->seconds_an_instruction = trace->costs[d][decade->windows / 10];
      *count = d + 1;
    }
    memory_free(trace->costs[d]);
  }
}

static Status make_case(const GrowthKind *kind, const char *reference, uint64_t number,
                        Case **parsed, Error *err) {
  char text[1024];
  int length = snprintf(text, sizeof text, "ptx %s/ref.ptx\n%s%llu%s", reference, kind->text,
                        (unsigned long long)number, kind->rest);
  if (length < 0 || (size_t)length >= sizeof text)
    return error_set(err, ERR_USAGE, "%s is too long", reference);
  return case_parse(parsed, kind->name, text, (size_t)length, err);
}

static Status run(const GrowthKind *kind, const char *reference, uint64_t warp_instructions,
                  Trace *trace, Error *err) {
  Case *parsed;
  GpuConfig config;
  CaseOutcome outcome;
  uint64_t number = (uint64_t)((double)warp_instructions / kind->instructions_a_number) + 1;
  TRY(gpu_config_load(&config, "gtx480", err));
  TRY(make_case(kind, reference, number, &parsed, err));
  trace->instructions = 0;
  CaseOutcomeOptions options = {.gpu = {.progress = on_progress, .progress_self = trace}};
  Status status = case_outcome_run(&outcome, parsed, &config, &options, err);
  case_destroy(parsed);
  return status;
}

Status growth_measure(const GrowthKind *kind, const char *reference, uint64_t warp_instructions,
                      GrowthDecade decades[GROWTH_DECADES], uint32_t *count, Error *err) {
  memset(decades, 0, sizeof *decades * GROWTH_DECADES);
  Trace trace = {.decades = decades};
  Status status = OK;
  // The first decade has few windows: it is run several times, before and after.
  for (int i = 0; i < 2 * SHORT_RUNS + 1 && status == OK; i++)
    status =
        run(kind, reference, i == SHORT_RUNS ? warp_instructions : 9 * GROWTH_FIRST, &trace, err);
  sum_up(&trace, count);
  return status;
}
