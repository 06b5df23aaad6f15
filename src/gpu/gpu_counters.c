// SPDX-License-Identifier: MIT
// The counters of all parts, summed.
#include "gpu/gpu.h"
#include "gpu/machine.h"

enum { MAX_NOTED_SLICES = 1024 };

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

// For the interval series, which compares slices.
static void note_slices(Gpu *gpu) {
  uint64_t accesses[MAX_NOTED_SLICES];
  uint32_t slices = gpu->config.gpu.slices_per_channel, count = 0;
  if (!gpu->intervals.wanted || gpu->slice_count > MAX_NOTED_SLICES) return;
  for (uint32_t p = 0; p < gpu->partition_count; p++)
    for (uint32_t s = 0; s < slices; s++) {
      const L2SliceStats *stats = partition_slice_stats(gpu->partitions[p], s);
      accesses[count] = 0;
      for (int kind = 0; kind < REQUEST_KINDS; kind++) accesses[count] += stats->lookups[kind];
      count++;
    }
  intervals_note_slices(&gpu->intervals, accesses, count);
}

void gpu_collect(Gpu *gpu) {
  gpu_sync(gpu);
  note_slices(gpu);
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
