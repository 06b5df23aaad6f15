// SPDX-License-Identifier: MIT
// CTAs that wait for their children are suspended to free resources for these: when a
// kernel finds no SM or no hardware queue, waiting CTAs are removed from their SMs, and a
// kernel that has only such CTAs leaves its hardware queue.
#include "base/memory.h"
#include "gpu/machine.h"

void suspensions_clear(Gpu *gpu) {
  for (uint32_t i = 0; i < gpu->suspended_count; i++) suspended_cta_clear(&gpu->suspended[i]);
  memory_free(gpu->suspended);
}

bool gpu_has_only_suspended(const GpuKernel *kernel) {
  return kernel->run.ctas_done + kernel->suspended_ctas == kernel->run.cta_count;
}

// CTAs leave only under pressure.
static bool wants_room(const Gpu *gpu) {
  const KernelQueue *queue = &gpu->queue;
  if (kernel_queue_is_short(gpu)) return true;
  for (uint32_t i = 0; i < queue->running_count; i++) {
    const KernelRun *run = &gpu_kernel_at(gpu, queue->running[i])->run;
    if (run->next_cta < run->cta_count) return true;
  }
  return false;
}

static CtaView view_of(const Gpu *gpu, const KernelView *kernel, uint64_t cta) {
  return (CtaView){.now = gpu->now, .kernel = kernel, .cta = cta, .sm = POLICY_EVERY_SM};
}

static void note_suspended(Gpu *gpu, GpuKernel *kernel, uint64_t linear, uint32_t s) {
  KernelView view = gpu_kernel_view(gpu, kernel);
  CtaView cta = view_of(gpu, &view, linear);
  cta.sm = s;
  policy_host_cta_suspend(&gpu->policies, &cta);
  kernel->ctas_on_sm[s]--;
  kernel->suspended_ctas++;
  if (gpu_has_only_suspended(kernel)) kernel_queue_park(gpu, kernel);
}

// Takes waiting CTAs off an SM. True if one waits that cannot leave yet.
// `lingers` makes dispatch ask again: accesses in flight will return in later cycles.
static bool suspend_on(Gpu *gpu, uint32_t s, bool *any) {
  Sm *sm = gpu->sms[s];
  bool lingers = false;
  for (uint32_t c = 0; c < sm->config->max_ctas; c++) {
    CtaSlot *slot = &sm->ctas[c];
    if (!sm_cta_waits(slot)) continue;
    GpuKernel *kernel = gpu_kernel_of(slot->kernel);
    GROW(gpu->suspended, gpu->suspended_count, gpu->suspended_capacity);
    gpu_catch_up(gpu, s, gpu->now);
    if (sm_suspend_cta(sm, slot, &gpu->suspended[gpu->suspended_count])) {
      uint64_t cta = gpu->suspended[gpu->suspended_count++].cta.linear;
      note_suspended(gpu, kernel, cta, s);
      *any = true;
    } else {
      lingers = true;
    }
  }
  return lingers;
}

bool suspensions_make_room(Gpu *gpu) {
  if (!gpu->children.open || !wants_room(gpu)) return false;
  bool lingers = false, any = false;
  for (uint32_t s = 0; s < gpu->sm_count; s++) lingers |= suspend_on(gpu, s, &any);
  if (any) gpu->queue.is_due = true;
  return any || lingers;
}

// CTAs whose children have completed resume, before new CTAs start.
void suspensions_resume(Gpu *gpu) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < gpu->suspended_count; i++) {
    SuspendedCta *suspended = &gpu->suspended[i];
    GpuKernel *kernel = gpu_kernel_of(suspended->kernel);
    KernelView view = gpu_kernel_view(gpu, kernel);
    CtaView cta = view_of(gpu, &view, suspended->cta.linear);
    uint32_t s = suspended->cta.open_children ? gpu->sm_count
                                              : dispatch_resume_sm(gpu, kernel, &cta);
    if (s == gpu->sm_count) {
      gpu->suspended[kept++] = *suspended;
      continue;
    }
    if (gpu_has_only_suspended(kernel)) kernel_queue_unpark(gpu, kernel);
    kernel->suspended_ctas--;
    kernel_note_cta(kernel, s);
    gpu_catch_up(gpu, s, gpu->now);
    sm_resume_cta(gpu->sms[s], suspended);
    cta.sm = s;
    policy_host_cta_resume(&gpu->policies, &cta);
  }
  gpu->suspended_count = kept;
}
