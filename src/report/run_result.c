// SPDX-License-Identifier: MIT
// Collects the results of a run: kernels, totals, sums, times.
#include "report/run_result.h"

#include <string.h>
#include <time.h>
#include <uthash.h>

#include "base/memory.h"
#include "base/text/readable_name.h"
#include "report/run_json.h"
#include "report/run_sampling.h"

const Stat run_counts_table[] = {
    STAT_COUNT(RunCounts, warp_instructions, "warp instructions"),
    STAT_COUNT(RunCounts, thread_instructions, "thread instructions"),
    STAT_RATIO(RunCounts, lanes_per_instruction, thread_instructions, warp_instructions,
               "active lanes per warp instruction, mean"),
    STAT_COUNT(RunCounts, ctas, "CTAs executed"),
    STAT_COUNT(RunCounts, launches, "kernels launched"),
    {0}};

const StatGroup stat_groups[] = {{"total", "the whole run", run_counts_table},
                                 {"kernels[i]", "one launch", run_counts_table},
                                 {0}};

static Seconds read_clocks(void) {
  struct timespec wall, cpu;
  clock_gettime(CLOCK_MONOTONIC, &wall);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  return (Seconds){(double)wall.tv_sec + (double)wall.tv_nsec * 1e-9,
                   (double)cpu.tv_sec + (double)cpu.tv_nsec * 1e-9};
}

Seconds seconds_now(void) {
  return read_clocks();
}

Seconds seconds_since(Seconds start) {
  Seconds now = read_clocks();
  return (Seconds){now.wall - start.wall, now.cpu - start.cpu};
}

const char *run_state(Status status) {
  switch (status) {
    case OK: return "complete";
    case ERR_LIMIT:
    case ERR_INTERRUPTED: return "stopped";
    case ERR_INCOMPLETE: return "incomplete";
    default: return "failed";
  }
}

// ---- launches

// A mangled name is made readable once, not at every launch.
struct KernelName {
  const char *name, *title;
  UT_hash_handle hh;
};

static const struct KernelName *find_name(RunResult *result, const char *name) {
  struct KernelName *known;
  HASH_FIND_STR(result->names, name, known);
  if (known) return known;
  known = ARENA_NEW(&result->arena, struct KernelName);
  known->name = arena_strdup(&result->arena, name);
  known->title = readable_name(&result->arena, known->name);
  HASH_ADD_KEYPTR(hh, result->names, known->name, strlen(known->name), known);
  return known;
}

// Room for the counters of one more kernel; if there is none, those of the last
// one, which makes place for it.
static void *take_stats(RunResult *result) {
  if (result->kernel_count < RUN_RESULT_KEPT)
    return result->parts ? arena_alloc(&result->arena, result->stats_bytes) : NULL;
  KernelResult *last = &result->kernels[--result->kernel_count];
  result_tables_clear(&last->tables);
  return (void *)(size_t)last->stats;
}

// Kernels may end in any order.
static void keep(RunResult *result, KernelResult *kernel) {
  void *stats = take_stats(result);
  GROW(result->kernels, result->kernel_count, result->kernel_capacity);
  uint32_t place = result->kernel_count++;
  for (; place && result->kernels[place - 1].id > kernel->id; place--)
    result->kernels[place] = result->kernels[place - 1];
  KernelResult *kept = &result->kernels[place];
  *kept = *kernel;
  kernel->tables = (ResultTables){0};
  if (kernel->stats) kept->stats = memcpy(stats, kernel->stats, result->stats_bytes);
  if (kernel->sampling) kept->sampling = run_sampling_copy(result, kernel->sampling);
}

static bool is_kept(const RunResult *result, const KernelResult *kernel) {
  if (result->parts && !kernel->stats) return false;
  return result->kernel_count < RUN_RESULT_KEPT ||
         kernel->id < result->kernels[result->kernel_count - 1].id;
}

void run_result_add_kernel(RunResult *result, KernelResult *kernel) {
  const struct KernelName *names = find_name(result, kernel->name);
  kernel->name = names->name;
  kernel->title = names->title;
  stats_sum(&result->total, &kernel->counts, sizeof result->total);
  result->kernel_seconds.wall += kernel->seconds.wall;
  result->kernel_seconds.cpu += kernel->seconds.cpu;
  if (result->records) run_json_put_kernel(result, kernel);
  result->untimed += result->parts && !kernel->stats;
  if (is_kept(result, kernel))
    keep(result, kernel);
  else
    result_tables_clear(&kernel->tables);
}

// ---- sums

static SumResult *find_sum(const RunResult *result, const char *name) {
  for (uint32_t i = result->sum_count; i-- > 0;)
    if (strcmp(result->sums[i].name, name) == 0) return &result->sums[i];
  return NULL;
}

// If the capacity is exhausted, at least the last sum of a buffer is kept.
void run_result_add_sum(RunResult *result, const char *name, bool whole, double value) {
  SumResult *before = result->sum_count < RUN_RESULT_SUMS ? NULL : find_sum(result, name);
  if (before) {
    *before = (SumResult){before->name, whole, value};
    return;
  }
  GROW(result->sums, result->sum_count, result->sum_capacity);
  result->sums[result->sum_count++] = (SumResult){arena_strdup(&result->arena, name), whole, value};
}

// ---- warnings

bool run_result_warn(RunResult *result, const RunWarning *warning) {
  for (uint32_t i = 0; i < result->warning_count; i++) {
    RunWarning *known = &result->warnings[i];
    if (strcmp(known->kind, warning->kind) != 0 || strcmp(known->text, warning->text) != 0)
      continue;
    known->count += warning->count;
    return false;
  }
  if (result->warning_count == RUN_RESULT_WARNINGS) return false;
  GROW(result->warnings, result->warning_count, result->warning_capacity);
  result->warnings[result->warning_count++] =
      (RunWarning){.kind = arena_strdup(&result->arena, warning->kind),
                   .text = arena_strdup(&result->arena, warning->text),
                   .one = warning->one ? arena_strdup(&result->arena, warning->one) : NULL,
                   .detail = warning->detail ? arena_strdup(&result->arena, warning->detail) : NULL,
                   .count = warning->count};
  return true;
}

void run_result_clear(RunResult *result) {
  for (uint32_t i = 0; i < result->kernel_count; i++)
    result_tables_clear(&result->kernels[i].tables);
  result_tables_clear(&result->tables);
  memory_free(result->kernels);
  memory_free(result->sums);
  memory_free(result->warnings);
  memory_free(result->races.items);
  HASH_CLEAR(hh, result->names);
  stats_tree_clear(&result->policies);
  arena_clear(&result->arena);
  *result = (RunResult){0};
}
