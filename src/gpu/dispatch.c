// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/memory.h"
#include "gpu/machine.h"

Status dispatch_init(Gpu *gpu, Error *err) {
  Dispatch *dispatch = &gpu->dispatch;
  const PolicyType *type;
  const char *spec = gpu->config.policy.cta_dispatch;
  TRY(policy_make(&cta_dispatch_family, gpu->options.policies, spec, &gpu->arena, &type,
                  &dispatch->state, err));
  dispatch->type = (const CtaDispatchType *)type;
  uint32_t words = (gpu->sm_count + 63) / 64;
  dispatch->room = ARENA_ARRAY(&gpu->arena, uint64_t, words);
  dispatch->cluster_took = ARENA_ARRAY(&gpu->arena, uint64_t, words);
  dispatch->free_ctas = ARENA_ARRAY(&gpu->arena, uint32_t, gpu->sm_count);
  return OK;
}

// ---- which CTAs are still to go

static bool is_dispatched(const GpuKernel *kernel, uint64_t cta) {
  if (cta < kernel->run.next_cta) return true;
  return kernel->dispatched && kernel->dispatched[cta / 64] >> cta % 64 & 1;
}

static void mark_dispatched(GpuKernel *kernel, uint64_t cta) {
  KernelRun *run = &kernel->run;
  if (cta == run->next_cta) {
    run->next_cta++;
    while (run->next_cta < run->cta_count && is_dispatched(kernel, run->next_cta)) run->next_cta++;
    return;
  }
  if (!kernel->dispatched)
    kernel->dispatched = memory_alloc(sizeof(uint64_t) * (run->cta_count / 64 + 1));
  kernel->dispatched[cta / 64] |= UINT64_C(1) << cta % 64;
}

// ---- one cycle

static bool find_room(Gpu *gpu, const GpuKernel *kernel) {
  Dispatch *dispatch = &gpu->dispatch;
  bool any = false;
  memset(dispatch->room, 0, sizeof(uint64_t) * ((gpu->sm_count + 63) / 64));
  for (uint32_t s = 0; s < gpu->sm_count; s++) {
    uint32_t held = kernel->ctas_on_sm[s];
    bool fits = held < kernel->max_ctas_per_sm &&
                gpu->sms[s]->cta_count < gpu->throttling.limits[s] &&
                sm_has_room(gpu->sms[s], &kernel->run);
    dispatch->free_ctas[s] = fits ? kernel->max_ctas_per_sm - held : 0;
    bool took = dispatch->cluster_took[s / 64] >> s % 64 & 1;
    if (!fits || took) continue;
    dispatch->room[s / 64] |= UINT64_C(1) << s % 64;
    any = true;
  }
  return any;
}

static void note_cluster(Gpu *gpu, uint32_t sm) {
  uint32_t size = gpu->config.gpu.sms_per_cluster, first = sm / size * size;
  for (uint32_t s = first; s < first + size && s < gpu->sm_count; s++)
    gpu->dispatch.cluster_took[s / 64] |= UINT64_C(1) << s % 64;
}

static bool dispatch_one(Gpu *gpu, GpuKernel *kernel) {
  Dispatch *dispatch = &gpu->dispatch;
  if (kernel->run.next_cta == kernel->run.cta_count || !find_room(gpu, kernel)) return false;
  DispatchView view = {
      .now = gpu->now,
      .kernel = kernel->run.id,
      .origin = &kernel->run.launch.origin,
      .cta_count = kernel->run.cta_count,
      .next_cta = kernel->run.next_cta,
      .dispatched = kernel->dispatched,
      .sm_count = gpu->sm_count,
      .sms_per_cluster = gpu->config.gpu.sms_per_cluster,
      .room = dispatch->room,
      .free_ctas = dispatch->free_ctas,
      .max_ctas_per_sm = kernel->max_ctas_per_sm,
  };
  DispatchChoice choice;
  if (!dispatch->type->pick(dispatch->state, &view, &choice)) return false;
  POLICY_REQUIRE(dispatch->type, choice.sm < view.sm_count && dispatch_has_room(&view, choice.sm));
  POLICY_REQUIRE(dispatch->type, choice.cta < view.cta_count && !is_dispatched(kernel, choice.cta));
  mark_dispatched(kernel, choice.cta);
  kernel->ctas_on_sm[choice.sm]++;
  note_cluster(gpu, choice.sm);
  gpu_catch_up(gpu, choice.sm, gpu->now);
  sm_start_cta(gpu->sms[choice.sm], &kernel->run, choice.cta, gpu->now);
  gpu->total.dispatched_ctas++;
  return true;
}

GpuKernel *gpu_kernel_of(const KernelRun *run) {
  return (GpuKernel *)((char *)(uintptr_t)run - offsetof(GpuKernel, run));
}

void count_ended_ctas(Gpu *gpu, uint32_t s) {
  Sm *sm = gpu->sms[s];
  for (uint32_t i = 0; i < sm->ctas_ended; i++) {
    const EndedCta *ended = &sm->ended_ctas[i];
    GpuKernel *kernel = gpu_kernel_of(ended->kernel);
    kernel->result.warp_instructions += ended->warp_instructions;
    kernel->result.thread_instructions += ended->thread_instructions;
    kernel->result.ctas++;
    if (++kernel->run.ctas_done == kernel->run.cta_count) gpu->queue.done_count++;
    kernel->ctas_on_sm[s]--;
    if (gpu->dispatch.type->on_end)
      gpu->dispatch.type->on_end(gpu->dispatch.state, kernel->run.id, ended->cta, s);
    throttling_ask(gpu, s, kernel, THROTTLE_CTA_END);
  }
  sm->ctas_ended = 0;
  gpu->dispatch.is_due = true;
  if (gpu->config.gpu.flush_l1_when_idle && !sm->resident) sm_flush_l1(sm);
}

void dispatch_tick(Gpu *gpu) {
  memset(gpu->dispatch.cluster_took, 0, sizeof(uint64_t) * ((gpu->sm_count + 63) / 64));
  bool any = false;
  if (gpu->suspended_count) suspensions_resume(gpu);
  for (uint32_t i = 0; i < gpu->queue.running_count; i++)
    while (dispatch_one(gpu, gpu->kernels[gpu->queue.running[i]])) any = true;
  gpu->dispatch.is_due = any || suspensions_make_room(gpu);
}

// ---- kernels

static KernelView view_of(const Gpu *gpu, const GpuKernel *kernel) {
  return (KernelView){.id = kernel->run.id,
                      .sm_count = gpu->sm_count,
                      .sms_per_cluster = gpu->config.gpu.sms_per_cluster,
                      .launch = &kernel->run.launch,
                      .now = gpu->now};
}

// Of kernels that overlap, the last to end gets the interval series of them all.
static bool is_alone(const Gpu *gpu) {
  return gpu->queue.running_count == 1;
}

static void begin_tables(Gpu *gpu, GpuKernel *kernel) {
  KernelView view = view_of(gpu, kernel);
  if (gpu->observers.count) observers_start_kernel(&gpu->observers, &view);
  if (is_alone(gpu)) intervals_start(&gpu->intervals, &gpu->total);
  if (!gpu->options.per_sm) return;
  kernel->rows_before = memory_alloc(sizeof(SmRow) * gpu->sm_count);
  sm_rows_fill(kernel->rows_before, gpu->sms, gpu->sm_count);
}

static void add_sm_rows(Gpu *gpu, GpuKernel *kernel) {
  SmRow *rows = memory_alloc(sizeof(SmRow) * gpu->sm_count);
  sm_rows_fill(rows, gpu->sms, gpu->sm_count);
  sm_rows_subtract(rows, kernel->rows_before, gpu->sm_count);
  result_tables_add(&kernel->result.tables, &sm_table, rows, gpu->sm_count);
  memory_free(rows);
}

static void end_tables(Gpu *gpu, GpuKernel *kernel) {
  KernelView view = view_of(gpu, kernel);
  // A fault ends the run before the events of its cycle were handed on.
  if (gpu->observers.count) {
    observers_deliver(&gpu->observers);
    observers_end_kernel(&gpu->observers, &view, &kernel->result.tables);
  }
  if (is_alone(gpu)) intervals_end(&gpu->intervals, &gpu->total, &kernel->result.tables);
  if (kernel->rows_before) add_sm_rows(gpu, kernel);
}

void kernel_start(Gpu *gpu, GpuKernel *kernel) {
  gpu_collect(gpu);
  kernel->before = gpu->total;
  begin_tables(gpu, kernel);
  kernel->result.started = gpu->now;
  kernel->result.has_begun = true;
  gpu->dispatch.is_due = true;
  bool flushes = gpu->config.gpu.flush_l2_between_kernels && is_alone(gpu);
  for (uint32_t p = 0; flushes && p < gpu->partition_count; p++)
    partition_flush(gpu->partitions[p]);
  throttling_start_kernel(gpu, kernel);
}

// Of a kernel that is stopped: what its CTAs have done so far.
static void count_residents(Gpu *gpu, GpuKernel *kernel) {
  for (uint32_t s = 0; s < gpu->sm_count; s++)
    for (uint32_t c = 0; c < gpu->config.sm.max_ctas; c++) {
      const CtaSlot *slot = &gpu->sms[s]->ctas[c];
      for (uint32_t w = 0; slot->kernel == &kernel->run && w < slot->cta.warp_count; w++) {
        kernel->result.warp_instructions += slot->warps[w].instructions;
        kernel->result.thread_instructions += slot->warps[w].thread_instructions;
      }
    }
}

void kernel_end(Gpu *gpu, GpuKernel *kernel) {
  gpu_collect(gpu);
  kernel->result.stats = gpu->total;
  stats_subtract(&kernel->result.stats, &kernel->before, sizeof kernel->before);
  kernel->result.ended = gpu->now;
  kernel->result.is_complete = kernel->run.ctas_done == kernel->run.cta_count;
  if (!kernel->result.is_complete) count_residents(gpu, kernel);
  end_tables(gpu, kernel);
  gpu_give_table(gpu, kernel->run.table);
  kernel->run.table = NULL;
}

void gpu_kernel_clear(GpuKernel *kernel) {
  memory_free(kernel->after);
  memory_free(kernel->params);
  memory_free(kernel->dispatched);
  memory_free(kernel->ctas_on_sm);
  memory_free(kernel->rows_before);
  result_tables_clear(&kernel->result.tables);
  memory_free(kernel);
}
