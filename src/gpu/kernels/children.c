// SPDX-License-Identifier: MIT
// Child kernels: from the launch to the queues, and their completion.
//
// x simultaneous launches of a warp reach the grid management unit A * x + b cycles later (Tang et
// al., SIGMETRICS 2018, table 1: A = 1721, b = 20210). The terms are those of the two calls that a
// launch consists of (cudaGetParameterBuffer and cudaLaunchDevice; Wang and Yalamanchili, K20), and
// GPGPU-Sim, on which the paper is based, stalls the warp for them: its CTA is still resident when
// its children arrive. The paper does not state that. gpu.launch_holds_warp=false lets the warp
// continue immediately.
//
// A kernel completes when its CTAs, its children and its tail launches, which start after these,
// have completed. Only then may its stream continue.
#include "base/memory.h"
#include "gpu/machine.h"

static uint32_t ctas_per_sm(const void *self, const Launch *launch) {
  const Gpu *gpu = self;
  return sm_max_ctas(&gpu->config.sm, launch);
}

void children_init(Gpu *gpu) {
  gpu->runtime = (DeviceRuntime){
      .limits = gpu_runtime_limits(&gpu->config),
      .ctas_per_sm = ctas_per_sm,
      .self = gpu};
  gpu->children.next = NEVER;
  for (uint32_t s = 0; s < gpu->sm_count; s++) gpu->sms[s]->context.runtime = &gpu->runtime;
}

void children_clear(Gpu *gpu) {
  Children *children = &gpu->children;
  for (uint32_t i = 0; i < children->count; i++) launch_destroy(children->arrivals[i].launch);
  memory_free(children->arrivals);
  OpenLaunch *open, *next;
  HASH_ITER(hh, children->open, open, next) {
    HASH_DEL(children->open, open);
    memory_free(open);
  }
  device_runtime_clear(&gpu->runtime);
}

// ---- from the SMs to the grid management unit

bool children_is_open(const Gpu *gpu, uint64_t number) {
  OpenLaunch *open;
  HASH_FIND(hh, gpu->children.open, &number, sizeof number, open);
  return open != NULL;
}

static void add_open(Gpu *gpu, uint64_t number) {
  OpenLaunch *open = memory_alloc(sizeof *open);
  open->number = number;
  HASH_ADD(hh, gpu->children.open, number, sizeof open->number, open);
}

static Cycle latency_of(const Gpu *gpu, const Launch *launch) {
  const ChipConfig *chip = &gpu->config.gpu;
  return chip->launch_base_cycles + (Cycle)chip->launch_cycles_each * launch->together;
}

static bool holds_warp(const Gpu *gpu, const Launch *launch) {
  return gpu->config.gpu.launch_holds_warp && latency_of(gpu, launch);
}

// Arrivals are sorted by time, then by number. Insertion from the end: latencies differ only by the
// number of simultaneous launches, so new arrivals are nearly last.
static void add_arrival(Gpu *gpu, Launch *launch) {
  Children *children = &gpu->children;
  Cycle at = gpu->now + latency_of(gpu, launch);
  launch->launched = gpu->now;
  GROW(children->arrivals, children->count, children->capacity);
  uint32_t place = children->count++;
  for (; place && children->arrivals[place - 1].at > at; place--)
    children->arrivals[place] = children->arrivals[place - 1];
  children->arrivals[place] = (Arrival){.at = at, .launch = launch};
  children->next = children->arrivals[0].at;
}

void children_take(Gpu *gpu) {
  DeviceRuntime *runtime = &gpu->runtime;
  device_runtime_settle(runtime, gpu->memory);
  gpu_forget_allocations(gpu);
  for (uint32_t i = 0; i < runtime->made_count; i++) {
    Launch *made = runtime->made[i];
    GpuKernel *parent = gpu_kernel_at(gpu, made->origin.parent);
    if (made->is_tail) {
      // All tail launches of a kernel are one stream, which has to wait.
      if (!parent->tail_stream) {
        parent->tail_stream = made->origin.stream;
        kernel_queue_hold(gpu, parent->tail_stream);
      }
      made->origin.stream = parent->tail_stream;
      parent->open_tails++;
    } else {
      parent->open_children++;
    }
    policy_host_child_launch(
        &gpu->policies,
        &(ChildLaunchView){.now = gpu->now, .launch = made, .number = made->number});
    add_open(gpu, made->number);
    const LaunchOrigin *origin = &made->origin;
    if (holds_warp(gpu, made))
      sm_hold_launcher(gpu->sms[origin->parent_sm], &parent->run, origin->parent_cta,
                       origin->parent_thread);
    add_arrival(gpu, made);
  }
  runtime->made_count = 0;
}

static void release_launcher(Gpu *gpu, const LaunchOrigin *origin) {
  const KernelRun *parent = &gpu_kernel_at(gpu, origin->parent)->run;
  sm_release_launcher(gpu->sms[origin->parent_sm], parent, origin->parent_cta,
                      origin->parent_thread);
}

static void submit(Gpu *gpu, Launch *launch) {
  if (holds_warp(gpu, launch)) release_launcher(gpu, &launch->origin);
  GpuKernel *kernel = gpu_add_kernel(gpu, launch);
  kernel->is_child = true;
  kernel_queue_push(gpu, kernel->run.id);
}

void children_arrive(Gpu *gpu) {
  Children *children = &gpu->children;
  uint32_t due = 0;
  while (due < children->count && children->arrivals[due].at <= gpu->now)
    submit(gpu, children->arrivals[due++].launch);
  children->count -= due;
  for (uint32_t i = 0; i < children->count; i++)
    children->arrivals[i] = children->arrivals[i + due];
  children->next = children->count ? children->arrivals[0].at : NEVER;
  gpu->last_progress = gpu->now;
}

void children_note_start(Gpu *gpu, const GpuKernel *kernel) {
  if (kernel->is_child) gpu->runtime.pending_count--;
}

bool gpu_take_refused(Gpu *gpu, RefusedLaunches *refused) {
  DeviceRuntime *runtime = &gpu->runtime;
  if (!runtime->refused_count) return false;
  *refused = runtime->refused[0];
  runtime->refused_count--;
  for (uint32_t i = 0; i < runtime->refused_count; i++)
    runtime->refused[i] = runtime->refused[i + 1];
  return true;
}

// ---- back to the parents

// The CTA that launched a kernel, if it has not ended. It may have moved.
static void emit_cta(Gpu *gpu, const LaunchOrigin *origin) {
  const KernelRun *parent = &gpu_kernel_at(gpu, origin->parent)->run;
  for (uint32_t i = 0; i < gpu->suspended_count; i++) {
    SuspendedCta *suspended = &gpu->suspended[i];
    if (suspended->kernel == parent && suspended->cta.linear == origin->parent_cta &&
        cta_child_completed(&suspended->cta))
      gpu->dispatch.is_due = true;
  }
  for (uint32_t s = 0; parent->ctas_done < parent->cta_count && s < gpu->sm_count; s++)
    for (uint32_t c = 0; c < gpu->config.sm.max_ctas; c++) {
      CtaSlot *slot = &gpu->sms[s]->ctas[c];
      if (slot->kernel == parent && slot->cta.linear == origin->parent_cta &&
          cta_child_completed(&slot->cta))
        sm_wake_cta(gpu->sms[s], slot);
    }
}

static void end_launch(Gpu *gpu, uint64_t number) {
  OpenLaunch *open;
  HASH_FIND(hh, gpu->children.open, &number, sizeof number, open);
  HASH_DEL(gpu->children.open, open);
  memory_free(open);
  if (gpu->queue.held_count) kernel_queue_retry_held(gpu);
}

// The parent of a completed kernel; NULL: the host launched it.
static GpuKernel *leave_parent(Gpu *gpu, const GpuKernel *kernel) {
  const LaunchOrigin *origin = &kernel->run.launch->origin;
  if (!kernel->is_child) return NULL;
  end_launch(gpu, kernel->run.launch->number);
  GpuKernel *parent = gpu_kernel_at(gpu, origin->parent);
  if (kernel->run.launch->is_tail) {
    parent->open_tails--;
  } else {
    parent->open_children--;
    emit_cta(gpu, origin);
  }
  return parent;
}

// Follows the chain of parents upwards as far as kernels get over.
// A loop instead of recursion: launch trees may be 24 deep, and a whole chain may complete at
// once.
void children_note_end(Gpu *gpu, GpuKernel *kernel) {
  while (kernel && kernel->run.launch->is_complete && !kernel->open_children) {
    if (kernel->open_tails) {
      if (!kernel->tails_began) kernel_queue_let_go(gpu, kernel->tail_stream);
      kernel->tails_began = true;
      return;
    }
    kernel->run.launch->over = gpu->now;
    gpu->queue.open_count--;
    kernel_queue_let_go(gpu, kernel->run.launch->origin.stream);
    GpuKernel *parent = leave_parent(gpu, kernel);
    gpu_retire_kernel(gpu, kernel);
    kernel = parent;
  }
}
