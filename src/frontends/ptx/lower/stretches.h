// SPDX-License-Identifier: MIT
// Table of the live stretches (liveness.h) of each register of a function.
#ifndef FRONTENDS_PTX_LOWER_STRETCHES_H
#define FRONTENDS_PTX_LOWER_STRETCHES_H

#include "frontends/ptx/lower/liveness.h"

typedef struct Stretch {
  uint32_t begin, end;  // program points, as in liveness.h; inclusive
} Stretch;

typedef struct Stretches {
  Stretch *all;
  uint32_t *first;  // by register: its stretches are first[v] .. first[v + 1] - 1, in order
} Stretches;

// Returns false if the function is too large to analyse.
bool stretches_find(Stretches *stretches, const Lowering *lowering, const Flow *flow);
void stretches_clear(Stretches *stretches);

#endif
