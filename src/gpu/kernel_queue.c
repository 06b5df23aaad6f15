// SPDX-License-Identifier: MIT
// From submitted kernels to running ones: hardware queues, and the policy that
// fills them. Kernels of one stream run one after the other.
#include "base/memory.h"
#include "gpu/machine.h"

Status kernel_queue_init(Gpu *gpu, Error *err) {
  KernelQueue *queue = &gpu->queue;
  const PolicyType *type;
  TRY(policy_make(&kernel_scheduler_family, gpu->options.policies,
                  gpu->config.policy.kernel_scheduler, &gpu->arena, &type, &queue->state, err));
  queue->type = (const KernelSchedulerType *)type;
  queue->running = ARENA_ARRAY(&gpu->arena, uint32_t, gpu->config.gpu.hardware_queues);
  return OK;
}

void kernel_queue_clear(KernelQueue *queue) {
  memory_free(queue->pending);
  memory_free(queue->pending_views);
}

void kernel_queue_push(Gpu *gpu, uint32_t kernel) {
  KernelQueue *queue = &gpu->queue;
  GROW(queue->pending, queue->pending_count, queue->pending_capacity);
  queue->pending[queue->pending_count++] = kernel;
  queue->is_due = true;
}

static QueuedKernel view_of(const GpuKernel *kernel) {
  return (QueuedKernel){.kernel = kernel->run.id,
                        .function = kernel->run.launch.kernel->index,
                        .stream = kernel->origin.stream,
                        .parent = kernel->origin.has_parent ? kernel->origin.parent : KERNEL_NONE,
                        .parent_cta = kernel->origin.parent_cta,
                        .cta_count = kernel->run.cta_count,
                        .ctas_done = kernel->run.ctas_done,
                        .warps_per_cta = launch_warps_per_cta(&kernel->run.launch),
                        .ctas_per_sm = kernel->max_ctas_per_sm,
                        .submitted = kernel->submitted};
}

// Whether another kernel of the stream runs, or is in front of the first
// `before` pending ones.
static bool stream_is_taken(const Gpu *gpu, uint32_t stream, uint32_t before) {
  const KernelQueue *queue = &gpu->queue;
  for (uint32_t i = 0; i < queue->running_count; i++)
    if (gpu->kernels[queue->running[i]]->origin.stream == stream) return true;
  for (uint32_t i = 0; i < before; i++)
    if (gpu->kernels[queue->pending[i]]->origin.stream == stream) return true;
  return false;
}

// Lists the pending kernels that may begin.
static uint32_t list_pending(Gpu *gpu) {
  KernelQueue *queue = &gpu->queue;
  uint32_t count = 0;
  if (queue->view_capacity < queue->pending_count) {
    queue->view_capacity = queue->pending_capacity;
    queue->pending_views =
        memory_resize(queue->pending_views, sizeof *queue->pending_views * queue->view_capacity);
  }
  for (uint32_t i = 0; i < queue->pending_count; i++) {
    const GpuKernel *kernel = gpu->kernels[queue->pending[i]];
    if (!stream_is_taken(gpu, kernel->origin.stream, i))
      queue->pending_views[count++] = view_of(kernel);
  }
  return count;
}

static void remove_pending(KernelQueue *queue, uint32_t kernel) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < queue->pending_count; i++)
    if (queue->pending[i] != kernel) queue->pending[kept++] = queue->pending[i];
  queue->pending_count = kept;
}

// Starts one kernel; false if none may or shall begin.
static bool start_one(Gpu *gpu) {
  KernelQueue *queue = &gpu->queue;
  uint32_t limit = gpu->config.gpu.hardware_queues;
  if (queue->running_count == limit || !queue->pending_count) return false;
  QueuedKernel running[MAX_HARDWARE_QUEUES];
  for (uint32_t i = 0; i < queue->running_count; i++)
    running[i] = view_of(gpu->kernels[queue->running[i]]);
  uint32_t pending_count = list_pending(gpu);
  KernelQueueView view = {.now = gpu->now,
                          .pending_count = pending_count,
                          .pending = queue->pending_views,
                          .running = running,
                          .running_count = queue->running_count,
                          .queue_count = limit};
  if (!view.pending_count) return false;
  uint32_t pick = kernel_scheduler_pick(queue->type, queue->state, &view);
  if (pick == KERNEL_NONE) return false;
  uint32_t kernel = view.pending[pick].kernel;
  remove_pending(queue, kernel);
  queue->running[queue->running_count++] = kernel;
  choose_threads(gpu);
  if (queue->running_count == 1) clock_align(&gpu->clock);
  gpu->last_progress = gpu->now;
  kernel_start(gpu, gpu->kernels[kernel]);
  return true;
}

bool kernel_queue_fill(Gpu *gpu) {
  KernelQueue *queue = &gpu->queue;
  while (queue->is_due && start_one(gpu)) continue;
  queue->is_due = false;
  return queue->running_count != 0;
}

static bool is_done(const GpuKernel *kernel) {
  return kernel->run.ctas_done == kernel->run.cta_count;
}

static void end_at(Gpu *gpu, uint32_t place) {
  KernelQueue *queue = &gpu->queue;
  GpuKernel *kernel = gpu->kernels[queue->running[place]];
  kernel_end(gpu, kernel);
  queue->done_count -= is_done(kernel);
  queue->running_count--;
  for (uint32_t i = place; i < queue->running_count; i++) queue->running[i] = queue->running[i + 1];
  queue->is_due = true;
}

// The last one that runs ends when nothing is under way any more.
bool kernel_queue_retire(Gpu *gpu) {
  KernelQueue *queue = &gpu->queue;
  bool any = false;
  if (!queue->done_count) return false;
  for (uint32_t i = 0; i < queue->running_count;) {
    bool ends =
        is_done(gpu->kernels[queue->running[i]]) && (queue->running_count > 1 || gpu_is_quiet(gpu));
    if (ends)
      end_at(gpu, i);
    else
      i++;
    any |= ends;
  }
  return any;
}

void kernel_queue_stop(Gpu *gpu) {
  while (gpu->queue.running_count) end_at(gpu, 0);
}
