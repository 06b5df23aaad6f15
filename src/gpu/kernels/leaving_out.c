// SPDX-License-Identifier: MIT
// CTAs of a sampled kernel that are not timed: dispatch counts them as dispatched and completed.
// The machine does not notice: the CTAs that are resident stay, and the next to be dispatched is a
// later one.
#include <assert.h>

#include "gpu/machine.h"

const char *gpu_needs_all_ctas(const Gpu *gpu) {
  if (gpu->throttling.type->limit) return "the throttle learns from CTAs";
  if (gpu->policies.has_cta_callbacks) return "a policy follows CTAs";
  return NULL;
}

// A dispatch order other than by number would not leave the same CTAs for the end.
static bool is_possible(const Gpu *gpu, const GpuKernel *kernel) {
  return !kernel->dispatched && gpu->queue.running_count == 1;
}

static void leave_out(GpuKernel *kernel, uint64_t count) {
  kernel->dispatched_ctas += count;
  kernel->run.next_cta += count;
  kernel->run.ctas_done += count;
}

void leave_out_ctas(Gpu *gpu, GpuKernel *kernel) {
  CtaSampler *sampler = kernel->run.launch->sampler;
  KernelRun *run = &kernel->run;
  if (!sampler || kernel->dispatched_ctas != sampler->next || !is_possible(gpu, kernel)) return;
  gpu_collect(gpu);
  uint64_t count = sampler->ask(sampler->self, &gpu->total, &sampler->next);
  assert(count < run->cta_count - run->next_cta || !count);
  leave_out(kernel, count);
}

// All waiting CTAs may go: the kernel then ends with a resident one, of which there has to be one.
void leave_out_at_look(Gpu *gpu) {
  GpuKernel *kernel = gpu_kernel_at(gpu, gpu->queue.running[0]);
  CtaSampler *sampler = kernel->run.launch->sampler;
  uint64_t done = kernel->run.ctas_done, dispatched = kernel->dispatched_ctas;
  gpu->look = NEVER;
  if (!sampler || !is_possible(gpu, kernel)) return;
  gpu->look = gpu->now + 1;
  if (done == dispatched) return;
  gpu_collect(gpu);
  uint64_t count = sampler->show(sampler->self, &gpu->total, dispatched, &gpu->look);
  if (!count) return;
  assert(count <= kernel->run.cta_count - dispatched && done < dispatched);
  leave_out(kernel, count);
  gpu->dispatch.is_due = true;  // slots of warps are empty for another reason when none waits
}
