// SPDX-License-Identifier: MIT
// Counter tables: sums, differences, lookup by name, ratios and JSON.
#include "base/stats.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

void stats_sum(void *total, const void *part, size_t size_bytes) {
  assert(size_bytes % sizeof(uint64_t) == 0);
  uint64_t *to = total;
  const uint64_t *from = part;
  for (size_t i = 0; i < size_bytes / sizeof *to; i++) to[i] += from[i];
}

void stats_subtract(void *end, const void *begin, size_t size_bytes) {
  assert(size_bytes % sizeof(uint64_t) == 0);
  uint64_t *to = end;
  const uint64_t *from = begin;
  for (size_t i = 0; i < size_bytes / sizeof *to; i++) to[i] -= from[i];
}

static uint64_t counter_at(const void *values, size_t offset) {
  return *(const uint64_t *)(const void *)((const unsigned char *)values + offset);
}

const Stat *stats_find(const Stat *table, const char *name) {
  for (; table->name; table++)
    if (strcmp(table->name, name) == 0) return table;
  return NULL;
}

uint64_t stat_count(const Stat *stat, const void *values) {
  return counter_at(values, stat->offset);
}

bool stat_ratio(const Stat *stat, const void *values, double *ratio) {
  uint64_t denominator = counter_at(values, stat->denominator_offset);
  if (!denominator) return false;
  *ratio = (double)stat_count(stat, values) / (double)denominator;
  return true;
}

json_t *stat_value_json(const Stat *stat, const void *values) {
  double ratio = 0;
  if (!stat->is_ratio) return json_integer((json_int_t)stat_count(stat, values));
  return stat_ratio(stat, values, &ratio) ? json_real(ratio) : json_null();
}

json_t *stats_json(const Stat *table, const void *values) {
  json_t *object = json_object();
  for (const Stat *stat = table; stat->name; stat++)
    json_object_set_new(object, stat->name, stat_value_json(stat, values));
  return object;
}

void stats_tree_add(StatsTree *tree, const char *prefix, const Stat *table, const void *values) {
  GROW(tree->entries, tree->count, tree->capacity);
  tree->entries[tree->count++] = (StatsEntry){arena_strdup(&tree->arena, prefix), table, values};
}

void stats_tree_clear(StatsTree *tree) {
  memory_free(tree->entries);
  arena_clear(&tree->arena);
  *tree = (StatsTree){0};
}

json_t *stats_tree_json(const StatsTree *tree) {
  json_t *object = json_object();
  char name[256];
  for (size_t i = 0; i < tree->count; i++) {
    const StatsEntry *entry = &tree->entries[i];
    for (const Stat *stat = entry->table; stat->name; stat++) {
      snprintf(name, sizeof name, "%s.%s", entry->prefix, stat->name);
      json_object_set_new(object, name, stat_value_json(stat, entry->values));
    }
  }
  return object;
}

void stats_parts_json(json_t *object, const StatsPart *parts, const void *values) {
  char name[128];
  for (; parts->prefix; parts++)
    for (const Stat *stat = parts->table; stat->name; stat++) {
      snprintf(name, sizeof name, "%s%s", parts->prefix, stat->name);
      json_object_set_new(object, name,
                          stat_value_json(stat, (const char *)values + parts->offset));
    }
}
