// SPDX-License-Identifier: MIT
#include "reuse/line_index.h"

#include <stdlib.h>

#include "base/memory.h"

static uint32_t unit_of(const ReuseRecord *record, ReuseLevel level, uint32_t warp) {
  if (level == LEVEL_WARP) return warp;
  uint32_t cta = reuse_record_cta_of(record, warp);
  return level == LEVEL_CTA ? cta : record->ctas[cta].kernel;
}

static int by_line_and_unit(const void *a, const void *b) {
  const Touch *x = a, *y = b;
  if (x->line != y->line) return x->line < y->line ? -1 : 1;
  return (x->unit > y->unit) - (x->unit < y->unit);
}

static void collect(LineIndex *index, const ReuseRecord *record) {
  const KeySet *counts = &record->counts;
  index->touches = memory_alloc(sizeof(Touch) * (counts->count + 1));
  for (size_t i = 0; i < counts->capacity; i++) {
    const KeyEntry *entry = &counts->entries[i];
    if (!entry->is_used) continue;
    uint32_t unit = unit_of(record, index->level, (uint32_t)entry->b);
    index->touches[index->count++] = (Touch){entry->a, unit, 0, entry->value};
  }
  qsort(index->touches, index->count, sizeof(Touch), by_line_and_unit);
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
  collect(index, record);
  merge(index);
  number_lines(index);
  list_by_unit(index);
}

void line_index_clear(LineIndex *index) {
  memory_free(index->touches);
  memory_free(index->line_start);
  memory_free(index->of_unit);
  memory_free(index->unit_start);
  memory_free(index->references);
}
