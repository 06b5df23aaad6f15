// SPDX-License-Identifier: MIT
// Which registers live within one block only.
#ifndef FRONTENDS_PTX_OPTIMISE_MENTIONS_H
#define FRONTENDS_PTX_OPTIMISE_MENTIONS_H

#include "frontends/ptx/optimise/graph.h"

// By register: whether one block alone mentions it, and writes it, without a guard,
// before it reads it. Parameters and results live outside. memory_free gives it back.
bool *locals_find(const Lowering *lowering, const Flow *flow);

#endif
