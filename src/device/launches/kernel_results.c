// SPDX-License-Identifier: MIT
// Copies the times and counters of a completed launch to the run's result.
#include "device/launches/kernel_results.h"

#include <string.h>

static OccupancyLimit limit_of(const Launch *launch, const GpuConfig *config) {
  static const char *const names[CTA_LIMITS] = {[LIMIT_WARPS] = "warps",
                                                [LIMIT_CTAS] = "ctas",
                                                [LIMIT_REGISTERS] = "registers",
                                                [LIMIT_SHARED] = "shared_memory"};
  const CtaLimits limits = cta_limits(&config->sm, launch, config->gpu.sm_count);
  const uint32_t used[CTA_LIMITS] = {
      [LIMIT_WARPS] = launch_warps_per_cta(launch),
      [LIMIT_REGISTERS] = sm_thread_registers(&config->sm, launch->kernel),
      [LIMIT_SHARED] = launch_shared_bytes(launch)};
  bool is_warps = limits.limit == LIMIT_WARPS;
  return (OccupancyLimit){.by = names[limits.limit],
                          .grid_is_small = limits.grid_is_small,
                          .grid_ctas = launch_cta_count(launch),
                          .gpu_ctas = (uint64_t)limits.most * config->gpu.sm_count,
                          .used = used[limits.limit],
                          .available = is_warps ? config->sm.max_warps : config->sm.max_ctas,
                          .relaxed = limits.relaxed,
                          .relaxed_ctas = limits.relaxed_ctas};
}

static void add_timing(KernelResult *result, const Launch *launch, const GpuConfig *config) {
  uint64_t before = result->sampling ? result->sampling->cycles_before : 0;
  result->resident_warps = launch->ctas_per_sm * launch_warps_per_cta(launch);
  result->max_warps = config->sm.max_warps;
  result->stats = launch->stats;
  result->cycles = launch->stats->cycles;
  result->launched = launch->launched + before;
  result->submitted = launch->submitted + before;
  result->started = launch->started + before;
  result->ended = result->started + result->cycles;
  result->over = launch->over + before + (result->ended - before - launch->ended);
  result->sms = launch->sms;
  result->first_sm = launch->first_sm;
}

void kernel_results_add(RunResult *to, const GpuConfig *config, Launch *launch, Seconds seconds,
                        const KernelSampling *sampling) {
  const LaunchOrigin *origin = &launch->origin;
  KernelResult result = {
      .name = launch->kernel->name,
      .registers = sm_thread_registers(&config->sm, launch->kernel),
      .local_bytes = launch->kernel->variable_bytes,
      .shared_bytes = launch_shared_bytes(launch),
      .ctas_per_sm = launch->ctas_per_sm,
      .limit = limit_of(launch, config),
      .is_complete = launch->is_complete,
      .counts = {launch->warp_instructions, launch->thread_instructions, launch->ctas, 1},
      .tables = launch->tables,
      .sampling = sampling,
      .seconds = seconds,
      .id = launch->grid_id,
      .launch = origin->has_parent ? 0 : launch->number,
      .depth = origin->depth,
      .has_parent = origin->has_parent,
      .parent = origin->parent,
      .parent_cta = origin->parent_cta,
      .parent_thread = origin->parent_thread,
      .parent_sm = origin->parent_sm};
  memcpy(result.grid, launch->grid, sizeof result.grid);
  memcpy(result.block, launch->block, sizeof result.block);
  if (launch->stats) add_timing(&result, launch, config);
  launch->tables = (ResultTables){0};
  run_result_add_kernel(to, &result);
}
