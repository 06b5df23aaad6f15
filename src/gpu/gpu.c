// SPDX-License-Identifier: MIT
#include "gpu/gpu.h"

#include <string.h>

#include "base/memory.h"
#include "gpu/machine.h"

// Instructions lie here in the address space of the instruction caches.
#define CODE_BASE UINT64_C(0xf0000000)

static uint32_t slice_of(const void *map, uint64_t address) {
  MemLocation location;
  address_map_locate(map, address, &location);
  return location.slice;
}

static Status make_map(Gpu *gpu, Error *err) {
  const GpuConfig *config = &gpu->config;
  AddressMapView view = {
      .channels = config->gpu.channels,
      .slices_per_channel = config->gpu.slices_per_channel,
      .banks = config->dram.banks,
      .bank_groups = config->dram.bank_groups,
      .row_bytes = config->dram.row_bytes,
      .line_bytes = config->l2.enabled ? config->l2.line_bytes : config->l1d.line_bytes,
  };
  return address_map_init(&gpu->map, gpu->options.policies, config->gpu.address_map, &view, err);
}

static Status make_memory_side(Gpu *gpu, Error *err) {
  const GpuConfig *config = &gpu->config;
  TRY(make_map(gpu, err));
  gpu->partition_count = config->gpu.channels;
  gpu->slice_count = gpu->partition_count * config->gpu.slices_per_channel;
  uint32_t largest = 8 + (config->l1d.line_bytes > 128 ? config->l1d.line_bytes : 128);
  TRY(crossbar_check(&config->noc, largest, err));
  gpu->requests = crossbar_create(&config->noc, gpu->cluster_count, gpu->slice_count);
  gpu->replies = crossbar_create(&config->noc, gpu->slice_count, gpu->cluster_count);
  gpu->partitions = ARENA_ARRAY(&gpu->arena, Partition *, gpu->partition_count);
  for (uint32_t p = 0; p < gpu->partition_count; p++)
    TRY(partition_create(&gpu->partitions[p], &config->partition, &config->l2, &config->dram,
                         config->gpu.slices_per_channel, &gpu->map, err));
  return OK;
}

// Units between the clusters and the network, if the policy is one that acts.
static Status make_ports(Gpu *gpu, Error *err) {
  ClusterPort **ports = ARENA_ARRAY(&gpu->arena, ClusterPort *, gpu->cluster_count);
  for (uint32_t c = 0; c < gpu->cluster_count; c++) {
    TRY(cluster_port_create(&ports[c], gpu->options.policies, gpu->config.policy.cluster_unit,
                            gpu->config.gpu.sms_per_cluster,
                            gpu->config.gpu.cluster_response_entries, err));
    if (ports[c]) gpu->ports = ports;
  }
  return OK;
}

static Status make_sms(Gpu *gpu, Error *err) {
  const GpuConfig *config = &gpu->config;
  gpu->sms = ARENA_ARRAY(&gpu->arena, Sm *, gpu->sm_count);
  gpu->last_tick = ARENA_ARRAY(&gpu->arena, Cycle, gpu->sm_count);
  for (uint32_t s = 0; s < gpu->sm_count; s++) {
    SmSetup setup = {
        .config = &config->sm,
        .l1d = &config->l1d,
        .l1i = &config->l1i,
        .l1c = &config->l1c,
        .l1t = &config->l1t,
        .scheduler = config->policy.warp_scheduler,
        .prefetch = config->policy.prefetch,
        .l1_insertion = config->policy.l1_insertion,
        .policies = gpu->options.policies,
        .id = s,
        .cluster = s / config->gpu.sms_per_cluster,
        .sm_count = gpu->sm_count,
        .requests = gpu->requests,
        .noc = &config->noc,
        .port = gpu->ports ? gpu->ports[s / config->gpu.sms_per_cluster] : NULL,
        .slice_of = slice_of,
        .map = &gpu->map,
        .memory = gpu->memory,
    };
    TRY(sm_create(&gpu->sms[s], &setup, err));
  }
  gpu->active = ARENA_ARRAY(&gpu->arena, uint32_t, gpu->sm_count);
  gpu->responses = ARENA_ARRAY(&gpu->arena, ClusterRing, gpu->cluster_count);
  for (uint32_t c = 0; c < gpu->cluster_count; c++)
    cluster_ring_init(&gpu->responses[c], config->gpu.cluster_response_entries);
  return OK;
}

static void make_clock(Gpu *gpu) {
  const ChipConfig *chip = &gpu->config.gpu;
  uint32_t mhz[CLOCK_DOMAINS] = {chip->core_clock_mhz, chip->noc_clock_mhz, chip->l2_clock_mhz,
                                 chip->dram_clock_mhz};
  for (int d = 0; d < CLOCK_DOMAINS; d++)
    if (!mhz[d]) mhz[d] = chip->core_clock_mhz;
  clock_init(&gpu->clock, mhz);
}

static Status make(Gpu *gpu, Error *err) {
  const ChipConfig *chip = &gpu->config.gpu;
  gpu->sm_count = chip->sm_count;
  gpu->cluster_count = (chip->sm_count + chip->sms_per_cluster - 1) / chip->sms_per_cluster;
  gpu->memory = device_memory_create((uint64_t)chip->memory_mb << 20);
  make_clock(gpu);
  TRY(make_memory_side(gpu, err));
  TRY(make_ports(gpu, err));
  TRY(make_sms(gpu, err));
  children_init(gpu);
  TRY(dispatch_init(gpu, err));
  TRY(throttling_init(gpu, err));
  return kernel_queue_init(gpu, err);
}

// Parts that find their policies by themselves are told where else to look.
static void share_policies(Gpu *gpu) {
  GpuConfig *config = &gpu->config;
  CacheConfig *caches[] = {&config->l1d, &config->l1i, &config->l1c, &config->l1t, &config->l2};
  for (size_t i = 0; i < sizeof caches / sizeof *caches; i++)
    caches[i]->policies = gpu->options.policies;
  config->dram.policies = gpu->options.policies;
}

Status gpu_create(Gpu **out, const GpuConfig *config, const GpuOptions *options, Error *err) {
  Gpu *gpu = memory_alloc(sizeof *gpu);
  gpu->config = *config;
  if (options) gpu->options = *options;
  share_policies(gpu);
  gpu->intervals.wanted = gpu->options.interval_cycles;
  Status status = make(gpu, err);
  *out = gpu;
  if (status == OK) return OK;
  gpu_destroy(gpu);
  *out = NULL;
  return status;
}

void gpu_destroy(Gpu *gpu) {
  if (!gpu) return;
  workers_destroy(gpu->workers);
  for (uint32_t k = 0; k < gpu->kernel_count; k++) gpu_kernel_clear(gpu->kernels[k]);
  for (uint32_t s = 0; gpu->sms && s < gpu->sm_count; s++) sm_destroy(gpu->sms[s]);
  for (uint32_t c = 0; gpu->responses && c < gpu->cluster_count; c++)
    cluster_ring_clear(&gpu->responses[c]);
  for (uint32_t c = 0; gpu->ports && c < gpu->cluster_count; c++)
    cluster_port_destroy(gpu->ports[c]);
  suspensions_clear(gpu);
  children_clear(gpu);
  kernel_queue_clear(&gpu->queue);
  for (uint32_t p = 0; gpu->partitions && p < gpu->partition_count; p++)
    partition_destroy(gpu->partitions[p]);
  observers_clear(&gpu->observers);
  intervals_clear(&gpu->intervals);
  crossbar_destroy(gpu->requests);
  crossbar_destroy(gpu->replies);
  address_map_clear(&gpu->map);
  device_memory_destroy(gpu->memory);
  for (uint32_t i = 0; i < gpu->table_count; i++) {
    if (gpu->tables[i]->users) issue_table_clear(&gpu->tables[i]->table);
    memory_free(gpu->tables[i]);
  }
  memory_free(gpu->tables);
  memory_free(gpu->kernels);
  arena_clear(&gpu->arena);
  memory_free(gpu);
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

// ---- observers and tables

Status gpu_observe(Gpu *gpu, const ObserverType *type, const char *spec, Error *err) {
  TRY(observers_add(&gpu->observers, type, spec, gpu->sm_count, err));
  for (uint32_t s = 0; s < gpu->sm_count; s++) gpu->sms[s]->events = &gpu->observers.buffers[s];
  return OK;
}

const ResultTableType *const gpu_tables[] = {&sm_table, &interval_table, NULL};

ResultTables gpu_take_tables(Gpu *gpu, uint32_t index) {
  ResultTables tables = gpu->kernels[index]->result.tables;
  gpu->kernels[index]->result.tables = (ResultTables){0};
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

// ---- kernels

// A grid that does not fill the GPU may be spread over all of it.
static uint32_t cta_limit(const Gpu *gpu, const Launch *launch) {
  uint32_t most = sm_max_ctas(&gpu->config.sm, launch);
  uint64_t ctas = launch_cta_count(launch);
  if (!gpu->config.gpu.spread_small_grids || ctas >= (uint64_t)most * gpu->sm_count) return most;
  return (uint32_t)((ctas + gpu->sm_count - 1) / gpu->sm_count);
}

static void describe(const Gpu *gpu, GpuKernel *kernel) {
  const Launch *launch = &kernel->run.launch;
  KernelRecord *result = &kernel->result;
  result->name = launch->kernel->name;
  memcpy(result->grid, launch->grid, sizeof result->grid);
  memcpy(result->block, launch->block, sizeof result->block);
  result->registers = sm_thread_registers(&gpu->config.sm, launch->kernel);
  result->shared_bytes = launch_shared_bytes(launch);
  result->warps_per_cta = launch_warps_per_cta(launch);
  result->ctas_per_sm = kernel->max_ctas_per_sm;
  result->origin = launch->origin;
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
  issue_table_init(&free->table, program, &gpu->config.sm, &gpu->config.latency, CODE_BASE);
  free->users = 1;
  return &free->table;
}

void gpu_give_table(Gpu *gpu, const IssueTable *table) {
  for (uint32_t i = 0; i < gpu->table_count; i++)
    if (&gpu->tables[i]->table == table && --gpu->tables[i]->users == 0)
      issue_table_clear(&gpu->tables[i]->table);
}

GpuKernel *gpu_add_kernel(Gpu *gpu, const Launch *launch) {
  GpuKernel *kernel = memory_alloc(sizeof *kernel);
  uint32_t param_bytes = launch->kernel->param_bytes;
  kernel->params = memory_alloc(param_bytes + 1);
  if (param_bytes) memcpy(kernel->params, launch->params, param_bytes);
  kernel->run.launch = *launch;
  kernel->run.launch.params = kernel->params;
  kernel->run.launch.grid_id = kernel->run.id = gpu->kernel_count;
  kernel->run.cta_count = launch_cta_count(launch);
  kernel->run.table = take_table(gpu, launch->program);
  kernel->ctas_on_sm = memory_alloc(sizeof(uint32_t) * gpu->sm_count);
  kernel->max_ctas_per_sm = cta_limit(gpu, launch);
  kernel->next = KERNEL_NONE;
  kernel->result.launched = kernel->result.submitted = gpu->now;
  describe(gpu, kernel);
  GROW(gpu->kernels, gpu->kernel_count, gpu->kernel_capacity);
  gpu->kernels[gpu->kernel_count++] = kernel;
  return kernel;
}

Status gpu_submit(Gpu *gpu, const Launch *launch, Error *err) {
  if (!cta_limit(gpu, launch))
    return error_set(err, ERR_PROGRAM,
                     "kernel %s: a CTA of %u threads with %u registers each and %u bytes of shared "
                     "memory does not fit an SM of %s",
                     function_title(launch->kernel), launch_threads_per_cta(launch),
                     sm_thread_registers(&gpu->config.sm, launch->kernel),
                     launch_shared_bytes(launch), gpu->config.gpu.name);
  kernel_queue_push(gpu, gpu_add_kernel(gpu, launch)->run.id);
  return OK;
}

uint32_t gpu_kernel_count(const Gpu *gpu) {
  return gpu->kernel_count;
}

const KernelRecord *gpu_kernel(const Gpu *gpu, uint32_t index) {
  return &gpu->kernels[index]->result;
}

FaultKind gpu_fault(const Gpu *gpu) {
  for (uint32_t s = 0; s < gpu->sm_count; s++)
    if (gpu->sms[s]->context.fault.kind) return gpu->sms[s]->context.fault.kind;
  return FAULT_NONE;
}

// ---- counters

static void add_cache(CacheStats *total, const Cache *cache) {
  if (cache) stats_sum(total, cache_stats_of(cache), sizeof *total);
}

static void collect_sm(MachineStats *total, const Sm *sm) {
  stats_sum(&total->sm, &sm->stats, sizeof total->sm);
  stats_sum(&total->lsu, &sm->lsu.stats, sizeof total->lsu);
  CacheStats l1d = lsu_l1d_stats(&sm->lsu);
  stats_sum(&total->l1d, &l1d, sizeof l1d);
  for (uint32_t i = 0; i < sm->lsu.l1_parts; i++)
    stats_sum(&total->prefetch, cache_prefetch_stats(sm->lsu.l1d[i]), sizeof total->prefetch);
  add_cache(&total->l1c, sm->lsu.l1c);
  add_cache(&total->l1t, sm->lsu.l1t);
  add_cache(&total->l1i, sm->l1i);
}

static void collect_partition(MachineStats *total, Partition *partition, uint32_t slices) {
  for (uint32_t s = 0; s < slices; s++) {
    const CacheStats *l2 = partition_l2_stats(partition, s);
    if (l2) stats_sum(&total->l2, l2, sizeof total->l2);
    stats_sum(&total->slice, partition_slice_stats(partition, s), sizeof total->slice);
  }
  stats_sum(&total->partition, partition_stats_of(partition), sizeof total->partition);
  stats_sum(&total->dram, partition_dram_stats(partition), sizeof total->dram);
}

void gpu_collect(Gpu *gpu) {
  gpu_sync(gpu);
  MachineStats total = {.cycles = gpu->now, .dispatched_ctas = gpu->total.dispatched_ctas};
  for (uint32_t s = 0; s < gpu->sm_count; s++) collect_sm(&total, gpu->sms[s]);
  for (uint32_t p = 0; p < gpu->partition_count; p++)
    collect_partition(&total, gpu->partitions[p], gpu->config.gpu.slices_per_channel);
  for (uint32_t c = 0; gpu->ports && c < gpu->cluster_count; c++)
    stats_sum(&total.cluster, &gpu->ports[c]->stats, sizeof total.cluster);
  total.request_noc = crossbar_stats_of(gpu->requests);
  total.reply_noc = crossbar_stats_of(gpu->replies);
  machine_stats_derive(&total, &gpu->config);
  gpu->total = total;
}

const MachineStats *gpu_total(Gpu *gpu) {
  gpu_collect(gpu);
  return &gpu->total;
}

// ---- running

static Status check_limits(const Gpu *gpu, Error *err) {
  if (gpu->options.stop && *gpu->options.stop)
    return error_set(err, ERR_INTERRUPTED, "stopped at cycle %llu", (unsigned long long)gpu->now);
  if (gpu->config.run.max_cycles && gpu->now >= gpu->config.run.max_cycles)
    return error_set(err, ERR_LIMIT, "stopped after %llu cycles", (unsigned long long)gpu->now);
  return OK;
}

enum { PROGRESS_STEPS = 1 << 12 };

static void tell_progress(Gpu *gpu, const GpuKernel *kernel) {
  gpu->steps = 0;
  GpuProgress progress = {.kernel = function_title(kernel->run.launch.kernel),
                          .kernel_index = kernel->run.id,
                          .cycle = gpu->now,
                          .kernel_started = kernel->result.started,
                          .ctas_done = kernel->run.ctas_done,
                          .cta_count = kernel->run.cta_count};
  for (uint32_t s = 0; s < gpu->sm_count; s++)
    progress.warp_instructions += gpu->sms[s]->stats.warp_instructions;
  gpu->options.progress(gpu->options.progress_self, &progress);
}

static void after_step(Gpu *gpu) {
  if (gpu->now >= gpu->children.next) children_arrive(gpu);
  if (gpu->now >= gpu->intervals.next) {
    gpu_collect(gpu);
    intervals_sample(&gpu->intervals, &gpu->total);
  }
  if (gpu->options.progress && ++gpu->steps >= PROGRESS_STEPS && gpu->queue.running_count)
    tell_progress(gpu, gpu->kernels[gpu->queue.running[0]]);
}

// Natives such as malloc and printf act on the whole device at once: programs
// that call them are stepped by one thread.
static bool calls_natives(const Program *program) {
  for (uint32_t f = 0; f < program->function_count; f++)
    if (program->functions[f].native) return true;
  return false;
}

void choose_threads(Gpu *gpu) {
  bool is_parallel = gpu->options.threads > 1;
  for (uint32_t i = 0; is_parallel && i < gpu->queue.running_count; i++)
    is_parallel = !calls_natives(gpu->kernels[gpu->queue.running[i]]->run.launch.program);
  if (is_parallel && !gpu->workers)
    gpu->workers = workers_create(gpu->options.threads, gpu_tick_share, gpu);
  if (is_parallel || !gpu->workers) return;
  workers_destroy(gpu->workers);
  gpu->workers = NULL;
}

// What an SM has sent has come back, but for acknowledgements of write-backs,
// which nobody waits for.
static Status check_sms(const Gpu *gpu, Error *err) {
  for (uint32_t s = 0; s < gpu->sm_count; s++) {
    const Sm *sm = gpu->sms[s];
    uint32_t requests = sm->request_count - sm->request_free_count;
    uint32_t instructions = sm->inflight_count - sm->inflight_free_count;
    if (requests > sm->lsu.responses.count || instructions)
      return error_set(err, ERR_INTERNAL, "SM %u: %u requests and %u instructions never ended", s,
                       requests, instructions);
  }
  return OK;
}

Status gpu_run(Gpu *gpu, Error *err) {
  Status status = OK;
  while (status == OK &&
         (kernel_queue_fill(gpu) || gpu->children.count || gpu->suspended_count)) {
    status = gpu_step(gpu, err);
    after_step(gpu);
    if (status == OK && !kernel_queue_retire(gpu)) status = check_limits(gpu, err);
  }
  if (status != OK) {
    kernel_queue_stop(gpu);
    return status;
  }
  gpu_collect(gpu);
  if (gpu->queue.open_count)
    return error_set(err, ERR_INTERNAL, "%u kernels were never over", gpu->queue.open_count);
  TRY(machine_stats_check(&gpu->total, &gpu->config, err));
  return check_sms(gpu, err);
}
