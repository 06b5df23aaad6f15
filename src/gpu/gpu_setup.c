// SPDX-License-Identifier: MIT
// A GPU is made of its configuration, and cleared.
#include "base/memory.h"
#include "gpu/gpu.h"
#include "gpu/machine.h"

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
  return address_map_init(&gpu->map, &gpu->policies, config->gpu.address_map, &view, err);
}

static uint32_t expected_count(const Gpu *gpu) {
  return gpu->memory_groups * gpu->cluster_count;
}

static Status make_memory_side(Gpu *gpu, Error *err) {
  const GpuConfig *config = &gpu->config;
  TRY(make_map(gpu, err));
  gpu->partition_count = config->gpu.channels;
  gpu->slice_count = gpu->partition_count * config->gpu.slices_per_channel;
  uint32_t largest = 8 + (config->l1d.line_bytes > 128 ? config->l1d.line_bytes : 128);
  TRY(crossbar_check(&config->noc, largest, err));
  gpu->requests = crossbar_create(&config->noc, gpu->cluster_count, gpu->slice_count);
  CrossbarConfig replies = config->noc;
  replies.line_requests = false;  // replies are by sector, as the L2 has them
  gpu->replies = crossbar_create(&replies, gpu->slice_count, gpu->cluster_count);
  const PartitionConfig partition = ideal_partition(&config->ideal, &config->partition);
  gpu->partitions = ARENA_ARRAY(&gpu->arena, Partition *, gpu->partition_count);
  gpu->memory_groups = gpu->threads < gpu->partition_count ? gpu->threads : gpu->partition_count;
  if (!gpu->memory_groups) gpu->memory_groups = 1;
  gpu->busy_channels = ARENA_ARRAY(&gpu->arena, uint32_t, gpu->memory_groups);
  gpu->expected = ARENA_ARRAY(&gpu->arena, Expected, expected_count(gpu));
  gpu->inbound = ARENA_ARRAY(&gpu->arena, Expected, expected_count(gpu));
  gpu->slice_delay_cycles = partition.rop_latency_cycles;
  for (uint32_t p = 0; p < gpu->partition_count; p++) {
    DramConfig dram = config->dram;
    dram.channel = p;
    TRY(partition_create(&gpu->partitions[p], &partition, &config->l2, &dram,
                         config->gpu.slices_per_channel, &gpu->map, err));
    partition_watch_answers(gpu->partitions[p],
                            &gpu->expected[memory_group_of(gpu, p) * gpu->cluster_count]);
    partition_set_half(gpu->partitions[p], p >= (gpu->partition_count + 1) / 2,
                       (config->gpu.sm_count + 1) / 2);
  }
  return OK;
}

// Units between the clusters and the network, if the policy is one that acts.
static Status make_ports(Gpu *gpu, Error *err) {
  SmClusterPort **ports = ARENA_ARRAY(&gpu->arena, SmClusterPort *, gpu->cluster_count);
  for (uint32_t c = 0; c < gpu->cluster_count; c++) {
    TRY(sm_cluster_port_create(&ports[c], &gpu->policies, gpu->config.policy.cluster_unit, c,
                               gpu->config.gpu.cluster_response_entries, err));
    if (ports[c]) gpu->ports = ports;
  }
  return OK;
}

static Status make_sms(Gpu *gpu, Error *err) {
  const GpuConfig *config = &gpu->config;
  const CacheConfig l1d = ideal_l1d(&config->ideal, &config->l1d);
  gpu->sms = ARENA_ARRAY(&gpu->arena, Sm *, gpu->sm_count);
  gpu->empty_state = SLOT_dispatch;
  gpu->last_tick = ARENA_ARRAY(&gpu->arena, Cycle, gpu->sm_count);
  gpu->wakes = ARENA_ARRAY(&gpu->arena, Cycle, gpu->sm_count);
  for (uint32_t s = 0; s < gpu->sm_count; s++) {
    SmSetup setup = {
        .config = &config->sm,
        .l1d = &l1d,
        .l1i = &config->l1i,
        .l1c = &config->l1c,
        .l1t = &config->l1t,
        .scheduler = config->policy.warp_scheduler,
        .prefetch = config->policy.prefetch,
        .l1_insertion = config->policy.l1_insertion,
        .policies = &gpu->policies,
        .instant_misses = config->ideal.l1d == L1D_INSTANT,
        .owed = gpu->owed.sectors ? &gpu->owed : NULL,
        .id = s,
        .cluster = s / config->gpu.sms_per_cluster,
        .sm_count = gpu->sm_count,
        .slice_count = gpu->slice_count,
        .clock_mhz = config->gpu.core_clock_mhz,
        .requests = gpu->requests,
        .noc = &config->noc,
        .port = gpu->ports ? gpu->ports[s / config->gpu.sms_per_cluster] : NULL,
        .slice_of = slice_of,
        .map = &gpu->map,
        .memory = gpu->memory,
        .wake = &gpu->wakes[s],
        .skips_waits = !gpu->options.no_skip && !config->run.max_instructions,
    };
    TRY(sm_create(&gpu->sms[s], &setup, err));
  }
  gpu->active = ARENA_ARRAY(&gpu->arena, uint32_t, gpu->sm_count);
  gpu->news = ARENA_ARRAY(&gpu->arena, SmNews, gpu->sm_count);
  gpu->groups = ARENA_ARRAY(&gpu->arena, uint32_t, gpu->sm_count + 1);
  gpu->responses = ARENA_ARRAY(&gpu->arena, ClusterRing, gpu->cluster_count);
  gpu->waiting_clusters = ARENA_ARRAY(&gpu->arena, uint64_t, (gpu->cluster_count + 63) / 64);
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
  const uint64_t *period = gpu->clock.period;
  gpu->network_cycles =
      (gpu->config.noc.latency_cycles - 1) * period[CLOCK_NOC] / period[CLOCK_CORE];
}

static Status cache_bytes(const CacheConfig *cache, const char *section, uint32_t *bytes,
                          Error *err) {
  uint32_t sets, ways;
  *bytes = 0;
  if (!cache->enabled) return OK;
  if (cache_geometry(cache, &sets, &ways, err) != OK) return error_prefix(err, "%s", section);
  *bytes = sets * ways * cache->line_bytes;
  return OK;
}

static Status view_machine(const Gpu *gpu, MachineView *view, Error *err) {
  const GpuConfig *config = &gpu->config;
  *view = (MachineView){.sm_count = gpu->sm_count,
                        .sms_per_cluster = config->gpu.sms_per_cluster,
                        .cluster_count = gpu->cluster_count,
                        .max_warps = config->sm.max_warps,
                        .max_ctas = config->sm.max_ctas,
                        .warp_schedulers = config->sm.warp_schedulers,
                        .registers = config->sm.registers,
                        .shared_bytes = config->sm.shared_kb * 1024,
                        .l1d_line_bytes = config->l1d.line_bytes,
                        .hardware_queues = config->gpu.hardware_queues};
  TRY(cache_bytes(&config->l1d, "l1d", &view->l1d_bytes, err));
  TRY(cache_bytes(&config->l2, "l2", &view->l2_bytes, err));
  view->l2_bytes *= config->gpu.channels * config->gpu.slices_per_channel;
  return OK;
}

// Parts that make their policies by themselves do it through the GPU's host.
static Status make_policies(Gpu *gpu, Error *err) {
  GpuConfig *config = &gpu->config;
  CacheConfig *caches[] = {&config->l1d, &config->l1i, &config->l1c, &config->l1t, &config->l2};
  MachineView machine;
  TRY(view_machine(gpu, &machine, err));
  policy_host_init(&gpu->policies, &machine, gpu->options.policies, config->policy.shared);
  gpu->policies.inputs = gpu->options.inputs;
  for (size_t i = 0; i < sizeof caches / sizeof *caches; i++) caches[i]->policies = &gpu->policies;
  config->dram.policies = &gpu->policies;
  return OK;
}

static void choose_most_threads(Gpu *gpu) {
  bool is_auto = gpu->options.threads == GPU_THREADS_AUTO;
  gpu->threads = is_auto ? thread_choice_most(gpu->sm_count) : gpu->options.threads;
  thread_choice_init(&gpu->thread_choice, gpu->threads);
}

static void prepare_left_lines(Gpu *gpu) {
  const SmIdeal *ideal = &gpu->config.sm.ideal;
  gpu->has_left_lines = ideal->hits || ideal->coalesced || ideal->free_stores || ideal->no_sharing;
  if (ideal->coalesced) owed_sectors_init(&gpu->owed);
}

static Status make(Gpu *gpu, Error *err) {
  const ChipConfig *chip = &gpu->config.gpu;
  TRY(ideal_apply(&gpu->config, err));
  gpu->sm_count = chip->sm_count;
  gpu->cluster_count = (chip->sm_count + chip->sms_per_cluster - 1) / chip->sms_per_cluster;
  gpu->memory = device_memory_create((uint64_t)chip->memory_mb << 20);
  device_memory_set_bounds(gpu->memory, gpu->config.run.bounds);
  make_clock(gpu);
  choose_most_threads(gpu);
  TRY(latency_check(&gpu->config.latency, err));
  TRY(make_policies(gpu, err));
  TRY(make_memory_side(gpu, err));
  TRY(make_ports(gpu, err));
  prepare_left_lines(gpu);
  TRY(make_sms(gpu, err));
  children_init(gpu);
  TRY(dispatch_init(gpu, err));
  TRY(throttling_init(gpu, err));
  TRY(kernel_queue_init(gpu, err));
  for (uint32_t s = 0; s < gpu->sm_count; s++) l1d_policies_start(gpu->sms[s], &gpu->policies);
  return policy_host_check_shared(&gpu->policies, err);
}

Status gpu_create(Gpu **out, const GpuConfig *config, const GpuOptions *options, Error *err) {
  Gpu *gpu = memory_alloc(sizeof *gpu);
  gpu->config = *config;
  if (options) gpu->options = *options;
  gpu->intervals.wanted = gpu->options.interval_cycles;
  gpu->look = NEVER;
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
  for (uint32_t k = 0; k < gpu->kernel_count; k++)
    if (gpu->kernels[k]) gpu_kernel_clear(gpu->kernels[k]);
  for (uint32_t s = 0; gpu->sms && s < gpu->sm_count; s++) sm_destroy(gpu->sms[s]);
  owed_sectors_clear(&gpu->owed);
  for (uint32_t c = 0; gpu->responses && c < gpu->cluster_count; c++)
    cluster_ring_clear(&gpu->responses[c]);
  for (uint32_t c = 0; gpu->ports && c < gpu->cluster_count; c++)
    sm_cluster_port_destroy(gpu->ports[c]);
  suspensions_clear(gpu);
  children_clear(gpu);
  kernel_queue_clear(&gpu->queue);
  dispatch_clear(&gpu->dispatch);
  cta_clusters_clear(gpu);
  for (uint32_t p = 0; gpu->partitions && p < gpu->partition_count; p++)
    partition_destroy(gpu->partitions[p]);
  for (uint32_t i = 0; gpu->expected && i < expected_count(gpu); i++) {
    memory_free(gpu->expected[i].ready);
    memory_free(gpu->inbound[i].ready);
  }
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
  policy_host_clear(&gpu->policies);
  arena_clear(&gpu->arena);
  memory_free(gpu);
}
