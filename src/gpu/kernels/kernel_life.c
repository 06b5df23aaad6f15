// SPDX-License-Identifier: MIT
// Life cycle of a kernel: start, completion of CTAs, end; notification of policies, and its record.
#include "base/memory.h"
#include "gpu/machine.h"

KernelView gpu_kernel_view(const Gpu *gpu, const GpuKernel *kernel) {
  const KernelRun *run = &kernel->run;
  const Launch *launch = run->launch;
  return (KernelView){.now = gpu->now,
                      .id = run->id,
                      .launch = launch,
                      .cta_count = run->cta_count,
                      .ctas_waiting = run->cta_count - kernel->dispatched_ctas,
                      .ctas_done = run->ctas_done,
                      .warps_per_cta = launch_warps_per_cta(launch),
                      .max_ctas_per_sm = run->ctas_per_sm,
                      .submitted = launch->submitted,
                      .launch_number = kernel->is_child ? launch->number : 0,
                      .sm_count = gpu->sm_count,
                      .sms_per_cluster = gpu->config.gpu.sms_per_cluster};
}

GpuKernel *gpu_kernel_of(const KernelRun *run) {
  return (GpuKernel *)((char *)(uintptr_t)run - offsetof(GpuKernel, run));
}

// Counts CTAs that are resident; was_on_sm counts SMs that were ever used, for results.
void kernel_note_cta(GpuKernel *kernel, uint32_t s) {
  kernel->ctas_on_sm[s]++;
  if (kernel->was_on_sm[s]) return;
  kernel->was_on_sm[s] = true;
  if (!kernel->run.launch->sms++) kernel->run.launch->first_sm = s;
}

static bool awaits_ctas(const Gpu *gpu) {
  for (uint32_t i = 0; i < gpu->queue.running_count; i++) {
    const KernelRun *run = &gpu_kernel_at(gpu, gpu->queue.running[i])->run;
    if (run->next_cta < run->cta_count) return true;
  }
  return false;
}

void count_ended_ctas(Gpu *gpu, uint32_t s) {
  Sm *sm = gpu->sms[s];
  gpu->cta_completed = gpu->now;
  for (uint32_t i = 0; i < sm->ctas_ended; i++) {
    const EndedCta *ended = &sm->ended_ctas[i];
    GpuKernel *kernel = gpu_kernel_of(ended->kernel);
    Launch *launch = kernel->run.launch;
    launch->warp_instructions += ended->warp_instructions;
    launch->thread_instructions += ended->thread_instructions;
    launch->ctas++;
    // The kernel ends after this cycle, when nothing of it is in flight (kernel_queue.c).
    if (++kernel->run.ctas_done == kernel->run.cta_count) gpu->queue.done_count++;
    kernel->ctas_on_sm[s]--;
    device_runtime_end_cta(&gpu->runtime, launch, ended->cta);
    if (kernel->suspended_ctas && gpu_has_only_suspended(kernel)) kernel_queue_park(gpu, kernel);
    if (gpu->policies.has_cta_callbacks) {
      KernelView view = gpu_kernel_view(gpu, kernel);
      policy_host_cta_end(&gpu->policies, &(CtaView){.now = gpu->now,
                                                     .kernel = &view,
                                                     .cta = ended->cta,
                                                     .sm = s,
                                                     .warp_instructions = ended->warp_instructions});
    }
    throttling_ask(gpu, s, kernel, THROTTLE_CTA_END);
  }
  sm->ctas_ended = 0;
  gpu->dispatch.is_due = true;
  // As GPGPU-Sim does: caches are not coherent, and the next CTA may be of a kernel
  // that depends on stores of other SMs. An SM between two CTAs is not idle.
  bool is_idle = !sm->resident && !(sm->leaving.count && awaits_ctas(gpu));
  if (gpu->config.gpu.flush_l1_when_idle && is_idle) sm_flush_l1(sm);
}

// Of kernels that overlap, the last to end gets the interval series of them all.
static bool is_alone(const Gpu *gpu) {
  return gpu->queue.running_count == 1;
}

static void begin_tables(Gpu *gpu, GpuKernel *kernel) {
  KernelView view = gpu_kernel_view(gpu, kernel);
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
  result_tables_add(&kernel->run.launch->tables, &sm_table, rows, gpu->sm_count);
  memory_free(rows);
}

static void end_tables(Gpu *gpu, GpuKernel *kernel) {
  KernelView view = gpu_kernel_view(gpu, kernel);
  // A fault ends the run before the events of its cycle were handed on.
  if (gpu->observers.count) {
    for (uint32_t s = 0; s < gpu->sm_count; s++) sm_flush_stalls(gpu->sms[s]);
    observers_deliver(&gpu->observers);
    observers_end_kernel(&gpu->observers, &view, &kernel->run.launch->tables);
  }
  if (is_alone(gpu)) intervals_end(&gpu->intervals, &gpu->total, &kernel->run.launch->tables);
  if (kernel->rows_before) add_sm_rows(gpu, kernel);
  policy_host_explain(&gpu->policies, &view, &kernel->run.launch->tables);
}

// Of SMs that waited for another CTA of a kernel and received none.
static void flush_idle_l1s(Gpu *gpu) {
  bool flushes = gpu->config.gpu.flush_l1_when_idle;
  for (uint32_t s = 0; flushes && s < gpu->sm_count; s++) sm_flush_l1(gpu->sms[s]);
}

void kernel_start(Gpu *gpu, GpuKernel *kernel) {
  gpu_collect(gpu);
  // Counters run over the whole simulation; a kernel's are the difference. Kernels
  // that overlap therefore count each other's events.
  kernel->before = gpu->total;
  begin_tables(gpu, kernel);
  if (is_alone(gpu)) empty_slots_start_alone(gpu);
  kernel->run.launch->started = gpu->now;
  kernel->run.launch->has_begun = true;
  const CtaSampler *sampler = kernel->run.launch->sampler;
  gpu->look = sampler ? sampler->look : NEVER;
  gpu->dispatch.is_due = true;
  bool flushes = gpu->config.gpu.flush_l2_between_kernels && is_alone(gpu);
  for (uint32_t p = 0; flushes && p < gpu->partition_count; p++)
    partition_flush(gpu->partitions[p]);
  if (gpu->config.sm.cta_turnaround_cycles && is_alone(gpu)) flush_idle_l1s(gpu);
  KernelView view = gpu_kernel_view(gpu, kernel);
  policy_host_kernel_start(&gpu->policies, &view);
  throttling_start_kernel(gpu, kernel);
}

// Of a kernel that is stopped: what its CTAs have done so far.
// Instructions are credited when a CTA completes, so partial results need those of resident
// CTAs.
static void count_residents(Gpu *gpu, GpuKernel *kernel) {
  for (uint32_t s = 0; s < gpu->sm_count; s++)
    for (uint32_t c = 0; c < gpu->config.sm.max_ctas; c++) {
      const CtaSlot *slot = &gpu->sms[s]->ctas[c];
      for (uint32_t w = 0; slot->kernel == &kernel->run && w < slot->cta.warp_count; w++) {
        kernel->run.launch->warp_instructions += slot->warps[w].instructions;
        kernel->run.launch->thread_instructions += slot->warps[w].thread_instructions;
      }
    }
}

// Tables are closed before policies hear of the end: explanations are about the state that
// decided.
void kernel_end(Gpu *gpu, GpuKernel *kernel) {
  Launch *launch = kernel->run.launch;
  gpu_collect(gpu);
  kernel->stats = gpu->total;
  stats_subtract(&kernel->stats, &kernel->before, sizeof kernel->before);
  launch->stats = &kernel->stats;
  gpu->look = NEVER;
  launch->ended = gpu->now;
  launch->is_complete = kernel->run.ctas_done == kernel->run.cta_count;
  if (!launch->is_complete) count_residents(gpu, kernel);
  end_tables(gpu, kernel);
  KernelView view = gpu_kernel_view(gpu, kernel);
  policy_host_kernel_end(&gpu->policies, &view);
  device_runtime_end_grid(&gpu->runtime, launch->grid_id);
  gpu_give_table(gpu, kernel->run.table);
  kernel->run.table = NULL;
}

void gpu_kernel_clear(GpuKernel *kernel) {
  memory_free(kernel->dispatched);
  memory_free(kernel->ctas_on_sm);
  memory_free(kernel->was_on_sm);
  memory_free(kernel->rows_before);
  if (kernel->is_child) launch_destroy(kernel->run.launch);
  memory_free(kernel);
}
