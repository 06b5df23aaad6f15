// SPDX-License-Identifier: MIT
// How the cost of a simulated instruction changes along a run, the program's
// memory staying as it is.
//
// One long run is cut into windows of as many warp instructions each; what
// counts for a decade (from 1e5 to 1e6, to 1e7, ...) is its tenth fastest in a
// hundred windows, so that a host with other things to do does not matter.
#ifndef SUPPORT_GROWTH_H
#define SUPPORT_GROWTH_H

#include <stdint.h>

#include "base/error.h"

enum { GROWTH_KINDS = 3, GROWTH_DECADES = 5, GROWTH_FIRST = 100000 };

// A kernel whose work grows with one number.
typedef struct GrowthKind {
  const char *name;
  const char *text;  // of a case, up to the number and behind it
  const char *rest;
  double instructions_a_number;  // warp instructions, about
} GrowthKind;

extern const GrowthKind growth_kinds[GROWTH_KINDS];

typedef struct GrowthDecade {
  uint64_t last;  // warp instruction
  uint32_t windows;
  double seconds_an_instruction;  // CPU
  double resident_mb;             // at its end
} GrowthDecade;

// A run of about that many warp instructions. reference is the folder of the
// reference kernels; *count gets how many decades there were.
Status growth_measure(const GrowthKind *kind, const char *reference, uint64_t warp_instructions,
                      GrowthDecade decades[GROWTH_DECADES], uint32_t *count, Error *err);

#endif
