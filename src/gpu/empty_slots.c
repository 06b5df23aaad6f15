// SPDX-License-Identifier: MIT
// Why a scheduler has no warp: its slots are lost to the state of the launches, which only the
// GPU knows. There are four states (policies/slot_reason.h):
//
//   dispatch     a kernel has CTAs that may be dispatched
//   launch       none has, but launches are in flight
//   small_grid   neither, and every running grid has fewer CTAs than fit the GPU: schedulers
//                that have had no warp since it was empty were left without; the others have
//                the tail
//   tail         neither, and a grid filled the GPU
//
// SMs keep the state and count with it. They are told of changes only, between two cycles, after
// they have counted those before: skipped cycles therefore have the reasons of simulated ones.
#include "gpu/machine.h"

static bool has_waiting_ctas(const GpuKernel *kernel) {
  return kernel->run.next_cta < kernel->run.cta_count;
}

static bool fills_gpu(const Gpu *gpu, const GpuKernel *kernel) {
  uint64_t most = sm_max_ctas(&gpu->config.sm, kernel->run.launch);
  return kernel->run.cta_count >= most * gpu->sm_count;
}

static SlotReason find_state(const Gpu *gpu) {
  bool launches = gpu->children.count, fills = false;
  for (uint32_t i = 0; i < gpu->queue.running_count; i++) {
    const GpuKernel *kernel = gpu_kernel_at(gpu, gpu->queue.running[i]);
    bool waits = has_waiting_ctas(kernel), is_launching = gpu_kernel_launches(gpu, kernel);
    if (waits && !is_launching) return SLOT_dispatch;
    launches |= waits;
    fills |= fills_gpu(gpu, kernel);
  }
  if (launches) return SLOT_launch;
  return fills ? SLOT_tail : SLOT_small_grid;
}

void empty_slots_update(Gpu *gpu) {
  SlotReason state = find_state(gpu);
  gpu->empty_has_children = gpu->children.count;
  if (state == gpu->empty_state) return;
  gpu_sync(gpu);
  gpu->empty_state = state;
  for (uint32_t s = 0; s < gpu->sm_count; s++) sm_set_empty_state(gpu->sms[s], state);
}

void empty_slots_start_alone(Gpu *gpu) {
  for (uint32_t s = 0; s < gpu->sm_count; s++) gpu->sms[s]->was_resident = gpu->sms[s]->resident;
}
