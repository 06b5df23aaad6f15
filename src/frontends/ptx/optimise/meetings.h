// SPDX-License-Identifier: MIT
// Where hardware spends instructions on threads of a warp that part and meet again:
// ptxas emits two before the branch, which name the place where they meet (BMOV,
// BSSY), and one there that waits (BSYNC). Branches on which all threads of a warp
// agree have none, nor have those that meet at the end of the kernel only.
#ifndef FRONTENDS_PTX_OPTIMISE_MEETINGS_H
#define FRONTENDS_PTX_OPTIMISE_MEETINGS_H

#include "frontends/ptx/optimise/graph.h"

enum { PARTING_STEPS = 2, MEETING_STEPS = 1 };

typedef struct Meetings {
  bool *parts, *meets;  // by instruction: such steps stand before it
} Meetings;

void meetings_find(Meetings *meetings, Lowering *lowering);
void meetings_clear(Meetings *meetings);

#endif
