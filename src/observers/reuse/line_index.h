// SPDX-License-Identifier: MIT
// References by line and by unit: an index of a ReuseRecord at one level, where a unit is a
// kernel, a CTA or a warp.
#ifndef OBSERVERS_REUSE_LINE_INDEX_H
#define OBSERVERS_REUSE_LINE_INDEX_H

#include "observers/reuse/reuse_record.h"

typedef enum ReuseLevel { LEVEL_KERNEL, LEVEL_CTA, LEVEL_WARP, REUSE_LEVELS } ReuseLevel;

// A unit references a line.
typedef struct Touch {
  uint64_t line;
  uint32_t unit;
  uint32_t place;        // number of the line in the index; until lines have one, the unit's group
  uint64_t count;        // references
} Touch;

typedef struct LineIndex {
  ReuseLevel level;
  Touch *touches;  // by line, then by group, then by unit
  size_t count;
  size_t *line_start;  // by place of the line, and behind the last
  size_t line_count;
  uint32_t unit_count;   // with those that referenced nothing
  // By unit. Units of a group are related: kernels that one CTA launched, their CTAs, warps of a
  // CTA; a kernel of the host and its CTAs are a group of their own.
  uint32_t *group;
  size_t *of_unit;       // indices of touches, by unit
  size_t *unit_start;    // into of_unit, by unit, and behind the last
  uint64_t *references;  // by unit
} LineIndex;

void line_index_make(LineIndex *index, const ReuseRecord *record, ReuseLevel level);
void line_index_clear(LineIndex *index);

// The touch of a unit on the line with that place; index->count: there is none.
size_t line_index_find(const LineIndex *index, uint32_t place, uint32_t unit);

static inline size_t line_index_lines_of(const LineIndex *index, uint32_t unit) {
  return index->unit_start[unit + 1] - index->unit_start[unit];
}

#endif
