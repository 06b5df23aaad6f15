// SPDX-License-Identifier: MIT
// Statistics: counters are plain uint64_t fields, tables give them names, and
// ratios are computed on print only.
//
//   typedef struct CacheStats { uint64_t accesses, hits; } CacheStats;
//   const Stat cache_stats[] = {
//       STAT_COUNT(CacheStats, accesses, "accesses"),
//       STAT_COUNT(CacheStats, hits, "hits"),
//       STAT_RATIO(CacheStats, hit_rate, hits, accesses, "hit rate"),
//       {0}};
//
// A struct of counters holds nothing else, so a snapshot is a copy, a region
// of interest a subtraction and the total of all SMs a sum.
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"

typedef struct Stat {
  const char *name, *help;
  // Of one that is a part of a whole, such as the reasons of issue slots: what
  // people call it, and which parts belong together in a figure. Else NULL.
  const char *label, *group;
  bool is_ratio;
  size_t offset, denominator_offset;
} Stat;

// clang-format off
// Refuses fields that are not uint64_t.
#ifdef __cplusplus
template <typename Field> struct StatIsCount;
template <> struct StatIsCount<uint64_t> { static constexpr size_t offset(size_t at) { return at; } };
#define STAT_OFFSET_(Struct, field) \
  StatIsCount<decltype(Struct::field)>::offset(offsetof(Struct, field))
#else
#define STAT_OFFSET_(Struct, field) \
  _Generic(((Struct *)0)->field, uint64_t: offsetof(Struct, field))
#endif
#define STAT_COUNT(Struct, field, help_) \
  {.name = #field, .help = (help_), .offset = STAT_OFFSET_(Struct, field)}
#define STAT_RATIO(Struct, name_, numerator, denominator, help_)                \
  {.name = #name_, .help = (help_), .is_ratio = true,                           \
   .offset = STAT_OFFSET_(Struct, numerator),                                   \
   .denominator_offset = STAT_OFFSET_(Struct, denominator)}
// clang-format on

// Whole structs: total += part, end -= begin.
void stats_sum(void *total, const void *part, size_t size_bytes);
void stats_subtract(void *end, const void *begin, size_t size_bytes);

// The entry of that name; NULL if there is none.
const Stat *stats_find(const Stat *table, const char *name);
uint64_t stat_count(const Stat *stat, const void *values);
// false if the denominator is 0.
bool stat_ratio(const Stat *stat, const void *values, double *ratio);
// The value for JSON; null for a ratio without a denominator.
json_t *stat_value_json(const Stat *stat, const void *values);
// One struct as {"name": value}.
json_t *stats_json(const Stat *table, const void *values);

// A struct of counters inside a larger one, and what its names begin with,
// such as "l1d." Lists end with a NULL prefix.
typedef struct StatsPart {
  const char *prefix, *summary;
  const Stat *table;
  size_t offset;
} StatsPart;

// Adds {"l1d.hits": 7} for every part of values.
void stats_parts_json(json_t *object, const StatsPart *parts, const void *values);

// All counters of a machine under dotted names: "sm3.l1d" + "hits".
typedef struct StatsEntry {
  const char *prefix;
  const Stat *table;
  const void *values;
} StatsEntry;

typedef struct StatsTree {
  StatsEntry *entries;
  size_t count, capacity;
  Arena arena;
} StatsTree;

void stats_tree_add(StatsTree *tree, const char *prefix, const Stat *table, const void *values);
void stats_tree_clear(StatsTree *tree);

// One flat object, {"sm3.l1d.hits": 7}.
json_t *stats_tree_json(const StatsTree *tree);

#endif
