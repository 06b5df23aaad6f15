// SPDX-License-Identifier: MIT
// Registers that hold the same in all active lanes of a warp, as far as the code shows it: what is
// computed from parameters, constants and the CTA's position alone, or loaded from such an address.
//
// Conservative: a register with several definitions is uniform only if no branch of the function
// depends on a register that is not, because lanes may then come by different ways. (varying_find
// of loaded.h asks for less: it ignores ways, and takes no load to be uniform.)
#ifndef FRONTENDS_PTX_OPTIMISE_UNIFORM_H
#define FRONTENDS_PTX_OPTIMISE_UNIFORM_H

#include "frontends/ptx/optimise/graph.h"

// By register: whether it may differ between lanes. Free with memory_free.
bool *unequal_find(const Graph *graph);
// Constants and absent operands do not vary.
static inline bool place_is_unequal(const bool *varying, Place place) {
  return place >= 0 && varying[place];
}

#endif
