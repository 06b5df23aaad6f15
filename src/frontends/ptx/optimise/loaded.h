// SPDX-License-Identifier: MIT
// Registers whose contents may depend on memory, not only on parameters, constants
// and thread indices.
#ifndef FRONTENDS_PTX_OPTIMISE_LOADED_H
#define FRONTENDS_PTX_OPTIMISE_LOADED_H

#include "frontends/ptx/optimise/graph.h"

// Indexed by register; free with memory_free.
bool *loaded_find(const Lowering *lowering);
// Registers that may also differ between threads of a warp.
bool *varying_find(const Lowering *lowering);

#endif
