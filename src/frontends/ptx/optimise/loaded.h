// SPDX-License-Identifier: MIT
// Which registers may depend on memory: on anything but parameters, constants
// and the place of a thread.
#ifndef FRONTENDS_PTX_OPTIMISE_LOADED_H
#define FRONTENDS_PTX_OPTIMISE_LOADED_H

#include "frontends/ptx/optimise/graph.h"

// By register; memory_free gives it back.
bool *loaded_find(const Lowering *lowering);
// Which may, besides, differ between threads of a warp.
bool *varying_find(const Lowering *lowering);

#endif
