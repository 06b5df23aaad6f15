// SPDX-License-Identifier: MIT
// How many CTAs each SM may hold: when the policy is asked.
#include "gpu/machine.h"

Status throttling_init(Gpu *gpu, Error *err) {
  Throttling *throttling = &gpu->throttling;
  const PolicyType *type;
  TRY(policy_host_make(&gpu->policies, &throttle_family, gpu->config.policy.throttle,
                       POLICY_PLACE_GPU, &type, &throttling->state, err));
  throttling->type = (const ThrottleType *)type;
  throttling->limits = ARENA_ARRAY(&gpu->arena, uint32_t, gpu->sm_count);
  for (uint32_t s = 0; s < gpu->sm_count; s++) throttling->limits[s] = UINT32_MAX;
  bool has_intervals = throttling->type->limit && throttling->type->wants_intervals;
  throttling->next = has_intervals ? gpu->config.policy.interval_cycles : NEVER;
  return OK;
}

static ThrottleView view_of(const Gpu *gpu, uint32_t s, const GpuKernel *kernel,
                            ThrottleCause cause) {
  const Sm *sm = gpu->sms[s];
  ThrottleView view = {.now = gpu->now,
                       .cause = (uint8_t)cause,
                       .sm = s,
                       .sm_count = gpu->sm_count,
                       .kernel = kernel->run.id,
                       .resident_ctas = sm->cta_count,
                       .most_ctas = kernel->max_ctas_per_sm,
                       .limit = gpu->throttling.limits[s],
                       .cycles = sm->stats.cycles,
                       .warp_instructions = sm->stats.warp_instructions,
                       .memory_stalls = sm->stats.slots[SLOT_memory]};
  CacheStats l1d = lsu_l1d_stats(&sm->lsu);
  view.l1d_accesses = l1d.accesses;
  view.l1d_misses = l1d.misses;
  return view;
}

void throttling_ask(Gpu *gpu, uint32_t s, const GpuKernel *kernel, ThrottleCause cause) {
  Throttling *throttling = &gpu->throttling;
  if (!throttling->type->limit) return;
  ThrottleView view = view_of(gpu, s, kernel, cause);
  throttling->limits[s] = throttle_limit(throttling->type, throttling->state, &view);
  if (throttling->limits[s] > view.limit) gpu->dispatch.is_due = true;
}

void throttling_start_kernel(Gpu *gpu, const GpuKernel *kernel) {
  if (!gpu->throttling.type->limit) return;
  gpu_sync(gpu);
  for (uint32_t s = 0; s < gpu->sm_count; s++) throttling_ask(gpu, s, kernel, THROTTLE_KERNEL);
}

void throttling_interval(Gpu *gpu) {
  gpu->throttling.next = gpu->now + gpu->config.policy.interval_cycles;
  if (!gpu->queue.running_count) return;
  const GpuKernel *oldest = gpu->kernels[gpu->queue.running[0]];
  gpu_sync(gpu);
  for (uint32_t s = 0; s < gpu->sm_count; s++) throttling_ask(gpu, s, oldest, THROTTLE_INTERVAL);
}
