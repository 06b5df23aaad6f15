// SPDX-License-Identifier: MIT
// The parts of gpu.h that forward to memory, textures, observers and results.
#include "gpu/gpu.h"

#include "base/memory.h"
#include "gpu/machine.h"

Cycle gpu_now(const Gpu *gpu) {
  return gpu->now;
}

DeviceMemory *gpu_memory(Gpu *gpu) {
  return gpu->memory;
}

void gpu_forget_allocations(Gpu *gpu) {
  for (uint32_t s = 0; s < gpu->sm_count; s++) exec_forget_allocations(&gpu->sms[s]->context);
}

void gpu_set_print(Gpu *gpu, void (*print)(void *sink, const char *text, size_t length),
                   void *sink) {
  for (uint32_t s = 0; s < gpu->sm_count; s++) {
    gpu->sms[s]->context.print = print;
    gpu->sms[s]->context.print_sink = sink;
  }
}

void gpu_set_textures(Gpu *gpu, TextureTable *textures) {
  for (uint32_t s = 0; s < gpu->sm_count; s++) gpu->sms[s]->context.textures = textures;
}

void gpu_set_watch(Gpu *gpu, const ExecWatch *watch) {
  for (uint32_t s = 0; s < gpu->sm_count; s++) gpu->sms[s]->context.watch = watch;
}

void gpu_watch_stores(Gpu *gpu, void (*before)(void *self, const PendingStore *store), void *self) {
  for (uint32_t s = 0; s < gpu->sm_count; s++) {
    gpu->sms[s]->stores.before = before;
    gpu->sms[s]->stores.before_self = self;
  }
}

void gpu_set_pending_launches(Gpu *gpu, uint32_t launches) {
  gpu->runtime.limits.pending = launches;
}

// ---- observers and tables

Status gpu_observe(Gpu *gpu, const ObserverType *type, const char *spec, Error *err) {
  TRY(observers_add(&gpu->observers, type, spec, gpu->sm_count, err));
  gpu->shares_events = !gpu->observers.need_order && gpu->threads <= 1;
  for (uint32_t s = 0; s < gpu->sm_count; s++)
    sm_observe(gpu->sms[s], &gpu->observers.buffers[gpu->shares_events ? 0 : s]);
  for (uint32_t p = 0; p < gpu->partition_count; p++)
    partition_observe(gpu->partitions[p], &gpu->observers.buffers[gpu->sm_count], p);
  return OK;
}

const ResultTableType *const gpu_tables[] = {&sm_table, &interval_table, NULL};

ResultTables gpu_take_tables(Gpu *gpu, uint32_t index) {
  Launch *launch = gpu->kernels[index]->run.launch;
  ResultTables tables = launch->tables;
  launch->tables = (ResultTables){0};
  return tables;
}

void gpu_report(Gpu *gpu, ResultTables *tables) {
  gpu_sync(gpu);
  SmRow *rows = memory_alloc(sizeof(SmRow) * gpu->sm_count);
  sm_rows_fill(rows, gpu->sms, gpu->sm_count);
  result_tables_add(tables, &sm_table, rows, gpu->sm_count);
  memory_free(rows);
  observers_report(&gpu->observers, tables);
}

FaultKind gpu_fault(const Gpu *gpu) {
  return gpu->fault;
}

// ---- running

static uint64_t ended_ctas(const Gpu *gpu) {
  uint64_t ctas = 0;
  for (uint32_t s = 0; s < gpu->sm_count; s++) ctas += gpu->sms[s]->stats.ctas;
  return ctas;
}

static uint64_t issued_instructions(const Gpu *gpu) {
  uint64_t instructions = 0;
  for (uint32_t s = 0; s < gpu->sm_count; s++) instructions += gpu->sms[s]->stats.warp_instructions;
  return instructions;
}

static Status stopped(Gpu *gpu, uint64_t after, const char *what, Error *err) {
  gpu_sync(gpu);  // warps that wait for a time are where they would be
  error_set(err, ERR_LIMIT, "stopped after %llu %s", (unsigned long long)after, what);
  gpu_report_stuck(gpu, err);
  return ERR_LIMIT;
}

static Status check_limits(Gpu *gpu, Error *err) {
  if (gpu->options.stop && *gpu->options.stop)
    return error_set(err, ERR_INTERRUPTED, "stopped at cycle %llu", (unsigned long long)gpu->now);
  if (gpu->config.run.max_cycles && gpu->now >= gpu->config.run.max_cycles)
    return stopped(gpu, gpu->now, "cycles", err);
  if (gpu->config.run.max_instructions && issued_instructions(gpu) >= gpu->config.run.max_instructions)
    return stopped(gpu, issued_instructions(gpu), "warp instructions", err);
  if (gpu->config.run.max_ctas && ended_ctas(gpu) >= gpu->config.run.max_ctas)
    return error_set(err, ERR_LIMIT, "stopped after %llu CTAs",
                     (unsigned long long)ended_ctas(gpu));
  return OK;
}

// A step in which SMs may run ahead takes longer, since it simulates many of their cycles.
enum { PROGRESS_STEPS = 1 << 12, STEPS_OF_A_WINDOW = 64 };

static void report_progress(Gpu *gpu, const GpuKernel *kernel) {
  gpu->steps = 0;
  GpuProgress progress = {.kernel = function_title(kernel->run.launch->kernel),
                          .kernel_index = kernel->run.id,
                          .cycle = gpu->now,
                          .kernel_started = kernel->run.launch->started,
                          .ctas_done = kernel->run.ctas_done,
                          .cta_count = kernel->run.cta_count};
  progress.warp_instructions = issued_instructions(gpu);
  gpu->options.progress(gpu->options.progress_self, &progress);
}

static void after_step(Gpu *gpu) {
  if (gpu->now >= gpu->children.next) children_arrive(gpu);
  if (gpu->now >= gpu->intervals.next) {
    gpu_collect(gpu);
    intervals_sample(&gpu->intervals, &gpu->total);
  }
  if (gpu->now >= gpu->look) leave_out_at_look(gpu);
  gpu->steps += gpu->window.end ? STEPS_OF_A_WINDOW : 1;
  if (gpu->options.progress && gpu->steps >= PROGRESS_STEPS && gpu->queue.running_count)
    report_progress(gpu, gpu_kernel_at(gpu, gpu->queue.running[0]));
}

// Native functions such as malloc and printf access the whole device: programs that call
// them are simulated by one thread.
static bool calls_natives(const Program *program) {
  for (uint32_t f = 0; f < program->function_count; f++)
    if (program->functions[f].native) return true;
  return false;
}

void gpu_choose_threads(Gpu *gpu) {
  gpu->calls_natives = false;
  for (uint32_t i = 0; i < gpu->queue.running_count; i++) {
    const Launch *launch = gpu_kernel_at(gpu, gpu->queue.running[i])->run.launch;
    // CTAs of clusters act on one another within a cycle.
    gpu->calls_natives |= calls_natives(launch->program) || launch_cluster_size(launch) > 1;
  }
  bool is_parallel = gpu->threads > 1 && !gpu->calls_natives;
  if (is_parallel && !gpu->workers) gpu->workers = workers_create(gpu->threads, gpu);
  if (!is_parallel) gpu_end_threads(gpu);
}

void gpu_end_threads(Gpu *gpu) {
  workers_destroy(gpu->workers);
  gpu->workers = NULL;
}

// Every request of an SM has been answered, except for acknowledgements of write-backs,
// which no warp waits for.
static Status check_sms(const Gpu *gpu, Error *err) {
  for (uint32_t s = 0; s < gpu->sm_count; s++) {
    const Sm *sm = gpu->sms[s];
    uint32_t requests = sm_requests_out(sm);
    uint32_t instructions = inflight_pool_out(&sm->inflights);
    if (requests > sm->lsu.responses.count || instructions)
      return error_set(err, ERR_INTERNAL, "SM %u: %u requests and %u instructions did not complete",
                       s, requests, instructions);
  }
  return OK;
}

static Status check_policies(const Gpu *gpu, Error *err) {
  const Error *failure = &gpu->policies.failure;
  return failure->status == OK ? OK : error_set(err, failure->status, "%s", failure->text);
}

bool gpu_is_idle(const Gpu *gpu) {
  return !gpu->queue.open_count;
}

// Whether the caller has something to do while kernels are left.
static bool is_due_back(const Gpu *gpu) {
  return !gpu_is_idle(gpu) && (gpu->has_completed || gpu->now >= gpu->until);
}

static Status finish(Gpu *gpu, Error *err) {
  gpu_collect(gpu);
  if (!gpu_is_idle(gpu))
    return error_set(err, ERR_INTERNAL, "%u kernels did not complete", gpu->queue.open_count);
  TRY(machine_stats_check(&gpu->total, &gpu->config, err));
  return check_sms(gpu, err);
}

Status gpu_run_until(Gpu *gpu, Cycle until, Error *err) {
  Status status = OK;
  gpu->until = until;
  gpu->has_completed = false;
  while (status == OK && !is_due_back(gpu) &&
         (kernel_queue_fill(gpu) || gpu->children.count || gpu->suspended_count)) {
    status = gpu_step(gpu, err);
    if (status == OK) status = check_policies(gpu, err);
    after_step(gpu);
    if (status == OK && !kernel_queue_retire(gpu)) status = check_limits(gpu, err);
  }
  if (status != OK) {
    kernel_queue_stop(gpu);
    gpu_report_unfinished(gpu);
    return status;
  }
  return is_due_back(gpu) ? OK : finish(gpu, err);
}

Status gpu_run(Gpu *gpu, Error *err) {
  do {
    TRY(gpu_run_until(gpu, NEVER, err));
  } while (!gpu_is_idle(gpu));
  return OK;
}
