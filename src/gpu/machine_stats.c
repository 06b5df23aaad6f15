// SPDX-License-Identifier: MIT
// Names and sums of all machine counters, and the invariants checked at the end of a run.
#include "gpu/machine_stats.h"

#define COUNT(name_, field, help_) \
  { .name = name_, .help = (help_), .offset = STAT_OFFSET_(MachineStats, field) }
#define RATE(name_, part, whole, help_)                                                           \
  {                                                                                               \
    .name = name_, .help = (help_), .is_ratio = true, .offset = STAT_OFFSET_(MachineStats, part), \
    .denominator_offset = STAT_OFFSET_(MachineStats, whole)                                       \
  }

// clang-format off
static const Stat machine_table[] = {
    COUNT("cycles", cycles, "core cycles"),
    COUNT("dispatched_ctas", dispatched_ctas, "CTAs dispatched"),
    RATE("warp_ipc", sm.warp_instructions, cycles, "warp instructions per cycle, all SMs"),
    RATE("thread_ipc", sm.thread_instructions, cycles, "thread instructions per cycle, all SMs"),
    COUNT("warp_slot_cycles", warp_slot_cycles, "warp slots of active SMs, summed over cycles"),
    RATE("achieved_occupancy", sm.warp_cycles, warp_slot_cycles, "achieved occupancy"),
    {0}};

static const Stat l1d_split[] = {
    COUNT("capacity_conflict_misses", l1d_reuse_misses,
          "capacity and conflict misses: neither cold nor sector misses"),
    {0}};
static const Stat l2_split[] = {
    COUNT("capacity_conflict_misses", l2_reuse_misses,
          "capacity and conflict misses: neither cold nor sector misses"),
    {0}};
static const Stat dram_load[] = {
    COUNT("bytes", dram_bytes, "bytes read and written; of writes, also those still queued at the end of a kernel"),
    RATE("bytes_per_cycle", dram_bytes, cycles, "bytes per core cycle"),
    COUNT("peak_bytes", dram_peak_bytes, "bytes that the data buses could have moved"),
    RATE("peak_share", dram_bytes, dram_peak_bytes, "bytes, as a share of peak_bytes"),
    {0}};
// clang-format on

#define PART(prefix_, summary_, table_, field)               \
  {                                                          \
    .prefix = prefix_, .summary = summary_, .table = table_, \
    .offset = offsetof(MachineStats, field)                  \
  }

// clang-format off
#define COUNTED_PARTS \
  {.prefix = "", .summary = "the machine", .table = machine_table}, \
  PART("sm.", "all SMs", sm_stats, sm), \
  PART("lsu.", "load/store units", lsu_stats, lsu), \
  PART("l1d.", "data caches", cache_stats, l1d), \
  PART("prefetch.", "prefetches into data caches", prefetch_stats, prefetch), \
  PART("cluster.", "cluster units", cluster_stats, cluster), \
  PART("l1i.", "instruction caches", cache_stats, l1i), \
  PART("l1c.", "constant caches", cache_stats, l1c), \
  PART("l1t.", "texture caches", cache_stats, l1t), \
  PART("l2.", "L2 slices", cache_stats, l2), \
  PART("noc.request_", "network from SMs to L2", crossbar_stats, request_noc), \
  PART("noc.reply_", "network from L2 to SMs", crossbar_stats, reply_noc), \
  PART("l2_slice.", "L2 slice ports", l2_slice_stats, slice), \
  PART("partition.", "between L2 and DRAM", partition_stats, partition), \
  PART("dram.", "memory channels", dram_stats, dram),
// Tables that count from the beginning of MachineStats.
#define DERIVED_PARTS \
  {.prefix = "l1d.", .summary = "data caches", .table = l1d_split}, \
  {.prefix = "l2.", .summary = "L2 slices", .table = l2_split}, \
  {.prefix = "dram.", .summary = "memory channels", .table = dram_load},
// clang-format on

const StatsPart machine_stats_parts[] = {
    COUNTED_PARTS PART("energy.", "energy", energy_stats, energy), DERIVED_PARTS{0}};

static const StatsPart parts_without_energy[] = {COUNTED_PARTS DERIVED_PARTS{0}};

const StatsPart *machine_stats_parts_of(const GpuConfig *config) {
  return config->energy.enabled ? machine_stats_parts : parts_without_energy;
}

static uint64_t reuse_misses(const CacheStats *cache, const CacheConfig *config) {
  return config->track_cold ? cache->misses - cache->cold_misses - cache->sector_misses : 0;
}

void machine_stats_derive(MachineStats *stats, const GpuConfig *config) {
  stats->warp_slot_cycles = stats->sm.active_cycles * config->sm.max_warps;
  stats->l1d_reuse_misses = reuse_misses(&stats->l1d, &config->l1d);
  stats->l2_reuse_misses = reuse_misses(&stats->l2, &config->l2);
  stats->dram_bytes =
      (stats->dram.read_commands + stats->dram.writes) * (uint64_t)config->dram.command_bytes;
  // Bytes per second of the buses by cycles per second of the SMs.
  stats->dram_peak_bytes = (uint64_t)((double)stats->cycles * gpu_config_dram_gb_per_s(config) *
                                          1000 / config->gpu.core_clock_mhz +
                                      0.5);
  stats->energy = energy_of(stats, config);
}

// ---- identities

static Status check_equal(uint64_t a, uint64_t b, const char *a_name, const char *b_name,
                          Error *err) {
  if (a == b) return OK;
  return error_set(err, ERR_INTERNAL, "mismatch: %s = %llu, %s = %llu", a_name,
                   (unsigned long long)a, b_name, (unsigned long long)b);
}

static Status check_cache(const CacheStats *cache, const char *name, Error *err) {
  if (cache->hits + cache->merges + cache->misses != cache->accesses)
    return error_set(err, ERR_INTERNAL,
                     "%s: %llu hits + %llu merges + %llu misses != %llu accesses", name,
                     (unsigned long long)cache->hits, (unsigned long long)cache->merges,
                     (unsigned long long)cache->misses, (unsigned long long)cache->accesses);
  if (cache->cold_misses + cache->sector_misses <= cache->misses) return OK;
  return error_set(err, ERR_INTERNAL, "%s: more cold and sector misses than misses", name);
}

static Status check_slots(const MachineStats *stats, const GpuConfig *config, Error *err) {
  uint64_t expected = stats->cycles * config->gpu.sm_count * config->sm.warp_schedulers;
  return check_equal(slots_sum(stats->sm.slots), expected, "issue slots accounted for",
                     "issue slots", err);
}

// Every packet that an SM sends reaches a slice, each of its pieces is looked
// up once and answered once, and every answer reaches an SM.
static Status check_requests(const MachineStats *stats, const GpuConfig *config, Error *err) {
  const L2SliceStats *slice = &stats->slice;
  uint64_t lookups = 0;
  for (int kind = 0; kind < REQUEST_KINDS; kind++) lookups += slice->lookups[kind];
  TRY(check_equal(stats->request_noc.packets, slice->packets, "request packets",
                  "packets at the L2 slices", err));
  TRY(check_equal(slice->pieces, lookups, "sectors requested from the L2", "L2 lookups", err));
  if (config->l2.enabled)
    TRY(check_equal(lookups, stats->l2.accesses, "L2 lookups", "L2 accesses", err));
  TRY(check_equal(lookups, slice->replies, "L2 lookups", "L2 replies", err));
  return check_equal(slice->replies, stats->reply_noc.packets, "L2 replies", "reply packets", err);
}

// Each miss of a read-only cache is a packet; so is each miss of an L1D, except for writes
// that it keeps. In addition an L1D sends writes and bypassing accesses.
static Status check_misses(const MachineStats *stats, Error *err) {
  const CacheStats *l1d = &stats->l1d;
  // Requests taken by a cluster unit are not packets; prefetches are, without a miss.
  uint64_t packets = stats->request_noc.packets + stats->cluster.held + stats->cluster.served -
                     stats->prefetch.fetches - stats->sm.code_prefetches;
  uint64_t certain = stats->l1i.misses + stats->l1c.misses + stats->l1t.misses;
  uint64_t least = certain + (l1d->misses > l1d->writes ? l1d->misses - l1d->writes : 0);
  uint64_t most = certain + l1d->accesses + l1d->write_backs + stats->lsu.transactions;
  if (least <= packets && packets <= most) return OK;
  return error_set(err, ERR_INTERNAL, "request packets are %llu; misses allow %llu to %llu",
                   (unsigned long long)packets, (unsigned long long)least,
                   (unsigned long long)most);
}

Status machine_stats_check(const MachineStats *stats, const GpuConfig *config, Error *err) {
  TRY(check_cache(&stats->l1d, "l1d", err));
  TRY(check_cache(&stats->l1i, "l1i", err));
  TRY(check_cache(&stats->l1c, "l1c", err));
  TRY(check_cache(&stats->l1t, "l1t", err));
  TRY(check_cache(&stats->l2, "l2", err));
  TRY(check_slots(stats, config, err));
  TRY(check_requests(stats, config, err));
  return check_misses(stats, err);
}
