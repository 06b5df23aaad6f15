// SPDX-License-Identifier: MIT
// Branches whose paths meet before their post-dominator. Where a path of `if` and `else` may jump
// past their end (break, continue, return), the other lanes still meet there: from Volta on ptxas
// encloses the region in BSSY and BSYNC, and precedes the jump by BREAK, after which the others do
// not wait for the lanes that jump.
#ifndef FRONTENDS_PTX_LOWER_REGIONS_H
#define FRONTENDS_PTX_LOWER_REGIONS_H

#include "frontends/ptx/lower/flow.h"

// After flow_reconverge: for branches in such regions the field reconverge becomes the region's
// end, outer is set to where those meet that leave it, and leaves on the jumps there.
void regions_find(const Flow *flow, Instruction *code);

#endif
