// SPDX-License-Identifier: MIT
// Steps of the optimising pass, in order of execution.
#ifndef FRONTENDS_PTX_OPTIMISE_STEPS_H
#define FRONTENDS_PTX_OPTIMISE_STEPS_H

#include "frontends/ptx/optimise/graph.h"
#include "isa/compiler.h"

// Removes unreachable blocks.
void unreached_remove(Graph *graph);
// Value numbering: copies, constants, common subexpressions; simplifies each instruction.
void values_number(Graph *graph, const CompilerRules *rules);
// Combines products and sums into mad, and sums into address offsets.
void sums_combine(Graph *graph);
// Removes dead code.
void dead_code_remove(Graph *graph);
// Merges adjacent accesses to shared, local and constant memory into vector accesses.
void accesses_merge(Graph *graph);
// Merges two sums, or two logical operations, into one with three operands. No step
// that inspects sums may follow.
void triples_join(Graph *graph, const CompilerRules *rules);
// Marks atomics that one lane performs for its warp.
void atomics_aggregate(Graph *graph, const CompilerRules *rules);
// Moves loads of parameters to Function.preloads. Adds registers that are unknown to
// the graph: only graph_clear may follow.
void parameters_preload(Graph *graph);
// Threads branches to branches and inverts branches around branches. No graph may be
// open.
void branches_clean(Lowering *lowering);
// Narrows 64-bit registers of which only the lower half is used. No graph may be open.
void registers_shorten(Lowering *lowering);
// Fully unrolls loops of several blocks with constant trip count. No graph may be
// open.
void turns_write_out(Lowering *lowering, const CompilerRules *rules);
// Unrolls counted loops of one block: completely, by a divisor or by four. No graph may be open.
void loops_unroll(Lowering *lowering, const CompilerRules *rules);
// Coalesces registers connected by copies. No graph may be open.
void copies_coalesce(Lowering *lowering);
// Converts short branches to guards. No graph may be open, and none is built after it.
void branches_guard(Lowering *lowering, const CompilerRules *rules);
// Moves constants to registers where an instruction cannot encode them. Runs after
// parameters_preload and copies_coalesce; no graph may be open.
void constants_materialise(Lowering *lowering);
// Expands PTX instructions to the sequences that implement them on hardware. No graph
// may be open.
void instructions_expand(Lowering *lowering, const CompilerRules *rules);
// Reorders the instructions of each block so that few registers are live at once.
void blocks_relieve(Lowering *lowering, const Flow *flow);
// Reorders the instructions of each block so that loads are issued early.
void blocks_reorder(Lowering *lowering, const CompilerRules *rules);
// Gives sums, copies and shifts to the pipeline that is free (Instruction.is_multiplied). Runs
// last.
void pipes_choose(Lowering *lowering, const CompilerRules *rules);

#endif
