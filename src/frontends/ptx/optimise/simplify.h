// SPDX-License-Identifier: MIT
// One instruction into a simpler one that computes the same, bit by bit.
//
//   simplify.c   constants, identities, and what the writers of its operands allow
//   combine.c    products and sums into one instruction, sums into addresses
#ifndef FRONTENDS_PTX_OPTIMISE_SIMPLIFY_H
#define FRONTENDS_PTX_OPTIMISE_SIMPLIFY_H

#include "frontends/ptx/optimise/graph.h"

// Both may look at the writers of operands; they are called in the order of a
// walk (graph_begin_walk), before the instruction's own writes are noted.
void simplify_instruction(Graph *graph, uint32_t index);
void combine_instruction(Graph *graph, uint32_t index);

// A plain mov between registers or of a constant, without a guard.
bool instruction_is_copy(const Instruction *in);

// The unguarded instruction that wrote an operand read at index, if it is the
// only one that can have, and nothing else; NULL: unknown.
const Instruction *operand_writer(const Graph *graph, Place place, uint32_t index);
// Whether a register still holds at index what the instruction at `since` read.
bool operand_unchanged(const Graph *graph, Place place, uint32_t since, uint32_t index);
// An integer operation whose result is cut to its width: no saturation, no carry.
bool instruction_is_modular(const Instruction *in, Opcode op, int bits);
// Sources of a commutative integer operation into an order of their own: registers
// by number, then constants.
void instruction_order_sources(Instruction *in);
// Names the instruction after its form, for messages.
void instruction_rename(const Lowering *lowering, Instruction *in, const char *opcode);

#endif
