// SPDX-License-Identifier: MIT
// How far each SM may run ahead of the clock (sm/ahead.c): up to the first cycle in which something
// may reach it from outside. As in conservative parallel simulation, the bound is a look-ahead,
// not a guess: nothing has ever to be undone.
//
//   an answer    needs the delay of the L2 and the network's latency, or what is left of them
//                (memory/expected.h). An SM without requests expects none.
//   a CTA        is dispatched to SMs that have room. One that is full gets room by itself.
//   the GPU      reads counters at the end of an interval or of the run, and may get other kernels
//                when its caller wants it back.
//
// Where SMs hear of one another in other ways - several kernels, units of clusters, shared parts of
// policies, throttles, launches by kernels, the race check - no SM runs ahead.
#include "gpu/machine.h"

// An SM that computes for long should still let the host stop the run.
enum { MAX_WINDOW_CYCLES = 1024 };

static bool has_waiting_ctas(const KernelRun *run) {
  return run->next_cta < run->cta_count;
}

static GpuKernel *running_kernel(const Gpu *gpu) {
  return gpu_kernel_at(gpu, gpu->queue.running[0]);
}

// A kernel that does not come after the running one may begin at any time; its results begin with
// the counters of all SMs in that cycle.
static bool others_wait(const KernelQueue *queue) {
  return queue->head_count || queue->held_count || queue->held_in_hardware > queue->running_count;
}

static bool is_possible(const Gpu *gpu) {
  const RunConfig *run = &gpu->config.run;
  if (gpu->options.no_skip || gpu->ports || gpu->calls_natives) return false;
  if (run->max_instructions || run->max_ctas) return false;
  if (gpu->throttling.type->limit || gpu->policies.shared_count || gpu->policies.has_cta_callbacks)
    return false;
  const KernelQueue *queue = &gpu->queue;
  return queue->running_count == 1 && !queue->was_shared && !queue->is_due && !others_wait(queue) &&
         !gpu->children.count && !gpu->suspended_count && !gpu->sms[0]->context.watch;
}

static Cycle earlier_limit(Cycle end, Cycle limit) {
  return limit ? cycle_earlier(end, limit) : end;
}

void window_begin(Gpu *gpu) {
  gpu->window = (AheadLimits){0};
  if (!is_possible(gpu)) return;
  Cycle end = cycle_earlier(gpu->now + MAX_WINDOW_CYCLES, gpu->intervals.next);
  end = cycle_earlier(end, cycle_earlier(gpu->until, gpu->look));
  gpu->window.end = earlier_limit(end, gpu->config.run.max_cycles);
  gpu->window.by_event = gpu->observers.need_order;
  // Slots without warps are counted by the state of the launches, which the last CTA changes
  // (empty_slots.c).
  gpu->window.has_all_warps = has_waiting_ctas(&running_kernel(gpu)->run);
}

// Ticks of the network and of the core may alternate in any way. A packet that enters the network
// after this cycle leaves it network_cycles later at the earliest, enters the cluster in the core
// cycle after that, and the SM in the next.
static Cycle arrival_after(const Gpu *gpu, Cycle cycle) {
  return cycle + gpu->network_cycles + 2;
}

// It enters before the SMs tick in this cycle: as if after the one before. Answers may overtake one
// another; the time of the first that is counted has come, too, when a later one arrives.
void window_note_reply(Gpu *gpu, uint32_t cluster, uint32_t group) {
  Expected *inbound = &gpu->inbound[group * gpu->cluster_count + cluster];
  if (!gpu->ports) expected_enter(inbound, arrival_after(gpu, gpu->now) - 1);
}

// The first of those that the groups of channels have counted.
void window_note_given(Gpu *gpu, uint32_t cluster) {
  Expected *first = &gpu->inbound[cluster];
  for (uint32_t g = 1; g < gpu->memory_groups; g++) {
    Expected *other = &gpu->inbound[g * gpu->cluster_count + cluster];
    if (expected_next(other) < expected_next(first)) first = other;
  }
  expected_begin(first);
}

static Cycle next_of_groups(const Gpu *gpu, const Expected *expected, uint32_t cluster) {
  Cycle next = expected_next(&expected[cluster]);
  for (uint32_t g = 1; g < gpu->memory_groups; g++)
    next = cycle_earlier(next, expected_next(&expected[g * gpu->cluster_count + cluster]));
  return next;
}

// Requests that have not reached a slice have its whole delay to come.
static Cycle next_answer(const Gpu *gpu, const Sm *sm) {
  if (!sm_requests_out(sm)) return NEVER;
  Cycle arrives = next_of_groups(gpu, gpu->inbound, sm->cluster);
  if (arrives <= gpu->now + 1) return 0;
  Cycle leaves = next_of_groups(gpu, gpu->expected, sm->cluster);
  leaves = cycle_earlier(leaves, gpu->now + gpu->slice_delay_cycles);
  return cycle_earlier(arrives, arrival_after(gpu, leaves > gpu->now ? leaves - 1 : gpu->now));
}

static Cycle next_cta(const Gpu *gpu, uint32_t s) {
  const GpuKernel *kernel = running_kernel(gpu);
  const Sm *sm = gpu->sms[s];
  if (!has_waiting_ctas(&kernel->run)) return NEVER;
  if (kernel->ctas_on_sm[s] < kernel->run.ctas_per_sm && sm_has_room(sm, &kernel->run)) return 0;
  return sm->leaving.count ? leaving_ring_front(&sm->leaving)->free_at : NEVER;
}

Cycle window_run(Gpu *gpu, uint32_t s) {
  Sm *sm = gpu->sms[s];
  Cycle next = gpu->now + 1;
  AheadLimits limits = gpu->window;
  if (gpu->wakes[s] >= limits.end) return next;
  limits.end = cycle_earlier(limits.end, next_answer(gpu, sm));
  if (limits.end <= next) return next;
  limits.end = cycle_earlier(limits.end, next_cta(gpu, s));
  return sm_run_ahead(sm, next, &limits);
}
