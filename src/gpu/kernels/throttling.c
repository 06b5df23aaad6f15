// SPDX-License-Identifier: MIT
// Limits on CTAs per SM: when the throttle policy is called.
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

// Slots that the SM lost to memory: data in flight, or a load/store unit that
// full MSHRs, cache sets, queues or network ports hold up; and those for which it
// had no warp that could run: none resident, or all finished or synchronising.
static const SlotReason memory_reasons[] = {SLOT_memory,      SLOT_atomic,     SLOT_mshr,
                                            SLOT_reservation, SLOT_miss_queue, SLOT_network};
static const SlotReason idle_reasons[] = {SLOT_launch, SLOT_dispatch, SLOT_small_grid, SLOT_tail,
                                          SLOT_drain,  SLOT_barrier,  SLOT_children,   SLOT_fence};

static uint64_t slots_lost(const SmStats *stats, const SlotReason *reasons, size_t count) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += stats->slots[reasons[i]];
  return sum;
}
#define SLOTS_LOST(stats, reasons) slots_lost(stats, reasons, sizeof reasons / sizeof *reasons)

static ThrottleView view_of(const Gpu *gpu, uint32_t s, const KernelView *kernel,
                            ThrottleCause cause) {
  const Sm *sm = gpu->sms[s];
  ThrottleView view = {.now = gpu->now,
                       .cause = (uint8_t)cause,
                       .sm = s,
                       .sm_count = gpu->sm_count,
                       .kernel = kernel,
                       .resident_ctas = sm->cta_count,
                       .limit = gpu->throttling.limits[s],
                       .cycles = sm->stats.cycles,
                       .warp_instructions = sm->stats.warp_instructions,
                       .memory_stalls = SLOTS_LOST(&sm->stats, memory_reasons),
                       .idle_stalls = SLOTS_LOST(&sm->stats, idle_reasons)};
  CacheStats l1d = lsu_l1d_stats(&sm->lsu);
  view.l1d_accesses = l1d.accesses;
  view.l1d_misses = l1d.misses;
  view.dram_reads = sm->lsu.stats.dram_reads;
  view.dram_atomics = sm->lsu.stats.dram_atomics;
  view.loads_done = sm->lsu.stats.memory_loads_done;
  view.load_latency_cycles = sm->lsu.stats.memory_latency_cycles;
  view.lines_touched = sm->lsu.lines_touched;
  view.line_uses = sm->lsu.line_uses;
  for (uint32_t i = 0; i < sm->lsu.l1_parts; i++) view.l1d_lines += cache_lines(sm->lsu.l1d[i]);
  return view;
}

// Watching starts on an empty SM, so that the footprint belongs to the CTA that comes next.
static void watch_lines(const Throttling *throttling, Sm *sm, uint32_t s) {
  bool watched = throttling->type->watches_lines(throttling->state, s);
  if (!watched)
    lsu_stop_watching(&sm->lsu);
  else if (!sm->cta_count)
    lsu_watch_lines(&sm->lsu);
}

// A lower limit takes effect as CTAs complete: resident CTAs are never evicted.
void throttling_ask(Gpu *gpu, uint32_t s, const GpuKernel *kernel, ThrottleCause cause) {
  Throttling *throttling = &gpu->throttling;
  if (!throttling->type->limit) return;
  KernelView kernel_view = gpu_kernel_view(gpu, kernel);
  ThrottleView view = view_of(gpu, s, &kernel_view, cause);
  throttling->limits[s] = throttle_limit(throttling->type, throttling->state, &view);
  if (throttling->limits[s] > view.limit) gpu->dispatch.is_due = true;
  if (throttling->type->watches_lines) watch_lines(throttling, gpu->sms[s], s);
}

// SMs that were skipped first count their cycles: policies compare counters of SMs.
static void ask_all(Gpu *gpu, const GpuKernel *kernel, ThrottleCause cause) {
  gpu_sync(gpu);
  for (uint32_t s = 0; s < gpu->sm_count; s++) throttling_ask(gpu, s, kernel, cause);
}

void throttling_start_kernel(Gpu *gpu, const GpuKernel *kernel) {
  if (gpu->throttling.type->limit) ask_all(gpu, kernel, THROTTLE_KERNEL);
}

static const GpuKernel *oldest_kernel(const Gpu *gpu) {
  return gpu_kernel_at(gpu, gpu->queue.running[0]);
}

void throttling_interval(Gpu *gpu) {
  gpu->throttling.next = gpu->now + gpu->config.policy.interval_cycles;
  if (gpu->queue.running_count) ask_all(gpu, oldest_kernel(gpu), THROTTLE_INTERVAL);
}

void throttling_poll_news(Gpu *gpu) {
  const Throttling *throttling = &gpu->throttling;
  if (!throttling->type->has_news || !gpu->queue.running_count) return;
  if (throttling->type->has_news(throttling->state))
    ask_all(gpu, oldest_kernel(gpu), THROTTLE_NEWS);
}
