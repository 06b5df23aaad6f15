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
// Two sums, or two logical operations, into one of three operands. No step that
// looks into sums may follow.
void triples_join(Graph *graph);
// Loads of parameters into Function.preloads. It adds registers that the graph
// does not know: nothing but graph_clear may follow.
void parameters_preload(Graph *graph);
// Branches to branches and around branches. Takes code of which no graph is open.
void branches_clean(Lowering *lowering);
// Registers of 64 bits that are read in their lower half only become short. No
// graph may be open.
void registers_shorten(Lowering *lowering);
// Loops of several blocks and a known number of turns, all of them one behind the
// other. No graph may be open.
void turns_write_out(Lowering *lowering);
// Loops that count, four turns at a time. No graph may be open.
void loops_unroll(Lowering *lowering);
// Registers that a copy joins become one where they can. No graph may be open.
void copies_coalesce(Lowering *lowering);
// Short branches into guards. No graph may be open, and none is built after it.
void branches_guard(Lowering *lowering);
// Constants that an instruction cannot take as such into registers. Behind
// parameters_preload and copies_coalesce; no graph may be open.
void constants_materialise(Lowering *lowering);
// Instructions of PTX into the sequences that hardware has for them. No graph may
// be open.
void instructions_expand(Lowering *lowering);
// Reorders the instructions of each block so that loads are issued early.
void blocks_reorder(Lowering *lowering);

#endif
