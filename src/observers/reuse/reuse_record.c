// SPDX-License-Identifier: MIT
// Reference counts and reuse distances for the analysis of reuse among kernels, CTAs and warps
// (Tang et al., "Quantifying Data Locality in Dynamic Parallelism in GPUs", SIGMETRICS 2018,
// section 4).
#include "observers/reuse/reuse_record.h"

#include <assert.h>

#include "base/memory.h"

// ---- kernels, CTAs and warps

static uint32_t kernel_index(ReuseRecord *record, uint32_t id) {
  const uint64_t *number = key_set_find(&record->kernel_numbers, id, 0);
  return number ? (uint32_t)(*number - 1) : REUSE_NONE;
}

static uint32_t cta_index(ReuseRecord *record, uint32_t kernel, uint64_t cta) {
  bool is_new;
  uint64_t *number = key_set_at(&record->cta_numbers, kernel, cta, &is_new);
  if (is_new) {
    GROW(record->ctas, record->cta_count, record->cta_capacity);
    record->ctas[record->cta_count] = (ReuseCta){kernel, record->warp_count};
    record->warp_count += record->kernels[kernel].warps_per_cta;
    *number = ++record->cta_count;
  }
  return (uint32_t)(*number - 1);
}

void reuse_record_kernel(ReuseRecord *record, uint32_t id, uint32_t parent, uint64_t parent_cta,
                         uint64_t cta_count, uint32_t warps_per_cta) {
  uint32_t above = parent == REUSE_NONE ? REUSE_NONE : kernel_index(record, parent);
  uint32_t launcher = above == REUSE_NONE ? REUSE_NONE : cta_index(record, above, parent_cta);
  record->latest.is_known = false;
  GROW(record->kernels, record->kernel_count, record->kernel_capacity);
  record->kernels[record->kernel_count] = (ReuseKernel){above, launcher, warps_per_cta, cta_count};
  *key_set_at(&record->kernel_numbers, id, 0, NULL) = ++record->kernel_count;
}

// CTAs have their warps in the order in which they were met.
uint32_t reuse_record_cta_of(const ReuseRecord *record, uint32_t warp) {
  uint32_t low = 0, high = record->cta_count;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (record->ctas[middle].first_warp <= warp)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// ---- the sample of lines

enum { MAX_HALVINGS = 24 };

// SHARDS (Waldspurger et al., FAST 2015): a line is sampled by its hash, so that all or none of
// its references count. Lines that survive more halvings are a subset of those before.
static bool is_followed(const ReuseRecord *record, uint64_t line) {
  uint64_t hash = line * UINT64_C(0x9e3779b97f4a7c15);
  hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
  return !((hash >> 32) & ((UINT64_C(1) << record->halvings) - 1));
}

static void keep_followed(const ReuseRecord *record, KeySet *set) {
  KeySet kept = {0};
  for (size_t i = 0; i < set->capacity; i++) {
    const KeyEntry *entry = &set->entries[i];
    if (entry->is_used && is_followed(record, entry->a))
      *key_set_at(&kept, entry->a, entry->b, NULL) = entry->value;
  }
  key_set_clear(set);
  *set = kept;
}

static uint64_t entries(const ReuseRecord *record) {
  return record->counts.count + record->last.count + record->last_of.count +
         record->last_among.count;
}

// Lines that leave the sample also leave the tree: distances count sampled lines only, and are
// scaled.
static void halve(ReuseRecord *record) {
  record->halvings++;
  for (size_t i = 0; i < record->last.capacity; i++) {
    const KeyEntry *entry = &record->last.entries[i];
    if (entry->is_used && !is_followed(record, entry->a))
      distance_tree_remove(&record->tree, entry->value);
  }
  keep_followed(record, &record->counts);
  keep_followed(record, &record->last);
  keep_followed(record, &record->last_of);
  keep_followed(record, &record->last_among);
}

// ---- distances

static uint32_t bin_of(uint64_t distance) {
  uint32_t bin = distance ? 64 - (uint32_t)__builtin_clzll(distance) : 0;
  return bin < DISTANCE_BINS ? bin : DISTANCE_BINS - 1;
}

static void add_distance(ReuseRecord *record, ReuseKind kind, uint64_t line_last, uint64_t since) {
  // The line itself, if somebody referenced it in between, is none of those between.
  uint64_t between = distance_tree_after(&record->tree, since) - (line_last > since);
  uint64_t weight = UINT64_C(1) << record->halvings, distance = between * weight;
  ReuseDistances *distances = &record->distances[kind];
  distances->count += weight;
  distances->sum += distance * weight;
  distances->bins[bin_of(distance)] += weight;
  if (record->l1_lines && distance >= record->l1_lines) distances->beyond_l1 += weight;
  if (record->l2_lines && distance >= record->l2_lines) distances->beyond_l2 += weight;
}

// The distances are taken before the line's own entry moves: it must not count itself.
static void measure(ReuseRecord *record, uint32_t kernel, uint64_t line) {
  const ReuseKernel *of = &record->kernels[kernel];
  uint64_t now = ++record->time;
  uint64_t *last = key_set_at(&record->last, line, 0, NULL);
  uint64_t *own = key_set_at(&record->last_of, line, kernel, NULL);
  if (*own) add_distance(record, REUSE_SELF, *last, *own);
  if (of->parent != REUSE_NONE) {
    uint64_t *among = key_set_at(&record->last_among, line, of->parent_cta, NULL);
    if (*among && *among != *own) add_distance(record, REUSE_SIBLING, *last, *among);
    *among = now;
    const uint64_t *above = key_set_find(&record->last_of, line, of->parent);
    if (above && *above > *own) add_distance(record, REUSE_PARENT_CHILD, *last, *above);
  }
  if (*last) distance_tree_remove(&record->tree, *last);
  distance_tree_add(&record->tree, now);
  *last = *own = now;
}

static void find_latest(ReuseRecord *record, uint32_t kernel_id, uint64_t cta) {
  uint32_t kernel = kernel_index(record, kernel_id);
  assert(kernel != REUSE_NONE);
  record->latest.kernel_id = kernel_id;
  record->latest.cta = cta;
  record->latest.kernel_index = kernel;
  record->latest.cta_index = cta_index(record, kernel, cta);
  record->latest.is_known = true;
}

void reuse_record_reference(ReuseRecord *record, uint32_t kernel_id, uint64_t cta, uint32_t warp,
                            uint64_t line) {
  if (!record->latest.is_known || record->latest.kernel_id != kernel_id ||
      record->latest.cta != cta)
    find_latest(record, kernel_id, cta);
  uint32_t kernel = record->latest.kernel_index;
  assert(warp < record->kernels[kernel].warps_per_cta);
  record->references++;
  if (!is_followed(record, line)) return;
  uint32_t first_warp = record->ctas[record->latest.cta_index].first_warp;
  ++*key_set_at(&record->counts, line, first_warp + warp, NULL);
  measure(record, kernel, line);
  while (entries(record) > record->limit && record->halvings < MAX_HALVINGS) halve(record);
}

void reuse_record_clear(ReuseRecord *record) {
  memory_free(record->kernels);
  memory_free(record->ctas);
  key_set_clear(&record->kernel_numbers);
  key_set_clear(&record->cta_numbers);
  key_set_clear(&record->counts);
  key_set_clear(&record->last);
  key_set_clear(&record->last_of);
  key_set_clear(&record->last_among);
  distance_tree_clear(&record->tree);
}
