// SPDX-License-Identifier: MIT
// Which registers of 64 bits are never looked at above bit 31: addresses within
// shared, local and constant memory, and what they are computed from.
#ifndef FRONTENDS_PTX_OPTIMISE_NARROW_H
#define FRONTENDS_PTX_OPTIMISE_NARROW_H

#include "frontends/ptx/optimise/graph.h"

typedef struct Narrow {
  bool *needs_high;  // by register
} Narrow;

void narrow_find(Narrow *narrow, const Lowering *lowering);
void narrow_clear(Narrow *narrow);

#endif
