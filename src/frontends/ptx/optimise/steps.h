// SPDX-License-Identifier: MIT
// The steps of the optimising pass, in the order in which they run.
#ifndef FRONTENDS_PTX_OPTIMISE_STEPS_H
#define FRONTENDS_PTX_OPTIMISE_STEPS_H

#include "frontends/ptx/optimise/graph.h"
#include "isa/compiler.h"

// Removes blocks that nothing reaches.
void unreached_remove(Graph *graph);
// Readers of a copy read what was copied.
void copies_propagate(Graph *graph);
// Removes what is computed and not read.
void dead_code_remove(Graph *graph);

#endif
