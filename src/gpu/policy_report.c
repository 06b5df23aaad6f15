// SPDX-License-Identifier: MIT
// The counters that policies keep in their states, summed over all of a kind,
// and those of observers.
// Those of replacement and DRAM scheduling stay with their caches and channels.
#include <stdio.h>

#include "gpu/machine.h"

static uint64_t *field(void *values, size_t offset) {
  return (uint64_t *)(void *)((char *)values + offset);
}

// The same field may stand in several lines of the table: once as a count,
// again as a part of a ratio.
static bool was_seen(const Stat *table, const Stat *until, size_t offset) {
  for (const Stat *stat = table; stat < until; stat++)
    if (stat->offset == offset || (stat->is_ratio && stat->denominator_offset == offset))
      return true;
  return false;
}

static void add_state(void *sum, const Stat *table, void *state) {
  for (const Stat *stat = table; stat->name; stat++) {
    if (!was_seen(table, stat, stat->offset))
      *field(sum, stat->offset) += *field(state, stat->offset);
    size_t below = stat->denominator_offset;
    if (stat->is_ratio && below != stat->offset && !was_seen(table, stat, below))
      *field(sum, below) += *field(state, below);
  }
}

// The sum of a policy's states; NULL: it keeps no counters.
static void *begin(StatsTree *tree, const char *family, const PolicyType *type) {
  char prefix[128];
  if (!type->stats) return NULL;
  void *sum = arena_alloc(&tree->arena, type->state_size);
  snprintf(prefix, sizeof prefix, "%s.%.60s", family, type->name);
  stats_tree_add(tree, prefix, type->stats, sum);
  return sum;
}

static void add_single(StatsTree *tree, const char *family, const PolicyType *type, void *state) {
  void *sum = begin(tree, family, type);
  if (sum) add_state(sum, type->stats, state);
}

static void add_schedulers(const Gpu *gpu, StatsTree *tree) {
  const WarpSchedulerType *scheduler = gpu->sms[0]->scheduler_type;
  const PolicyType *type = &scheduler->policy;
  void *sum = begin(tree, "warp_scheduler", type);
  uint32_t states = scheduler->one_per_sm ? 1 : gpu->config.sm.warp_schedulers;
  for (uint32_t s = 0; sum && s < gpu->sm_count; s++)
    for (uint32_t i = 0; i < states; i++)
      add_state(sum, type->stats, gpu->sms[s]->scheduler_states[i]);
}

static void add_l1d_policies(const Gpu *gpu, StatsTree *tree) {
  const L1dPolicies *first = gpu->sms[0]->lsu.policies;
  if (!first) return;
  const PolicyType *prefetch = &first->prefetch->policy, *insertion = &first->insertion->policy;
  void *prefetches = begin(tree, "prefetch", prefetch);
  void *insertions = begin(tree, "l1_insertion", insertion);
  for (uint32_t s = 0; s < gpu->sm_count; s++) {
    const L1dPolicies *policies = gpu->sms[s]->lsu.policies;
    if (prefetches) add_state(prefetches, prefetch->stats, policies->prefetch_state);
    if (insertions) add_state(insertions, insertion->stats, policies->insertion_state);
  }
}

static void add_cluster_units(const Gpu *gpu, StatsTree *tree) {
  if (!gpu->ports) return;
  const PolicyType *type = &gpu->ports[0]->type->policy;
  void *sum = begin(tree, "cluster_unit", type);
  for (uint32_t c = 0; sum && c < gpu->cluster_count; c++)
    add_state(sum, type->stats, gpu->ports[c]->state);
}

void gpu_report_policies(const Gpu *gpu, StatsTree *tree) {
  add_schedulers(gpu, tree);
  add_single(tree, "cta_dispatch", &gpu->dispatch.type->policy, gpu->dispatch.state);
  add_single(tree, "kernel_scheduler", &gpu->queue.type->policy, gpu->queue.state);
  add_single(tree, "throttle", &gpu->throttling.type->policy, gpu->throttling.state);
  add_l1d_policies(gpu, tree);
  add_cluster_units(gpu, tree);
  for (uint32_t i = 0; i < gpu->observers.count; i++)
    add_single(tree, "observer", &gpu->observers.items[i].type->policy,
               gpu->observers.items[i].state);
}
