// SPDX-License-Identifier: MIT
// Prints what a sampled run timed and projected, with intervals, as text and JSON.
#include "report/run_sampling.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"

void run_sampling_note_whole(RunSampling *sampling, const char *reason) {
  uint32_t i = 0;
  sampling->whole_launches++;
  if (!reason) return;
  while (i < sampling->reason_count && strcmp(sampling->reasons[i].reason, reason) != 0) i++;
  if (i == SAMPLING_REASONS) return;
  if (i == sampling->reason_count) sampling->reasons[sampling->reason_count++].reason = reason;
  sampling->reasons[i].launches++;
}

const KernelSampling *run_sampling_copy(RunResult *result, const KernelSampling *sampling) {
  KernelSampling *copy = ARENA_NEW(&result->arena, KernelSampling);
  *copy = *sampling;
  if (sampling->halves)
    copy->halves = memcpy(arena_alloc(&result->arena, result->stats_bytes), sampling->halves,
                          result->stats_bytes);
  return copy;
}

// ---- JSON

// The first counter of a machine is the cycle.
static uint64_t first_counter(const void *counters) {
  uint64_t value;
  memcpy(&value, counters, sizeof value);
  return value;
}

// Of counters; a ratio follows from two of them.
static json_t *halves_json(const RunResult *result, const void *halves) {
  json_t *object = json_object();
  for (const StatsPart *part = result->parts; part->prefix; part++)
    for (const Stat *stat = part->table; stat->name; stat++) {
      char name[128];
      if (stat->is_ratio) continue;
      snprintf(name, sizeof name, "%s%s", part->prefix, stat->name);
      json_object_set_new(
          object, name,
          json_integer((json_int_t)stat_count(stat, (const char *)halves + part->offset)));
    }
  return object;
}

typedef struct SamplingCounts {
  uint64_t timed_warp_instructions, projected_warp_instructions, warp_instructions;
  uint64_t cycles, cycles_half, cycles_low, cycles_high;
} SamplingCounts;

// clang-format off
static const Stat sampling_stats[] = {
    STAT_COUNT(SamplingCounts, timed_warp_instructions, "warp instructions that were timed"),
    STAT_COUNT(SamplingCounts, projected_warp_instructions, "warp instructions whose cycles and counters are projected"),
    STAT_RATIO(SamplingCounts, timed_share, timed_warp_instructions, warp_instructions, "share of warp instructions that was timed"),
    STAT_COUNT(SamplingCounts, cycles_low, "lower end of the interval of cycles, 95 %"),
    STAT_COUNT(SamplingCounts, cycles_high, "upper end of the interval of cycles, 95 %"),
    STAT_RATIO(SamplingCounts, cycles_error, cycles_half, cycles, "half of that interval, as a share of cycles"),
    {0}};
// clang-format on

const StatsPart sampling_stats_parts[] = {
    {.prefix = "sampling.", .summary = "sampled runs (docs/sampling.md)", .table = sampling_stats},
    {0}};

static uint64_t projected_of(uint64_t all, uint64_t timed) {
  return all > timed ? all - timed : 0;
}

void run_sampling_add_counts(json_t *to, const RunResult *result, const KernelResult *kernel) {
  const RunSampling *run = &result->sampling;
  uint64_t all = kernel ? kernel->counts.warp_instructions : result->total.warp_instructions;
  uint64_t timed = kernel ? kernel->sampling->timed_instructions : run->timed_instructions;
  const void *halves = kernel ? kernel->sampling->halves : run->halves;
  SamplingCounts counts = {.timed_warp_instructions = timed,
                           .projected_warp_instructions = projected_of(all, timed),
                           .warp_instructions = all,
                           .cycles = kernel ? kernel->cycles : result->total_cycles,
                           .cycles_half = halves ? first_counter(halves) : 0};
  counts.cycles_low = projected_of(counts.cycles, counts.cycles_half);
  counts.cycles_high = counts.cycles + counts.cycles_half;
  stats_parts_json(to, sampling_stats_parts, &counts);
}

static void set_count(json_t *object, const char *name, uint64_t value) {
  json_object_set_new(object, name, json_integer((json_int_t)value));
}

json_t *run_sampling_kernel_json(const RunResult *result, const KernelResult *kernel) {
  static const char *const timed[] = {
      [SAMPLING_WHOLE] = "whole", [SAMPLING_PART] = "part", [SAMPLING_NONE] = "none"};
  const KernelSampling *sampling = kernel->sampling;
  json_t *object = json_object();
  json_object_set_new(object, "timed", json_string(timed[sampling->timed]));
  if (sampling->timed == SAMPLING_WHOLE && sampling->reason)
    json_object_set_new(object, "reason", json_string(sampling->reason));
  if (sampling->halves)
    json_object_set_new(object, "half_widths", halves_json(result, sampling->halves));
  return object;
}

json_t *run_sampling_json(const RunResult *result) {
  const RunSampling *sampling = &result->sampling;
  json_t *object = json_object(), *reasons = json_object();
  json_object_set_new(object, "error", json_real(sampling->error));
  set_count(object, "launches_timed_whole", sampling->whole_launches);
  set_count(object, "launches_timed_in_part", sampling->partial_launches);
  set_count(object, "launches_projected", sampling->projected_launches);
  for (uint32_t i = 0; i < sampling->reason_count; i++)
    set_count(reasons, sampling->reasons[i].reason, sampling->reasons[i].launches);
  json_object_set_new(object, "reasons_for_whole", reasons);
  if (result->total_stats)
    json_object_set_new(object, "half_widths", halves_json(result, sampling->halves));
  return object;
}

// ---- text

void run_sampling_print(const RunResult *result, FILE *file) {
  const RunSampling *sampling = &result->sampling;
  double all = (double)result->total.warp_instructions;
  if (!sampling->is_on || !result->total_stats) return;
  fprintf(file,
          "\n  sampled: %" PRIu64 " of %" PRIu64 " launches timed whole, %" PRIu64
          " in part, %" PRIu64 " projected; %.1f %% of the warp instructions timed\n",
          sampling->whole_launches, result->total.launches, sampling->partial_launches,
          sampling->projected_launches,
          all > 0 ? 100 * (double)sampling->timed_instructions / all : 100);
  uint64_t half = first_counter(sampling->halves);
  fprintf(file, "  cycles: %" PRIu64 " +- %" PRIu64 " (%.2f %%)\n", result->total_cycles, half,
          result->total_cycles ? 100 * (double)half / (double)result->total_cycles : 0);
  for (uint32_t i = 0; i < sampling->reason_count; i++)
    fprintf(file, "  timed whole: %" PRIu64 " launch%s: %s\n", sampling->reasons[i].launches,
            sampling->reasons[i].launches == 1 ? "" : "es", sampling->reasons[i].reason);
}
