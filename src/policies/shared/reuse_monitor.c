// SPDX-License-Identifier: MIT
// The reuse monitor of an SM (Tang et al., "Quantifying Data Locality in Dynamic Parallelism in
// GPUs", SIGMETRICS 2018, section 6): three Bloom filters that determine for each read of a child
// kernel whether its parent, a sibling or the kernel itself has read the line on this SM, with a
// hit and a miss counter each.
#include "policies/shared/reuse_monitor.h"

#include <string.h>

#include "base/memory.h"

// The audit compares with a filter so large that its own false positives are negligible; an
// exact set would need memory without bound.
enum { EXACT_BITS = 1 << 20, EXACT_HASHES = 8, COUNTER_BITS = 32 };

static Status monitor_init(void *state, const PolicySetup *setup, Error *err) {
  ReuseMonitor *monitor = state;
  (void)err;
  uint32_t bits = monitor->filter_bytes * 8;
  uint32_t hashes = bloom_filter_best_hashes(bits, monitor->entries);
  for (int k = 0; k < MONITOR_KINDS; k++) {
    bloom_filter_init(&monitor->filters[k], bits, hashes, setup->arena);
    if (monitor->audit)
      bloom_filter_init(&monitor->exact[k], EXACT_BITS, EXACT_HASHES, setup->arena);
  }
  return OK;
}

static void monitor_clear(void *state) {
  memory_free(((ReuseMonitor *)state)->parents);
}

// Counters stay: a Bloom filter cannot forget single lines, but hit rates are about the
// program.
void reuse_monitor_reset(ReuseMonitor *monitor) {
  for (int k = 0; k < MONITOR_KINDS; k++) {
    bloom_filter_reset(&monitor->filters[k]);
    monitor->added[k] = 0;
    if (monitor->audit) bloom_filter_reset(&monitor->exact[k]);
  }
  monitor->resets++;
}

// ---- which kernels are parents

static void monitor_on_child_launch(void *state, const ChildLaunchView *child) {
  ReuseMonitor *monitor = state;
  uint32_t parent = child->launch->origin.parent;
  size_t words = (size_t)parent / 64 + 1;
  if (words > monitor->parent_words) {
    size_t before = monitor->parent_words;
    monitor->parent_words = words * 2;
    monitor->parents = memory_resize(monitor->parents, sizeof(uint64_t) * monitor->parent_words);
    memset(&monitor->parents[before], 0, sizeof(uint64_t) * (monitor->parent_words - before));
  }
  monitor->parents[parent / 64] |= UINT64_C(1) << parent % 64;
}

static bool has_launched(const ReuseMonitor *monitor, uint32_t kernel) {
  return kernel / 64 < monitor->parent_words && monitor->parents[kernel / 64] >> kernel % 64 & 1;
}

// ---- reads

// Looked up before the line is added: a read must not hit itself.
static bool look_up(ReuseMonitor *monitor, MonitoredReuse kind, BloomKey key) {
  MonitorCounts *counts = &monitor->counts[kind];
  bool is_hit = bloom_filter_has(&monitor->filters[kind], key);
  counts->hits += is_hit;
  counts->misses += !is_hit;
  if (monitor->audit && is_hit) counts->false_hits += !bloom_filter_has(&monitor->exact[kind], key);
  return is_hit;
}

// A line that the filter seems to have does not fill it further.
static void make_room(ReuseMonitor *monitor, MonitoredReuse kind, BloomKey key) {
  if (bloom_filter_has(&monitor->filters[kind], key)) return;
  if (monitor->added[kind]++ < monitor->entries) return;
  bloom_filter_reset(&monitor->filters[kind]);
  if (monitor->audit) bloom_filter_reset(&monitor->exact[kind]);
  monitor->added[kind] = 1;
  monitor->clears++;
}

static void add(ReuseMonitor *monitor, MonitoredReuse kind, BloomKey key) {
  if (monitor->clear_when_full) make_room(monitor, kind, key);
  bloom_filter_add(&monitor->filters[kind], key);
  if (monitor->audit) bloom_filter_add(&monitor->exact[kind], key);
}

// The transactions of an instruction follow one another; one of them is the lowest lane's.
static bool is_same_load(const MonitoredLoad *load, const L1dAccess *access) {
  const Requester *requester = &access->requester;
  return load->count && load->warp == requester->warp && load->pc == requester->pc &&
         load->kernel == requester->kernel && !(load->has_lowest && access->is_lowest);
}

// Whether this is the instruction's first access to the line.
static bool is_new_line(MonitoredLoad *load, const L1dAccess *access) {
  const Requester *requester = &access->requester;
  if (!is_same_load(load, access)) {
    load->count = 0;
    load->pc = requester->pc;
    load->kernel = requester->kernel;
    load->warp = requester->warp;
    load->has_lowest = false;
  }
  load->has_lowest |= access->is_lowest;
  for (uint32_t i = 0; i < load->count; i++)
    if (load->lines[i] == access->line) return false;
  if (load->count < MONITOR_LINES) load->lines[load->count++] = access->line;
  return true;
}

static void monitor_on_access(void *state, const L1dAccess *access) {
  ReuseMonitor *monitor = state;
  const Requester *requester = &access->requester;
  bool is_child = requester->parent != REQUESTER_NO_PARENT;
  if (access->is_local || !is_new_line(&monitor->load, access)) return;
  BloomKey line = bloom_key(access->line);
  if (is_child) {
    // One filter serves the own lines of all children: the kernel is part of the key.
    BloomKey own = bloom_key(access->line ^ (uint64_t)requester->kernel << 40);
    look_up(monitor, MONITOR_PARENT_CHILD, line);
    // A line that the child itself has read is not evidence of sibling reuse.
    if (!look_up(monitor, MONITOR_SELF, own)) {
      look_up(monitor, MONITOR_SIBLING, line);
      add(monitor, MONITOR_SELF, own);
    }
    add(monitor, MONITOR_SIBLING, line);
  }
  if (!is_child || has_launched(monitor, requester->kernel))
    add(monitor, MONITOR_PARENT_CHILD, line);
}

// ---- predictions

bool reuse_monitor_is_cold(const ReuseMonitor *monitor) {
  const MonitorCounts *counts = &monitor->counts[MONITOR_PARENT_CHILD];
  return !counts->hits && !counts->misses;
}

// Ties go to the first kind.
MonitoredReuse reuse_monitor_predict(const ReuseMonitor *monitor) {
  MonitoredReuse best = MONITOR_NONE;
  double best_rate = monitor->threshold;
  for (int k = 0; k < MONITOR_KINDS; k++) {
    const MonitorCounts *counts = &monitor->counts[k];
    uint64_t reads = counts->hits + counts->misses;
    double rate = reads ? (double)counts->hits / (double)reads : 0;
    if (rate <= best_rate) continue;
    best = (MonitoredReuse)k;
    best_rate = rate;
  }
  return best;
}

static uint64_t monitor_storage_bits(const void *state, uint32_t warps) {
  const ReuseMonitor *monitor = state;
  (void)warps;
  return MONITOR_KINDS * ((uint64_t)monitor->filter_bytes * 8 + 2 * COUNTER_BITS);
}

static const Param monitor_params[] = {
    PARAM(ReuseMonitor, filter_bytes, 605, 1, 1 << 20, "bytes of each Bloom filter"),
    PARAM(ReuseMonitor, entries, 1000, 1, 1 << 24,
          "design capacity of a filter in lines; determines the number of hashes"),
    PARAM(ReuseMonitor, threshold, 0.5, 0, 1, "hit rate above which reuse is predicted"),
    PARAM(ReuseMonitor, clear_when_full, false, 0, 1,
          "clear a filter after as many lines as its design capacity"),
    PARAM(ReuseMonitor, audit, false, 0, 1, "count false positives of the filters"),
    {0}};

#define KIND_STATS(prefix, kind, whose)                                  \
  {.name = prefix "_hits",                                               \
   .help = "reads of child kernels found in the filter of " whose,       \
   .offset = STAT_OFFSET_(ReuseMonitor, counts[kind].hits)},             \
      {.name = prefix "_misses",                                         \
       .help = "reads of child kernels not found there",                 \
       .offset = STAT_OFFSET_(ReuseMonitor, counts[kind].misses)},       \
  {                                                                      \
    .name = prefix "_false_hits", .help = "with audit: false positives", \
    .offset = STAT_OFFSET_(ReuseMonitor, counts[kind].false_hits)        \
  }

static const Stat monitor_stats[] = {
    KIND_STATS("parent_child", MONITOR_PARENT_CHILD, "parents' lines"),
    KIND_STATS("sibling", MONITOR_SIBLING, "siblings' lines, unless also in that of own lines"),
    KIND_STATS("self", MONITOR_SELF, "own lines"),
    STAT_COUNT(ReuseMonitor, resets, "filter resets"),
    STAT_COUNT(ReuseMonitor, clears, "filters cleared at their capacity"),
    {0}};

const SharedType reuse_monitor_shared = {
    .policy = {.name = "reuse_monitor",
               .summary =
                   "Bloom filters of the lines that parents, siblings and the kernel itself read",
               .state_size = sizeof(ReuseMonitor),
               .params = monitor_params,
               .stats = monitor_stats,
               .storage_bits = monitor_storage_bits,
               .init = monitor_init,
               .clear = monitor_clear,
               .on_child_launch = monitor_on_child_launch},
    .per_sm = true,
    .on_access = monitor_on_access,
};
