// SPDX-License-Identifier: MIT
// References by line and by unit: an index of a ReuseRecord at one level, where a unit is a
// kernel, a CTA or a warp.
#include "observers/reuse/line_index.h"

#include <stdlib.h>

#include "base/memory.h"

static uint32_t unit_of(const ReuseRecord *record, ReuseLevel level, uint32_t warp) {
  if (level == LEVEL_WARP) return warp;
  uint32_t cta = reuse_record_cta_of(record, warp);
  return level == LEVEL_CTA ? cta : record->ctas[cta].kernel;
}

static uint32_t kernel_group(const ReuseRecord *record, uint32_t kernel) {
  uint32_t cta = record->kernels[kernel].parent_cta;
  return cta == REUSE_NONE ? record->cta_count + kernel : cta;
}

static void find_groups(LineIndex *index, const ReuseRecord *record) {
  index->group = memory_alloc(sizeof *index->group * (index->unit_count + 1));
  for (uint32_t u = 0; u < index->unit_count; u++) {
    if (index->level == LEVEL_WARP)
      index->group[u] = reuse_record_cta_of(record, u);
    else
      index->group[u] =
          kernel_group(record, index->level == LEVEL_KERNEL ? u : record->ctas[u].kernel);
  }
}

static int compare(uint32_t a, uint32_t b) {
  return (a > b) - (a < b);
}

static int by_line_group_and_unit(const void *a, const void *b) {
  const Touch *x = a, *y = b;
  if (x->line != y->line) return x->line < y->line ? -1 : 1;
  return x->place != y->place ? compare(x->place, y->place) : compare(x->unit, y->unit);
}

static void collect(LineIndex *index, const ReuseRecord *record) {
  const KeySet *counts = &record->counts;
  index->touches = memory_alloc(sizeof(Touch) * (counts->count + 1));
  for (size_t i = 0; i < counts->capacity; i++) {
    const KeyEntry *entry = &counts->entries[i];
    if (!entry->is_used) continue;
    uint32_t unit = unit_of(record, index->level, (uint32_t)entry->b);
    index->touches[index->count++] = (Touch){entry->a, unit, index->group[unit], entry->value};
  }
  qsort(index->touches, index->count, sizeof(Touch), by_line_group_and_unit);
}

// Warps of a CTA and CTAs of a kernel that reference the same line are one touch.
static void merge(LineIndex *index) {
  size_t kept = 0;
  for (size_t i = 0; i < index->count; i++) {
    const Touch *touch = &index->touches[i];
    Touch *before = kept ? &index->touches[kept - 1] : NULL;
    if (before && before->line == touch->line && before->unit == touch->unit)
      before->count += touch->count;
    else
      index->touches[kept++] = *touch;
  }
  index->count = kept;
}

static void number_lines(LineIndex *index) {
  index->line_start = memory_alloc(sizeof(size_t) * (index->count + 1));
  for (size_t i = 0; i < index->count; i++) {
    if (!i || index->touches[i].line != index->touches[i - 1].line)
      index->line_start[index->line_count++] = i;
    index->touches[i].place = (uint32_t)(index->line_count - 1);
  }
  index->line_start[index->line_count] = index->count;
}

static void list_by_unit(LineIndex *index) {
  index->of_unit = memory_alloc(sizeof(size_t) * (index->count + 1));
  index->unit_start = memory_alloc(sizeof(size_t) * (index->unit_count + 2));
  index->references = memory_alloc(sizeof(uint64_t) * (index->unit_count + 1));
  for (size_t i = 0; i < index->count; i++) {
    index->unit_start[index->touches[i].unit + 2]++;
    index->references[index->touches[i].unit] += index->touches[i].count;
  }
  for (uint32_t u = 2; u < index->unit_count + 2; u++)
    index->unit_start[u] += index->unit_start[u - 1];
  for (size_t i = 0; i < index->count; i++)
    index->of_unit[index->unit_start[index->touches[i].unit + 1]++] = i;
}

void line_index_make(LineIndex *index, const ReuseRecord *record, ReuseLevel level) {
  uint32_t units[REUSE_LEVELS] = {record->kernel_count, record->cta_count, record->warp_count};
  *index = (LineIndex){.level = level, .unit_count = units[level]};
  find_groups(index, record);
  collect(index, record);
  merge(index);
  number_lines(index);
  list_by_unit(index);
}

size_t line_index_find(const LineIndex *index, uint32_t place, uint32_t unit) {
  size_t from = index->line_start[place], to = index->line_start[place + 1];
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    uint32_t other = index->touches[middle].unit;
    int order = compare(index->group[unit], index->group[other]);
    if (!order) order = compare(unit, other);
    if (!order) return middle;
    if (order < 0)
      to = middle;
    else
      from = middle + 1;
  }
  return index->count;
}

void line_index_clear(LineIndex *index) {
  memory_free(index->group);
  memory_free(index->touches);
  memory_free(index->line_start);
  memory_free(index->of_unit);
  memory_free(index->unit_start);
  memory_free(index->references);
}
