// SPDX-License-Identifier: MIT
// Overhead of divergence in instructions: for Volta, ptxas emits two before a divergent
// branch, which set the reconvergence point (BMOV, BSSY), and one at that point,
// which waits (BSYNC); other architectures: isa/compiler.c. Uniform branches have none, nor have
// branches that reconverge only at the end of the kernel.
#ifndef FRONTENDS_PTX_OPTIMISE_MEETINGS_H
#define FRONTENDS_PTX_OPTIMISE_MEETINGS_H

#include "frontends/ptx/optimise/graph.h"

typedef struct Meetings {
  bool *parts, *meets;  // by instruction: divergence or reconvergence steps precede it
} Meetings;

void meetings_find(Meetings *meetings, Lowering *lowering);
void meetings_clear(Meetings *meetings);

#endif
