// SPDX-License-Identifier: MIT
// Shadow memory: for every word that kernels access, its last write and its last two readers.
//
// Two readers suffice where barriers are the CTA's: of all that read since a barrier, any other
// than the writer proves the race. The second is kept of another CTA than the first if there was
// one, else of another warp. A write forgets the readers: what conflicts with them later also
// conflicts with it, or comes after it.
//
// Cells are words; a page that is accessed by the byte gets a cell per byte. Writes and readers
// have arrays of their own, made when a page is first written or read: memory that kernels only
// read has no writes to look at.
#ifndef RACES_SHADOW_H
#define RACES_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Who accessed, and when by its warp's clock. cta 0: nobody.
//
//   stamp   clock in bits 14-31, warp 9-13, lane 3-8 (32: several), flags 0-2
typedef struct Touch {
  uint32_t cta, pc, stamp;
} Touch;

enum { ACCESS_IS_ATOMIC = 1, ACCESS_IS_STRONG = 2 };
enum { STAMP_LANE = 3, STAMP_WARP = 9, STAMP_CLOCK = 14, SEVERAL_LANES = 32 };

static inline uint32_t stamp_make(uint32_t clock, uint32_t warp, uint32_t lane, uint32_t flags) {
  return clock << STAMP_CLOCK | warp << STAMP_WARP | lane << STAMP_LANE | flags;
}
static inline uint32_t stamp_with_lane(uint32_t stamp, uint32_t lane) {  // whose lane was 0
  return stamp | lane << STAMP_LANE;
}
static inline uint32_t stamp_clock(uint32_t stamp) {
  return stamp >> STAMP_CLOCK;
}
static inline uint32_t stamp_warp(uint32_t stamp) {
  return stamp >> STAMP_WARP & 31;
}
static inline uint32_t stamp_lane(uint32_t stamp) {
  return stamp >> STAMP_LANE & 63;
}

typedef struct WriteCell {
  Touch by;
  uint32_t value;  // that was written
} WriteCell;

typedef struct ReadCell {
  Touch by[2];  // the last first
} ReadCell;

// Cells of consecutive bytes.
typedef struct ShadowPage {
  WriteCell *writes;  // NULL: not written so far
  ReadCell *reads;    // NULL: not read so far
  uint32_t bytes;
  uint32_t shift;  // bytes per cell, as a power of two: 2 or 0
} ShadowPage;

enum { SHADOW_PAGE_LOG2 = 12, SHADOW_WORD_LOG2 = 2 };

void shadow_page_init(ShadowPage *page, uint32_t bytes);
void shadow_page_clear(ShadowPage *page);
// Makes a page of words one of bytes.
void shadow_page_split(ShadowPage *page);
void shadow_page_add_writes(ShadowPage *page);
void shadow_page_add_reads(ShadowPage *page);

// Global memory: a table of tables of pages, made when they are touched.
enum { SHADOW_FOLDER_LOG2 = 10, SHADOW_FOLDER_PAGES = 1 << SHADOW_FOLDER_LOG2 };
typedef struct Shadow {
  ShadowPage **folders;
  size_t folder_count;
} Shadow;

// NULL for an address beyond 2^44, where nothing is checked. A page stays where it is.
ShadowPage *shadow_make_folder(Shadow *shadow, uint64_t address);
static inline ShadowPage *shadow_page_at(Shadow *shadow, uint64_t address) {
  uint64_t number = address >> SHADOW_PAGE_LOG2, folder = number >> SHADOW_FOLDER_LOG2;
  if (folder >= shadow->folder_count || !shadow->folders[folder])
    return shadow_make_folder(shadow, address);
  return &shadow->folders[folder][number & (SHADOW_FOLDER_PAGES - 1)];
}
void shadow_clear(Shadow *shadow);

// The read takes its place among the two that are kept. Readers of CTAs before first_cta do not
// count: they are of earlier kernels.
static inline void shadow_read(ReadCell *cell, Touch access, uint32_t first_cta) {
  Touch *last = &cell->by[0];
  if (last->cta == access.cta && !((last->stamp ^ access.stamp) >> STAMP_WARP)) {
    if (last->stamp == access.stamp) return;
    bool is_same_lane = stamp_lane(last->stamp) == stamp_lane(access.stamp);
    uint32_t lane = is_same_lane ? stamp_lane(access.stamp) : SEVERAL_LANES;
    uint32_t flags = last->stamp & access.stamp & (ACCESS_IS_ATOMIC | ACCESS_IS_STRONG);
    last->stamp = access.stamp >> STAMP_WARP << STAMP_WARP | lane << STAMP_LANE | flags;
    return;
  }
  if (!last->cta) {
    *last = access;  // the first; there is no second
    return;
  }
  bool is_same_cta = last->cta == access.cta;
  bool is_same_warp = is_same_cta && stamp_warp(last->stamp) == stamp_warp(access.stamp);
  bool is_free = cell->by[1].cta < first_cta || cell->by[1].cta == access.cta;
  if (!is_same_cta || (!is_same_warp && is_free)) cell->by[1] = *last;
  *last = access;
}

#endif
