// SPDX-License-Identifier: MIT
// Where the gain of a variant comes from: the cycles of two runs by cause.
#ifndef TUNE_GAIN_SOURCE_H
#define TUNE_GAIN_SOURCE_H

#include "base/arena.h"
#include "base/error.h"

enum { GAIN_CAUSES = 4 };

// Cycles are divided in proportion to the issue slots.
typedef struct GainCause {
  const char *label;  // of a reason of issue slots
  double before, after;
} GainCause;

typedef struct GainSource {
  GainCause causes[GAIN_CAUSES];  // with the largest differences, these first
  size_t count;
} GainSource;

// Of two runs of the store, by their keys. Empty if the store has no issue slots of them.
Status gain_source_read(GainSource *source, const char *db, const char *before, const char *after,
                        Arena *arena, Error *err);

#endif
