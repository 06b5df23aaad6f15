// SPDX-License-Identifier: MIT
#include "report/run_result.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/json_text.h"
#include "base/memory.h"
#include "base/readable_name.h"
#include "base/version.h"

const Stat run_counts_table[] = {
    STAT_COUNT(RunCounts, warp_instructions, "instructions, each once a warp"),
    STAT_COUNT(RunCounts, thread_instructions, "instructions, each once an active lane"),
    STAT_RATIO(RunCounts, lanes_per_instruction, thread_instructions, warp_instructions,
               "active lanes of a warp instruction, on average"),
    STAT_COUNT(RunCounts, ctas, "CTAs that ran"),
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

void run_result_add_kernel(RunResult *result, KernelResult *kernel) {
  stats_sum(&result->total, &kernel->counts, sizeof result->total);
  if (result->kernel_count == RUN_RESULT_LIST_LIMIT) {
    result_tables_clear(&kernel->tables);
    return;
  }
  GROW(result->kernels, result->kernel_count, result->kernel_capacity);
  KernelResult *added = &result->kernels[result->kernel_count++];
  *added = *kernel;
  kernel->tables = (ResultTables){0};
  added->name = arena_strdup(&result->arena, kernel->name);
  added->title = readable_name(&result->arena, added->name);
  if (kernel->stats)
    added->stats = memcpy(arena_alloc(&result->arena, result->stats_bytes), kernel->stats,
                          result->stats_bytes);
}

void run_result_add_sum(RunResult *result, const char *name, bool whole, double value) {
  if (result->sum_count == RUN_RESULT_LIST_LIMIT) return;
  GROW(result->sums, result->sum_count, result->sum_capacity);
  result->sums[result->sum_count++] = (SumResult){arena_strdup(&result->arena, name), whole, value};
}

void run_result_clear(RunResult *result) {
  for (uint32_t i = 0; i < result->kernel_count; i++)
    result_tables_clear(&result->kernels[i].tables);
  result_tables_clear(&result->tables);
  memory_free(result->kernels);
  memory_free(result->sums);
  stats_tree_clear(&result->policies);
  arena_clear(&result->arena);
  *result = (RunResult){0};
}

static json_t *sizes_json(const uint32_t size[3]) {
  json_t *array = json_array();
  for (int i = 0; i < 3; i++) json_array_append_new(array, json_integer(size[i]));
  return array;
}

static void set_count(json_t *object, const char *name, uint64_t value) {
  json_object_set_new(object, name, json_integer((json_int_t)value));
}

static void origin_json(json_t *object, const KernelResult *kernel) {
  set_count(object, "id", kernel->id);
  if (!kernel->has_parent) return;
  set_count(object, "parent", kernel->parent);
  set_count(object, "parent_cta", kernel->parent_cta);
  set_count(object, "parent_thread", kernel->parent_thread);
  set_count(object, "depth", kernel->depth);
}

static void times_json(json_t *object, const KernelResult *kernel) {
  set_count(object, "launched_cycle", kernel->launched);
  set_count(object, "submitted_cycle", kernel->submitted);
  set_count(object, "started_cycle", kernel->started);
  set_count(object, "ended_cycle", kernel->ended);
  set_count(object, "over_cycle", kernel->over);
}

static json_t *kernel_json(const RunResult *result, const KernelResult *kernel) {
  json_t *object = json_object();
  json_object_set_new(object, "name", json_string(kernel->name));
  json_object_set_new(object, "readable_name", json_string(kernel->title));
  json_object_set_new(object, "grid", sizes_json(kernel->grid));
  json_object_set_new(object, "block", sizes_json(kernel->block));
  json_object_set_new(object, "registers", json_integer(kernel->registers));
  json_object_set_new(object, "shared_bytes", json_integer(kernel->shared_bytes));
  json_object_set_new(object, "ctas_per_sm", json_integer(kernel->ctas_per_sm));
  json_object_set_new(object, "complete", json_boolean(kernel->is_complete));
  origin_json(object, kernel);
  if (kernel->stats) times_json(object, kernel);
  if (kernel->max_warps)
    json_object_set_new(object, "theoretical_occupancy",
                        json_real((double)kernel->resident_warps / kernel->max_warps));
  json_object_update_new(object, stats_json(run_counts_table, &kernel->counts));
  if (kernel->stats) stats_parts_json(object, result->parts, kernel->stats);
  result_tables_json(object, &kernel->tables);
  json_object_set_new(object, "wall_seconds", json_real(kernel->seconds.wall));
  json_object_set_new(object, "cpu_seconds", json_real(kernel->seconds.cpu));
  return object;
}

// JSON has no NaN and no infinity; they become texts.
static json_t *sum_json(const SumResult *sum) {
  if (isnan(sum->value)) return json_string("nan");
  if (isinf(sum->value)) return json_string(sum->value > 0 ? "inf" : "-inf");
  if (sum->whole && fabs(sum->value) < 9e15) return json_integer((json_int_t)sum->value);
  return json_real(sum->value);
}

json_t *run_result_json(const RunResult *result) {
  json_t *root = json_object(), *kernels = json_array(), *sums = json_object();
  for (uint32_t i = 0; i < result->kernel_count; i++)
    json_array_append_new(kernels, kernel_json(result, &result->kernels[i]));
  // Of several sums of one buffer, the last stays.
  for (uint32_t i = 0; i < result->sum_count; i++)
    json_set_named(sums, result->sums[i].name, sum_json(&result->sums[i]));
  json_object_set_new(root, "version", json_string(version_text()));
  json_object_set_new(root, "input", json_text(result->input));
  json_object_set_new(root, "mode", json_string(result->mode));
  json_object_set_new(root, "gpu", json_text(result->gpu));
  if (result->scheme) json_object_set_new(root, "scheme", json_text(result->scheme));
  json_object_set_new(root, "complete", json_boolean(result->status == OK));
  if (result->error) json_object_set_new(root, "error", json_text(result->error));
  json_object_set_new(root, "config", param_json(result->config));
  json_object_set_new(root, "kernels", kernels);
  json_t *total = stats_json(run_counts_table, &result->total);
  if (result->total_stats) stats_parts_json(total, result->parts, result->total_stats);
  result_tables_json(total, &result->tables);
  json_object_set_new(root, "total", total);
  if (result->policies.count)
    json_object_set_new(root, "policies", stats_tree_json(&result->policies));
  json_object_set_new(root, "sums", sums);
  json_object_set_new(root, "wall_seconds", json_real(result->seconds.wall));
  json_object_set_new(root, "cpu_seconds", json_real(result->seconds.cpu));
  return root;
}

Status run_json_write(const json_t *json, const char *path, Error *err) {
  bool to_stdout = strcmp(path, "-") == 0;
  FILE *file = to_stdout ? stdout : fopen(path, "w");
  if (!file) return error_set(err, ERR_IO, "cannot write %s: %s", path, strerror(errno));
  int failed = json_dumpf(json, file, JSON_INDENT(2) | JSON_ENSURE_ASCII);
  failed |= fputc('\n', file) == EOF;
  failed |= (to_stdout ? fflush(file) : fclose(file)) != 0;
  return failed ? error_set(err, ERR_IO, "cannot write %s: %s", path, strerror(errno)) : OK;
}

Status run_result_write_json(const RunResult *result, const char *path, Error *err) {
  json_t *json = run_result_json(result);
  Status status = run_json_write(json, path, err);
  json_decref(json);
  return status;
}
