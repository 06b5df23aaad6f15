// SPDX-License-Identifier: MIT
// One step of the clock. Order inside a step, by domain: replies enter the clusters; the
// slices' replies enter the network; DRAM; L2; the network; the SMs; new CTAs. GPGPU-Sim has
// the same order. Downstream before upstream: what an SM sends in this cycle is seen by the
// network in the next one, whichever SM it is.
#include "gpu/machine.h"

// An SM that has been left alone counts the cycles first.
void gpu_catch_up(Gpu *gpu, uint32_t s, Cycle until) {
  if (gpu->last_tick[s] >= until) return;
  sm_skip(gpu->sms[s], until - gpu->last_tick[s]);
  gpu->last_tick[s] = until;
}

// The SMs that tick in this cycle.
// Chosen before any SM ticks: an SM cannot wake another within a cycle, so the list does not
// depend on the order of ticks or on the number of threads.
//
// SMs of a cluster push into the same port of the network: one thread ticks them, as a group.
static void choose_active(Gpu *gpu) {
  uint32_t size = gpu->config.gpu.sms_per_cluster, end = 0;  // of the last group's cluster
  gpu->active_count = gpu->group_count = 0;
  for (uint32_t s = 0; s < gpu->sm_count; s++) {
    if (gpu->wakes[s] > gpu->now && !gpu->options.no_skip) continue;
    if (!sm_is_busy(gpu->sms[s])) continue;
    if (s >= end) {
      gpu->groups[gpu->group_count++] = gpu->active_count;
      end = (s / size + 1) * size;
    }
    gpu->active[gpu->active_count++] = s;
  }
  gpu->groups[gpu->group_count] = gpu->active_count;
}

// So many that they are still in the host's cache.
enum { SHARED_EVENTS = 64 };

// While its state is in the host's cache.
static SmNews news_of(const Sm *sm) {
  bool has_any = sm->stores.count || sm->faulty || sm->began_to_wait || sm->ctas_ended;
  return (SmNews){.progress = sm->progress, .has_any = has_any};
}

static void tick_sm(Gpu *gpu, uint32_t s) {
  gpu_catch_up(gpu, s, gpu->now);
  sm_tick(gpu->sms[s], gpu->now);
  gpu->last_tick[s] = window_run(gpu, s);
  gpu->news[s] = news_of(gpu->sms[s]);
  if (gpu->shares_events && gpu->observers.buffers[0].count >= SHARED_EVENTS)
    observers_deliver_of(&gpu->observers, 0);
}

// Ticks the active SMs of one cluster. The SM that ticks first has priority at the cluster's port;
// it rotates by one SM per cycle, as in GPGPU-Sim, unless the order is fixed.
void gpu_tick_group(void *subject, uint32_t group) {
  Gpu *gpu = subject;
  const uint32_t *sms = &gpu->active[gpu->groups[group]];
  uint32_t count = gpu->groups[group + 1] - gpu->groups[group];
  uint32_t size = gpu->config.gpu.sms_per_cluster, begin = 0;
  if (count > 1 && gpu->config.gpu.cluster_order == ORDER_TURNS)
    while (begin < count && sms[begin] % size < gpu->now % size) begin++;
  for (uint32_t i = begin; i < count; i++) tick_sm(gpu, sms[i]);
  for (uint32_t i = 0; i < begin; i++) tick_sm(gpu, sms[i]);
}

// Whether the SM has begun cycles after this one: there is nothing of this one to be seen to, and
// what happened later has its time to come (window.c).
static bool is_ahead(const Gpu *gpu, uint32_t s) {
  return gpu->last_tick[s] > gpu->now + 1;
}

// What several SMs could do to one another happens here, in their order.
// SMs tick in parallel and in any order; stores, faults, completed CTAs and launches are
// applied afterwards by SM number. That is what makes results independent of --threads.
static Status settle(Gpu *gpu, Error *err) {
  Status status = OK;
  for (uint32_t i = 0; i < gpu->active_count; i++) {
    const SmNews *news = &gpu->news[gpu->active[i]];
    if (news->progress > gpu->last_progress) gpu->last_progress = news->progress;
    if (!news->has_any || is_ahead(gpu, gpu->active[i])) continue;
    Sm *sm = gpu->sms[gpu->active[i]];
    // Stores become visible here, to all SMs. Within a cycle every load reads the old value.
    if (sm->stores.count) store_queue_apply(&sm->stores);
    if (sm->faulty && status == OK) {
      status = sm_report_fault(sm, err);
      gpu->fault = sm->context.fault.kind;
    }
    if (sm->began_to_wait) gpu->dispatch.is_due = true;
    sm->began_to_wait = false;
    if (sm->ctas_ended) count_ended_ctas(gpu, gpu->active[i]);
  }
  if (gpu->has_left_lines) gpu_take_left_lines(gpu);
  if (gpu->clusters) cta_clusters_settle(gpu);
  if (gpu->runtime.made_count) children_take(gpu);
  return status;
}

// Threads pay off only when each has several SMs to tick.
enum { MIN_SMS_A_THREAD = 2 };

static bool is_parallel(Gpu *gpu) {
  if (!gpu->workers || gpu->active_count < MIN_SMS_A_THREAD * gpu->threads) return false;
  if (gpu->options.threads != GPU_THREADS_AUTO) return true;
  return thread_choice_ask(&gpu->thread_choice, gpu->active_count);
}

// Where CTAs have begun, any SM may have events; otherwise those that have ticked.
static void deliver_events(Gpu *gpu, bool of_all) {
  observers_deliver_of(&gpu->observers, gpu->sm_count);  // of the memory system
  if (gpu->shares_events) {
    observers_deliver_of(&gpu->observers, 0);
    return;
  }
  uint32_t count = of_all ? gpu->sm_count : gpu->active_count;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t s = of_all ? i : gpu->active[i];
    if (gpu->last_tick[s] <= gpu->now) observers_deliver_of(&gpu->observers, s);
  }
}

static Status tick_core(Gpu *gpu, Error *err) {
  choose_active(gpu);
  window_begin(gpu);
  if (is_parallel(gpu))
    workers_run(gpu->workers, gpu_tick_group, gpu->group_count);
  else
    for (uint32_t i = 0; i < gpu->group_count; i++) gpu_tick_group(gpu, i);
  Status status = settle(gpu, err);
  gpu->now++;  // a cycle with a fault counts: SMs that were left alone catch up with it
  if (status != OK) return status;
  if (gpu->now >= gpu->throttling.next) throttling_interval(gpu);
  bool dispatches = gpu->dispatch.is_due || gpu->now >= gpu->dispatch.again;
  if (dispatches)
    dispatch_tick(gpu);
  else if (gpu->empty_has_children != (gpu->children.count > 0))
    empty_slots_update(gpu);
  if (gpu->observers.count) deliver_events(gpu, dispatches);
  return OK;
}

void gpu_sync(Gpu *gpu) {
  for (uint32_t s = 0; s < gpu->sm_count; s++) gpu_catch_up(gpu, s, gpu->now);
}

bool gpu_is_quiet(const Gpu *gpu) {
  if (gpu->responses_waiting || !crossbar_is_empty(gpu->requests) || !crossbar_is_empty(gpu->replies))
    return false;
  if (clusters_have_work(gpu)) return false;
  for (uint32_t s = 0; s < gpu->sm_count; s++)
    if (sm_prefetches(gpu->sms[s])) return false;
  for (uint32_t p = 0; p < gpu->partition_count; p++)
    if (!partition_has_answered(gpu->partitions[p])) return false;
  for (uint32_t s = 0; s < gpu->sm_count; s++)
    if (sm_is_busy(gpu->sms[s])) return false;
  return true;
}

// ---- leaving out cycles

// Core cycles from now on in which no SM does anything by itself.
static Cycle sm_quiet_cycles(const Gpu *gpu) {
  Cycle quiet = NEVER;
  for (uint32_t s = 0; s < gpu->sm_count; s++) {
    Cycle wake = gpu->wakes[s];
    if (wake > gpu->now && wake != NEVER)
      quiet = cycle_earlier(quiet, wake - gpu->now);
    else if (wake != NEVER && sm_is_busy(gpu->sms[s]))
      return 0;
  }
  return quiet;
}

// In core cycles. The L2 and the latency to DRAM are in core cycles, DRAM events are converted.
static Cycle memory_quiet_cycles(const Gpu *gpu) {
  Cycle quiet = NEVER;
  for (uint32_t p = 0; p < gpu->partition_count; p++) {
    const Partition *partition = gpu->partitions[p];
    if (partition_reply_mask(partition)) return 0;
    if (partition_is_idle(partition)) continue;
    Cycle next = partition_next_event(partition, gpu->now);
    // DRAM ticks that come just before core cycle `next` already act on it.
    if (next <= gpu->now + 1) return 0;
    if (next != NEVER) quiet = cycle_earlier(quiet, next - gpu->now - 1);
    Cycle ticks = partition_next_dram_event(partition, gpu->now);
    quiet = cycle_earlier(quiet, clock_core_cycles_before(&gpu->clock, CLOCK_DRAM, ticks));
    if (!quiet) return 0;
  }
  return quiet;
}

// SMs are not told: each catches up when it is next ticked or read (gpu_catch_up).
static void skip(Gpu *gpu, Cycle cycles) {
  Cycle ticks[CLOCK_DOMAINS];
  clock_skip(&gpu->clock, cycles, ticks);
  gpu->now += cycles;
  crossbar_skip(gpu->requests, ticks[CLOCK_NOC]);
  crossbar_skip(gpu->replies, ticks[CLOCK_NOC]);
  for (uint32_t p = 0; p < gpu->partition_count; p++) {
    partition_skip(gpu->partitions[p], ticks[CLOCK_L2]);
    partition_dram_skip(gpu->partitions[p], ticks[CLOCK_DRAM]);
  }
}

// Leaves out cycles in which nothing can happen.
static Status try_skip(Gpu *gpu, Error *err) {
  if (gpu->responses_waiting || gpu->dispatch.is_due || gpu->queue.done_count ||
      gpu->queue.is_due || gpu->now >= gpu->children.next || gpu->now >= gpu->until ||
      gpu->now >= gpu->look)
    return OK;
  Cycle quiet = sm_quiet_cycles(gpu);
  if (!quiet || !crossbar_is_empty(gpu->requests) || !crossbar_is_empty(gpu->replies)) return OK;
  if (clusters_have_work(gpu)) return OK;
  quiet = cycle_earlier(quiet, memory_quiet_cycles(gpu));
  // Kernels arrive after a simulated cycle: they may realign the clocks.
  if (gpu->children.count) quiet = cycle_earlier(quiet, gpu->children.next - gpu->now - 1);
  // Throttles and dispatch are asked when the cycle before has been counted.
  if (gpu->dispatch.again != NEVER)
    quiet = cycle_earlier(quiet, gpu->dispatch.again - gpu->now - 1);
  // No further event: reported immediately, without waiting for gpu.deadlock_cycles.
  if (quiet == NEVER) return gpu_report_deadlock(gpu, err);
  Cycle limit = gpu->config.run.max_cycles;
  // The last cycle is simulated, so that the other clocks are as if all had been.
  if (limit) quiet = cycle_earlier(quiet, gpu->now < limit ? limit - gpu->now - 1 : 0);
  quiet = cycle_earlier(quiet, gpu->look - gpu->now - 1);
  quiet = cycle_earlier(quiet, gpu->intervals.next - gpu->now);
  quiet = cycle_earlier(quiet, gpu->throttling.next - gpu->now - 1);
  quiet = cycle_earlier(quiet, gpu->until - gpu->now - 1);
  if (quiet) skip(gpu, quiet);
  return OK;
}

Status gpu_step(Gpu *gpu, Error *err) {
  uint32_t due = clock_step(&gpu->clock);
  bool core = due >> CLOCK_CORE & 1, noc = due >> CLOCK_NOC & 1;
  if (core && (gpu->responses_waiting || !crossbar_is_empty(gpu->replies) || gpu->ports))
    clusters_tick(gpu);
  memory_tick(gpu, due);
  if (noc) {
    crossbar_tick(gpu->requests);
    crossbar_tick(gpu->replies);
  }
  if (!core) return OK;
  TRY(tick_core(gpu, err));
  // A launch in flight is progress that no SM shows.
  bool awaits = gpu->children.count > 0 || gpu->dispatch.is_launching;
  bool is_stuck = gpu->now > gpu->last_progress &&
                  gpu->now - gpu->last_progress > gpu->config.gpu.deadlock_cycles;
  if (!awaits && is_stuck) return gpu_report_deadlock(gpu, err);
  return gpu->options.no_skip ? OK : try_skip(gpu, err);
}
