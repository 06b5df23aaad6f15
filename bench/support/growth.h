// SPDX-License-Identifier: MIT
// How the cost of a simulated instruction changes with the length of a run,
// the program's memory staying as it is.
#ifndef SUPPORT_GROWTH_H
#define SUPPORT_GROWTH_H

#include <stdint.h>

#include "base/error.h"

enum { GROWTH_KINDS = 3 };

// A kernel whose work grows with one number.
typedef struct GrowthKind {
  const char *name;
  const char *text;              // of a case; %llu is the number
  double instructions_a_number;  // warp instructions, about
} GrowthKind;

extern const GrowthKind growth_kinds[GROWTH_KINDS];

typedef struct GrowthPoint {
  uint64_t warp_instructions;
  double seconds_an_instruction;  // CPU, without what an empty run takes
  double peak_mb;
} GrowthPoint;

// About that many warp instructions, as a process of its own. reference is the
// folder of the reference kernels. The best of several runs where they are short.
Status growth_measure(const GrowthKind *kind, const char *heddle, const char *reference,
                      uint64_t warp_instructions, GrowthPoint *point, Error *err);

#endif
