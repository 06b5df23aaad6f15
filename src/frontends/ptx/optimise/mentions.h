// SPDX-License-Identifier: MIT
// Registers that are local to one block.
#ifndef FRONTENDS_PTX_OPTIMISE_MENTIONS_H
#define FRONTENDS_PTX_OPTIMISE_MENTIONS_H

#include "frontends/ptx/optimise/graph.h"

// By register: whether only one block references it, and writes it, without a guard,
// before reading it. Parameters and results are not local. Free with memory_free.
bool *locals_find(const Lowering *lowering, const Flow *flow);

#endif
