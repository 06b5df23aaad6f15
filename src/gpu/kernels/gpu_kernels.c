// SPDX-License-Identifier: MIT
// Preparation of a launch before it is queued: its record, its limits, and its program in
// the form used by the SMs.
#include <string.h>

#include "base/memory.h"
#include "gpu/gpu.h"
#include "gpu/machine.h"

// Instructions lie here in the address space of the instruction caches.
#define CODE_BASE UINT64_C(0xf0000000)

// A grid that does not fill the GPU may be spread over all of it.
static uint32_t cta_limit(const Gpu *gpu, const Launch *launch) {
  uint32_t most = sm_max_ctas(&gpu->config.sm, launch);
  uint64_t ctas = launch_cta_count(launch);
  if (!gpu->config.gpu.spread_small_grids || ctas >= (uint64_t)most * gpu->sm_count) return most;
  return (uint32_t)((ctas + gpu->sm_count - 1) / gpu->sm_count);
}

static const IssueTable *take_table(Gpu *gpu, const Program *program) {
  SharedTable *free = NULL;
  for (uint32_t i = 0; i < gpu->table_count; i++) {
    SharedTable *shared = gpu->tables[i];
    if (!shared->users) free = shared;
    if (!shared->users || shared->table.program != program) continue;
    shared->users++;
    return &shared->table;
  }
  if (!free) {
    GROW(gpu->tables, gpu->table_count, gpu->table_capacity);
    free = gpu->tables[gpu->table_count++] = memory_alloc(sizeof *free);
  }
  IssueConfig config = {&gpu->config.sm, &gpu->config.latency, &gpu->config.tensor};
  issue_table_init(&free->table, program, &config, CODE_BASE);
  free->users = 1;
  return &free->table;
}

void gpu_give_table(Gpu *gpu, const IssueTable *table) {
  for (uint32_t i = 0; i < gpu->table_count; i++)
    if (&gpu->tables[i]->table == table && --gpu->tables[i]->users == 0)
      issue_table_clear(&gpu->tables[i]->table);
}

GpuKernel *gpu_add_kernel(Gpu *gpu, Launch *launch) {
  GpuKernel *kernel = memory_alloc(sizeof *kernel);
  launch->grid_id = gpu_next_kernel(gpu);
  launch->ctas_per_sm = cta_limit(gpu, launch);
  launch->submitted = gpu->now;
  kernel->run.launch = launch;
  kernel->run.id = (uint32_t)launch->grid_id;
  kernel->run.cta_count = launch_cta_count(launch);
  kernel->run.ctas_per_sm = launch->ctas_per_sm;
  kernel->run.need = cta_need(&gpu->config.sm, launch);
  kernel->run.table = take_table(gpu, launch->program);
  kernel->ctas_on_sm = memory_alloc(sizeof(uint32_t) * gpu->sm_count);
  kernel->was_on_sm = memory_alloc(sizeof(bool) * gpu->sm_count);
  kernel->next = KERNEL_NONE;
  GROW(gpu->kernels, gpu->kernel_count, gpu->kernel_capacity);
  gpu->kernels[gpu->kernel_count++] = kernel;
  return kernel;
}

Status gpu_submit(Gpu *gpu, Launch *launch, Error *err) {
  if (!cta_limit(gpu, launch))
    return error_set(err, ERR_PROGRAM,
                     "kernel %s: a CTA of %u threads with %u registers per thread and %u bytes of "
                     "shared memory does not fit on an SM of %s",
                     function_title(launch->kernel), launch_threads_per_cta(launch),
                     sm_thread_registers(&gpu->config.sm, launch->kernel),
                     launch_shared_bytes(launch), gpu->config.gpu.name);
  launch->launched = gpu->now;
  kernel_queue_push(gpu, gpu_add_kernel(gpu, launch)->run.id);
  return OK;
}

// ---- records

uint32_t gpu_next_kernel(const Gpu *gpu) {
  return gpu->first_kernel + gpu->kernel_count;
}

// Numbers that are left out are like those of kernels that are forgotten.
void gpu_number_kernels(Gpu *gpu, uint32_t next) {
  if (!gpu->kernel_count) gpu->first_kernel = next;
  while (gpu_next_kernel(gpu) < next) {
    GROW(gpu->kernels, gpu->kernel_count, gpu->kernel_capacity);
    gpu->kernels[gpu->kernel_count++] = NULL;
  }
}

// Moves the list only when half of it is gone.
static void drop_forgotten(Gpu *gpu) {
  while (gpu->forgotten < gpu->kernel_count && !gpu->kernels[gpu->forgotten]) gpu->forgotten++;
  if (gpu->forgotten * 2 < gpu->kernel_count) return;
  gpu->kernel_count -= gpu->forgotten;
  gpu->first_kernel += gpu->forgotten;
  memmove(gpu->kernels, gpu->kernels + gpu->forgotten, sizeof *gpu->kernels * gpu->kernel_count);
  gpu->forgotten = 0;
}

static void hand_back(const Gpu *gpu, GpuKernel *kernel) {
  gpu->options.kernel_completed(gpu->options.kernel_completed_self, kernel->run.launch);
  kernel->run.launch->stats = NULL;
}

void gpu_retire_kernel(Gpu *gpu, GpuKernel *kernel) {
  gpu->has_completed |= !kernel->is_child;
  if (!gpu->options.kernel_completed) return;
  hand_back(gpu, kernel);
  gpu->kernels[kernel->run.id - gpu->first_kernel] = NULL;
  gpu_kernel_clear(kernel);
  drop_forgotten(gpu);
}

// Their CTAs are still on the SMs: the kernels stay until the GPU goes.
void gpu_report_unfinished(Gpu *gpu) {
  for (uint32_t k = 0; gpu->options.kernel_completed && k < gpu->kernel_count; k++)
    if (gpu->kernels[k] && gpu->kernels[k]->run.launch->has_begun) hand_back(gpu, gpu->kernels[k]);
}

uint32_t gpu_kernel_count(const Gpu *gpu) {
  return gpu->kernel_count;
}

const Launch *gpu_kernel(const Gpu *gpu, uint32_t index) {
  return gpu->kernels[index]->run.launch;
}
