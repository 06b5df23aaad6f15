// SPDX-License-Identifier: MIT
// Definitions of all statistics, for tools that read results without heddle.
#include "study/report/stat_meanings.h"

#include "gpu/gpu.h"
#include "observers/observers.h"
#include "policies/registry.h"
#include "report/run_result.h"

// Returns the added object.
static json_t *add(json_t *meanings, const char *prefix, const char *name, const char *help,
                   bool is_ratio) {
  char key[160];
  json_t *meaning = json_pack("{s:s, s:b}", "meaning", help, "ratio", is_ratio);
  snprintf(key, sizeof key, "%s%s", prefix, name);
  json_object_set_new(meanings, key, meaning);
  return meaning;
}

static void add_stats(json_t *meanings, const char *prefix, const Stat *stats) {
  for (const Stat *stat = stats; stat->name; stat++) {
    json_t *meaning = add(meanings, prefix, stat->name, stat->help, stat->is_ratio);
    if (stat->label) json_object_set_new(meaning, "label", json_string(stat->label));
    if (stat->group) json_object_set_new(meaning, "group", json_string(stat->group));
  }
}

static void add_table(json_t *meanings, const ResultTableType *type) {
  char prefix[96];
  snprintf(prefix, sizeof prefix, "%s.", type->name);
  for (const RowLabel *label = type->labels; label && label->name; label++)
    add(meanings, prefix, label->name, label->help, false);
  add_stats(meanings, prefix, type->columns);
}

json_t *stat_meanings(void) {
  json_t *meanings = json_object();
  add_stats(meanings, "", run_counts_table);
  for (const StatsPart *part = machine_stats_parts; part->prefix; part++)
    add_stats(meanings, part->prefix, part->table);
  for (const StatsPart *part = sampling_stats_parts; part->prefix; part++)
    add_stats(meanings, part->prefix, part->table);
  for (const ResultTableType *const *type = gpu_tables; *type; type++) add_table(meanings, *type);
  for (const PolicyFamily *const *family = policy_families; *family; family++)
    for (const PolicyType *const *type = (*family)->types; *type; type++)
      for (const ResultTableType *const *each = (*type)->tables; each && *each; each++)
        add_table(meanings, *each);
  for (const PolicyType *const *type = observer_family.types; *type; type++)
    for (const ResultTableType *const *each = ((const ObserverType *)*type)->tables; *each; each++)
      add_table(meanings, *each);
  return meanings;
}
