// SPDX-License-Identifier: MIT
// The steps of the optimising pass, in the order in which they run.
#ifndef FRONTENDS_PTX_OPTIMISE_STEPS_H
#define FRONTENDS_PTX_OPTIMISE_STEPS_H

#include "frontends/ptx/optimise/graph.h"
#include "isa/compiler.h"

// Removes blocks that nothing reaches.
void unreached_remove(Graph *graph);
// Copies, constants, common subexpressions; simplifies each instruction.
void values_number(Graph *graph);
// Products and sums into mad, sums into the offsets of accesses.
void sums_combine(Graph *graph);
// Removes what is computed and not read.
void dead_code_remove(Graph *graph);
// Neighbouring accesses to shared, local and constant memory into vectors.
void accesses_merge(Graph *graph);

#endif
