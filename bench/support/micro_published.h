// SPDX-License-Identifier: MIT
// bench/microbenchmarks/published.tsv: what was measured on real GPUs, and by whom.
#ifndef SUPPORT_MICRO_PUBLISHED_H
#define SUPPORT_MICRO_PUBLISHED_H

#include <stdint.h>

#include "base/error.h"

typedef struct MicroRow {
  const char *gpu, *quantity, *source;
  double value;
} MicroRow;

typedef struct MicroPublished {
  char *text;
  MicroRow *rows;
  uint32_t count, capacity;
} MicroPublished;

// Of all sources for a GPU and a quantity; source: the first, and how many more.
typedef struct MicroRange {
  uint32_t count;
  double low, high;
  char source[256];
} MicroRange;

Status micro_published_read(MicroPublished *published, const char *path, Error *err);
void micro_published_clear(MicroPublished *published);
MicroRange micro_published_range(const MicroPublished *published, const char *gpu,
                                 const char *quantity);

#endif
