// SPDX-License-Identifier: MIT
// The counters that policies keep in their states, summed over all of a kind,
// and those of observers.
#include <stdio.h>

#include "gpu/machine.h"
#include "policies/registry.h"

static uint64_t *field(void *values, size_t offset) {
  return (uint64_t *)(void *)((char *)values + offset);
}

// A field may occur in several rows of the table: as a count, and as part of a ratio.
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

// The counters of a family's policy, summed over its states. A machine has one
// policy of a family; caches may differ in theirs.
static void add_instance(const PolicyHost *host, uint32_t index, StatsTree *tree) {
  const PolicyInstance *first = &host->instances[index];
  char prefix[128];
  for (uint32_t i = 0; i < index; i++)
    if (host->instances[i].type == first->type) return;
  void *sum = arena_alloc(&tree->arena, first->type->state_size);
  snprintf(prefix, sizeof prefix, "%s.%.60s", first->family->name, first->type->name);
  stats_tree_add(tree, prefix, first->type->stats, sum);
  for (uint32_t i = index; i < host->count; i++)
    if (host->instances[i].type == first->type)
      add_state(sum, first->type->stats, host->instances[i].state);
}

static void add_observer(const Observer *observer, StatsTree *tree) {
  const PolicyType *type = &observer->type->policy;
  char prefix[128];
  if (!type->stats) return;
  void *sum = arena_alloc(&tree->arena, type->state_size);
  snprintf(prefix, sizeof prefix, "observer.%.60s", type->name);
  stats_tree_add(tree, prefix, type->stats, sum);
  add_state(sum, type->stats, observer->state);
}

void observers_report_stats(const Observers *observers, StatsTree *tree) {
  for (uint32_t i = 0; i < observers->count; i++) add_observer(&observers->items[i], tree);
}

void gpu_report_policies(const Gpu *gpu, StatsTree *tree) {
  for (const PolicyFamily *const *family = policy_families; *family; family++)
    for (uint32_t i = 0; i < gpu->policies.count; i++)
      if (gpu->policies.instances[i].family == *family && gpu->policies.instances[i].type->stats)
        add_instance(&gpu->policies, i, tree);
  observers_report_stats(&gpu->observers, tree);
}
