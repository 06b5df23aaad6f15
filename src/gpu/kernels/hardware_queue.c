// SPDX-License-Identifier: MIT
// The hardware queues of the grid management unit (Tang et al., SIGMETRICS 2018, section
// 3.2): the kernel at the head of each runs, later ones wait for it.
//
// Only kernels that are ready to start enter a queue. A kernel that depends on another
// (earlier in its stream, after an event, a tail launch) could otherwise block the kernel
// that it waits for. A kernel whose CTAs have completed leaves its queue even if its
// children are still in flight; otherwise a deep launch tree would occupy all queues.
#include "gpu/machine.h"

void hardware_queues_init(Gpu *gpu) {
  uint32_t count = gpu->config.gpu.hardware_queues;
  gpu->queue.hardware = ARENA_ARRAY(&gpu->arena, HardwareQueue, count);
  for (uint32_t q = 0; q < count; q++)
    gpu->queue.hardware[q] = (HardwareQueue){.first = KERNEL_NONE, .last = KERNEL_NONE};
}

static bool is_by_stream(const Gpu *gpu) {
  return gpu->config.gpu.queue_mapping == QUEUE_STREAM;
}

static uint32_t queue_of_stream(const Gpu *gpu, const GpuKernel *kernel) {
  return (uint32_t)(kernel->run.launch->origin.stream % gpu->config.gpu.hardware_queues);
}

// Counted over all queues: kernels that come back after waiting for their children may
// be more than their queue has slots.
static bool has_slot(const Gpu *gpu) {
  const ChipConfig *chip = &gpu->config.gpu;
  return gpu->queue.held_in_hardware < (uint64_t)chip->hardware_queues * chip->queue_slots;
}

bool hardware_queue_accepts(const Gpu *gpu, const GpuKernel *kernel) {
  if (!is_by_stream(gpu)) return has_slot(gpu);
  return gpu->queue.hardware[queue_of_stream(gpu, kernel)].held < gpu->config.gpu.queue_slots;
}

// Ties go to the lowest number, which keeps runs repeatable.
static uint32_t emptiest(const Gpu *gpu) {
  const HardwareQueue *queues = gpu->queue.hardware;
  uint32_t best = 0;
  for (uint32_t q = 1; q < gpu->config.gpu.hardware_queues; q++)
    if (queues[q].held < queues[best].held) best = q;
  return best;
}

static HardwareQueue *queue_of(const Gpu *gpu, const GpuKernel *kernel) {
  return &gpu->queue.hardware[kernel->hardware_queue];
}

bool hardware_queue_enter(Gpu *gpu, GpuKernel *kernel) {
  kernel->hardware_queue = is_by_stream(gpu) ? queue_of_stream(gpu, kernel) : emptiest(gpu);
  HardwareQueue *queue = queue_of(gpu, kernel);
  queue->held++;
  gpu->queue.held_in_hardware++;
  if (!queue->running && queue->first == KERNEL_NONE) return true;
  kernel->next = KERNEL_NONE;
  if (queue->first == KERNEL_NONE)
    queue->first = kernel->run.id;
  else
    gpu_kernel_at(gpu, queue->last)->next = kernel->run.id;
  queue->last = kernel->run.id;
  return false;
}

void hardware_queue_begin(Gpu *gpu, const GpuKernel *kernel) {
  queue_of(gpu, kernel)->running++;
}

// A queue runs one kernel at a time; the scan begins at queue 0 each time.
uint32_t hardware_queue_next(Gpu *gpu) {
  for (uint32_t q = 0; q < gpu->config.gpu.hardware_queues; q++) {
    HardwareQueue *queue = &gpu->queue.hardware[q];
    if (queue->running || queue->first == KERNEL_NONE) continue;
    uint32_t kernel = queue->first;
    queue->first = gpu_kernel_at(gpu, kernel)->next;
    return kernel;
  }
  return KERNEL_NONE;
}

void hardware_queue_leave(Gpu *gpu, const GpuKernel *kernel) {
  HardwareQueue *queue = queue_of(gpu, kernel);
  queue->running--;
  queue->held--;
  gpu->queue.held_in_hardware--;
}

void hardware_queue_return(Gpu *gpu, const GpuKernel *kernel) {
  HardwareQueue *queue = queue_of(gpu, kernel);
  queue->running++;
  queue->held++;
  gpu->queue.held_in_hardware++;
}
