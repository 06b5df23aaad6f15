// SPDX-License-Identifier: MIT
#include "device/launches/kernel_results.h"

#include <string.h>

static void set_origin(KernelResult *result, uint64_t id, const LaunchOrigin *origin) {
  result->id = id;
  result->depth = origin->depth;
  result->has_parent = origin->has_parent;
  result->parent = origin->parent;
  result->parent_cta = origin->parent_cta;
  result->parent_thread = origin->parent_thread;
  result->parent_sm = origin->parent_sm;
}

static OccupancyLimit limit_of(const CtaLimits *limits, const GpuConfig *config,
                               const uint32_t grid[3], const KernelResult *kernel) {
  static const char *const names[CTA_LIMITS] = {[LIMIT_WARPS] = "warps",
                                                [LIMIT_CTAS] = "ctas",
                                                [LIMIT_REGISTERS] = "registers",
                                                [LIMIT_SHARED] = "shared_memory"};
  const uint64_t threads = (uint64_t)kernel->block[0] * kernel->block[1] * kernel->block[2];
  const uint32_t used[CTA_LIMITS] = {[LIMIT_WARPS] = (uint32_t)((threads + 31) / 32),
                                     [LIMIT_REGISTERS] = kernel->registers,
                                     [LIMIT_SHARED] = kernel->shared_bytes};
  bool is_warps = limits->limit == LIMIT_WARPS;
  return (OccupancyLimit){.by = names[limits->limit],
                          .grid_is_small = limits->grid_is_small,
                          .grid_ctas = (uint64_t)grid[0] * grid[1] * grid[2],
                          .gpu_ctas = (uint64_t)limits->most * config->gpu.sm_count,
                          .used = used[limits->limit],
                          .available = is_warps ? config->sm.max_warps : config->sm.max_ctas,
                          .relaxed = limits->relaxed,
                          .relaxed_ctas = limits->relaxed_ctas};
}

void kernel_results_add(RunResult *to, const GpuConfig *config, KernelRecord *record,
                        uint64_t number, Seconds seconds) {
  KernelResult result = {
      .name = record->name,
      .registers = record->registers,
      .local_bytes = record->local_bytes,
      .shared_bytes = record->shared_bytes,
      .ctas_per_sm = record->ctas_per_sm,
      .resident_warps = record->ctas_per_sm * record->warps_per_cta,
      .max_warps = config->sm.max_warps,
      .is_complete = record->is_complete,
      .counts = {record->warp_instructions, record->thread_instructions, record->ctas, 1},
      .stats = &record->stats,
      .cycles = record->stats.cycles,
      .tables = record->tables,
      .seconds = seconds,
      .launch = number,
      .launched = record->launched,
      .submitted = record->submitted,
      .started = record->started,
      .ended = record->ended,
      .over = record->over,
      .sms = record->sms,
      .first_sm = record->first_sm};
  memcpy(result.grid, record->grid, sizeof result.grid);
  memcpy(result.block, record->block, sizeof result.block);
  result.limit = limit_of(&record->limits, config, record->grid, &result);
  set_origin(&result, record->id, &record->origin);
  record->tables = (ResultTables){0};
  run_result_add_kernel(to, &result);
}

void kernel_results_add_functional(RunResult *to, const GpuConfig *config, const Launch *launch,
                                   uint64_t number, const FunctionalStats *stats, bool is_complete,
                                   Seconds seconds) {
  KernelResult result = {.name = launch->kernel->name,
                         .registers = sm_thread_registers(&config->sm, launch->kernel),
                         .local_bytes = launch->kernel->variable_bytes,
                         .shared_bytes = launch_shared_bytes(launch),
                         .ctas_per_sm = sm_max_ctas(&config->sm, launch),
                         .is_complete = is_complete,
                         .counts = {stats->warp_instructions, stats->thread_instructions,
                                    stats->ctas, stats->launches},
                         .launch = number,
                         .seconds = seconds};
  memcpy(result.grid, launch->grid, sizeof result.grid);
  memcpy(result.block, launch->block, sizeof result.block);
  CtaLimits limits = cta_limits(&config->sm, launch, config->gpu.sm_count);
  result.limit = limit_of(&limits, config, launch->grid, &result);
  set_origin(&result, launch->grid_id, &launch->origin);
  run_result_add_kernel(to, &result);
}
