// SPDX-License-Identifier: MIT
// The stretches in which each register of a function is alive, kept.
#ifndef FRONTENDS_PTX_LOWER_STRETCHES_H
#define FRONTENDS_PTX_LOWER_STRETCHES_H

#include "frontends/ptx/lower/liveness.h"

typedef struct Stretch {
  uint32_t begin, end;  // moments, as in liveness.h; both included
} Stretch;

typedef struct Stretches {
  Stretch *all;
  uint32_t *first;  // by register: its stretches are first[v] .. first[v + 1] - 1, in order
} Stretches;

// False if the function is absurdly large.
bool stretches_find(Stretches *stretches, const Lowering *lowering, const Flow *flow);
void stretches_clear(Stretches *stretches);

#endif
