// SPDX-License-Identifier: MIT
// From submitted to running kernels: streams, the pool of kernels that are ready to start,
// and the policy that selects those that enter a hardware queue. Kernels of one stream run
// in order: the next may start when its predecessor and all its children have completed.
#include "base/memory.h"
#include "gpu/machine.h"

Status kernel_queue_init(Gpu *gpu, Error *err) {
  KernelQueue *queue = &gpu->queue;
  const PolicyType *type;
  TRY(policy_host_make(&gpu->policies, &kernel_scheduler_family,
                       gpu->config.policy.kernel_scheduler, POLICY_PLACE_GPU, &type, &queue->state,
                       err));
  queue->type = (const KernelSchedulerType *)type;
  hardware_queues_init(gpu);
  return OK;
}

void kernel_queue_clear(KernelQueue *queue) {
  KernelStream *stream, *next;
  HASH_ITER(hh, queue->streams, stream, next) {
    HASH_DEL(queue->streams, stream);
    memory_free(stream);
  }
  memory_free(queue->heads);
  memory_free(queue->held);
  memory_free(queue->views);
  memory_free(queue->running);
  memory_free(queue->running_views);
  memory_free(queue->eligible);
}

// ---- streams

static KernelStream *find_stream(Gpu *gpu, uint64_t number) {
  KernelStream *stream;
  HASH_FIND(hh, gpu->queue.streams, &number, sizeof number, stream);
  if (stream) return stream;
  stream = memory_alloc(sizeof *stream);
  *stream = (KernelStream){.number = number, .first = KERNEL_NONE, .last = KERNEL_NONE};
  HASH_ADD(hh, gpu->queue.streams, number, sizeof stream->number, stream);
  return stream;
}

// Whether the launches that it depends on have completed.
static bool is_free(const Gpu *gpu, const GpuKernel *kernel) {
  const Launch *launch = kernel->run.launch;
  for (uint32_t i = 0; i < launch->after_count; i++)
    if (children_is_open(gpu, launch->after[i])) return false;
  return true;
}

// Inserts into the list of ready kernels, in order of submission. That order is the tie-breaker of
// every kernel scheduler, so it must not depend on when dependences were resolved.
static void add_head(Gpu *gpu, uint32_t kernel) {
  KernelQueue *queue = &gpu->queue;
  GROW(queue->heads, queue->head_count, queue->head_capacity);
  uint32_t place = queue->head_count++;
  for (; place && queue->heads[place - 1] > kernel; place--)
    queue->heads[place] = queue->heads[place - 1];
  queue->heads[place] = kernel;
  queue->is_due = true;
}

// The stream's first kernel has nothing before it any more.
static void offer(Gpu *gpu, const KernelStream *stream) {
  KernelQueue *queue = &gpu->queue;
  if (is_free(gpu, gpu_kernel_at(gpu, stream->first))) {
    add_head(gpu, stream->first);
    return;
  }
  GROW(queue->held, queue->held_count, queue->held_capacity);
  queue->held[queue->held_count++] = stream->first;
}

// Policies hear of a kernel when it is submitted, which may be long before it can begin.
void kernel_queue_push(Gpu *gpu, uint32_t index) {
  KernelStream *stream = find_stream(gpu, gpu_kernel_at(gpu, index)->run.launch->origin.stream);
  bool is_first = stream->first == KERNEL_NONE;
  if (is_first)
    stream->first = index;
  else
    gpu_kernel_at(gpu, stream->last)->next = index;
  stream->last = index;
  gpu->queue.open_count++;
  KernelView view = gpu_kernel_view(gpu, gpu_kernel_at(gpu, index));
  policy_host_launch(&gpu->policies, &view);
  if (is_first && !stream->is_taken) offer(gpu, stream);
}

void kernel_queue_hold(Gpu *gpu, uint64_t stream) {
  find_stream(gpu, stream)->is_taken = true;
}

void kernel_queue_let_go(Gpu *gpu, uint64_t number) {
  KernelStream *stream = find_stream(gpu, number);
  stream->is_taken = false;
  if (stream->first != KERNEL_NONE) {
    offer(gpu, stream);
    return;
  }
  HASH_DEL(gpu->queue.streams, stream);
  memory_free(stream);
}

void kernel_queue_retry_held(Gpu *gpu) {
  KernelQueue *queue = &gpu->queue;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < queue->held_count; i++)
    if (is_free(gpu, gpu_kernel_at(gpu, queue->held[i])))
      add_head(gpu, queue->held[i]);
    else
      queue->held[kept++] = queue->held[i];
  queue->held_count = kept;
}

// ---- beginning

static const KernelView *view_all(const Gpu *gpu, const uint32_t *kernels, uint32_t count,
                                    KernelView **views, uint32_t *capacity) {
  if (*capacity < count) {
    *capacity = count * 2;
    *views = memory_resize(*views, sizeof **views * *capacity);
  }
  for (uint32_t i = 0; i < count; i++) (*views)[i] = gpu_kernel_view(gpu, gpu_kernel_at(gpu, kernels[i]));
  return *views;
}

static void add_running(KernelQueue *queue, uint32_t kernel) {
  GROW(queue->running, queue->running_count, queue->running_capacity);
  queue->running[queue->running_count++] = kernel;
}

// Clocks are realigned if the GPU was idle, so that the cycles of a kernel do not depend on
// earlier ones.
static void begin(Gpu *gpu, uint32_t index) {
  KernelQueue *queue = &gpu->queue;
  GpuKernel *kernel = gpu_kernel_at(gpu, index);
  add_running(queue, index);
  hardware_queue_begin(gpu, kernel);
  children_note_start(gpu, kernel);
  gpu_choose_threads(gpu);
  queue->was_shared = queue->running_count > 1;
  if (queue->running_count == 1) {
    clock_align(&gpu->clock);
    perturbation_start(gpu, kernel);
  }
  gpu->last_progress = gpu->now;
  kernel_start(gpu, kernel);
}

// From the pool into a hardware queue; at the head of one that is empty it begins.
static void enter(Gpu *gpu, uint32_t index) {
  KernelQueue *queue = &gpu->queue;
  GpuKernel *kernel = gpu_kernel_at(gpu, index);
  KernelStream *stream = find_stream(gpu, kernel->run.launch->origin.stream);
  uint32_t place = 0;
  while (queue->heads[place] != index) place++;
  queue->head_count--;
  for (uint32_t i = place; i < queue->head_count; i++) queue->heads[i] = queue->heads[i + 1];
  stream->first = kernel->next;
  stream->is_taken = true;
  if (hardware_queue_enter(gpu, kernel)) begin(gpu, index);
}

// The kernels of the pool that a hardware queue can take.
static void find_eligible(Gpu *gpu) {
  KernelQueue *queue = &gpu->queue;
  queue->eligible_count = 0;
  for (uint32_t i = 0; i < queue->head_count; i++) {
    if (!hardware_queue_accepts(gpu, gpu_kernel_at(gpu, queue->heads[i]))) continue;
    GROW(queue->eligible, queue->eligible_count, queue->eligible_capacity);
    queue->eligible[queue->eligible_count++] = queue->heads[i];
  }
}

// One kernel of the pool enters a hardware queue; false if none can or shall.
static bool enter_one(Gpu *gpu) {
  KernelQueue *queue = &gpu->queue;
  find_eligible(gpu);
  if (!queue->eligible_count) return false;
  KernelQueueView view = {
      .now = gpu->now,
      .pending = view_all(gpu, queue->eligible, queue->eligible_count, &queue->views,
                          &queue->view_capacity),
      .pending_count = queue->eligible_count,
      .running = view_all(gpu, queue->running, queue->running_count, &queue->running_views,
                          &queue->running_view_capacity),
      .running_count = queue->running_count,
      .queue_count = gpu->config.gpu.hardware_queues};
  uint32_t pick = kernel_scheduler_pick(queue->type, queue->state, &view);
  if (pick == KERNEL_NONE) return false;
  enter(gpu, queue->eligible[pick]);
  return true;
}

// A kernel is in or before a queue and cannot begin: suspended parents may be what blocks it.
bool kernel_queue_is_short(const Gpu *gpu) {
  const KernelQueue *queue = &gpu->queue;
  if (queue->held_in_hardware > queue->running_count) return true;
  for (uint32_t i = 0; i < queue->head_count; i++)
    if (!hardware_queue_accepts(gpu, gpu_kernel_at(gpu, queue->heads[i]))) return true;
  return false;
}

bool kernel_queue_fill(Gpu *gpu) {
  KernelQueue *queue = &gpu->queue;
  for (uint32_t next; queue->is_due && (next = hardware_queue_next(gpu)) != KERNEL_NONE;)
    begin(gpu, next);
  while (queue->is_due && enter_one(gpu)) continue;
  // Kernels whose CTAs all wait may be suspended.
  if (queue->is_due && queue->head_count) gpu->dispatch.is_due = true;
  if (queue->is_due) empty_slots_update(gpu);
  queue->is_due = false;
  return queue->running_count != 0;
}

// ---- ending

static bool is_done(const GpuKernel *kernel) {
  return kernel->run.ctas_done == kernel->run.cta_count;
}

static void remove_running(KernelQueue *queue, uint32_t place) {
  queue->running_count--;
  for (uint32_t i = place; i < queue->running_count; i++) queue->running[i] = queue->running[i + 1];
  queue->is_due = true;
}

static void end_at(Gpu *gpu, uint32_t place) {
  KernelQueue *queue = &gpu->queue;
  GpuKernel *kernel = gpu_kernel_at(gpu, queue->running[place]);
  kernel_end(gpu, kernel);
  queue->done_count -= is_done(kernel);
  remove_running(queue, place);
  hardware_queue_leave(gpu, kernel);
  if (kernel->run.launch->is_complete) children_note_end(gpu, kernel);
}

// The last running kernel completes when nothing is in flight.
// Of overlapping kernels one may complete while another has requests in flight; the last one
// waits until the machine is empty, so that its counters include all of its traffic.
bool kernel_queue_retire(Gpu *gpu) {
  KernelQueue *queue = &gpu->queue;
  bool any = false;
  if (!queue->done_count) return false;
  for (uint32_t i = 0; i < queue->running_count;) {
    bool ends = is_done(gpu_kernel_at(gpu, queue->running[i])) &&
                (queue->running_count > 1 || gpu_is_quiet(gpu));
    if (ends)
      end_at(gpu, i);
    else
      i++;
    any |= ends;
  }
  return any;
}

void kernel_queue_park(Gpu *gpu, const GpuKernel *kernel) {
  KernelQueue *queue = &gpu->queue;
  for (uint32_t i = 0; i < queue->running_count; i++)
    if (queue->running[i] == kernel->run.id) {
      remove_running(queue, i);
      hardware_queue_leave(gpu, kernel);
      return;
    }
}

// It resumes immediately, so that temporarily more kernels than queues may run.
void kernel_queue_unpark(Gpu *gpu, const GpuKernel *kernel) {
  add_running(&gpu->queue, kernel->run.id);
  hardware_queue_return(gpu, kernel);
}

void kernel_queue_stop(Gpu *gpu) {
  while (gpu->queue.running_count) end_at(gpu, 0);
}
