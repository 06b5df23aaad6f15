// SPDX-License-Identifier: MIT
// Replaces an instruction with a simpler one that has identical results.
//
//   simplify.c   constants, identities, and forms that depend on the operands' definitions
//   combine.c    products and sums into one instruction, sums into addresses
#ifndef FRONTENDS_PTX_OPTIMISE_SIMPLIFY_H
#define FRONTENDS_PTX_OPTIMISE_SIMPLIFY_H

#include "frontends/ptx/optimise/graph.h"

// Both may inspect the definitions of operands. They are called in the order of a
// walk (graph_begin_walk), before the writes of the instruction are noted.
void simplify_instruction(Graph *graph, uint32_t index);
void combine_instruction(Graph *graph, uint32_t index);

// Whether the instruction is an unguarded mov of a register or constant.
bool instruction_is_copy(const Instruction *in);

// The definition of an operand read at index: an unguarded instruction that alone
// can reach this use and writes nothing else; NULL if unknown.
const Instruction *operand_writer(const Graph *graph, Place place, uint32_t index);
// Whether a register has the same contents at index as at instruction `since`.
bool operand_unchanged(const Graph *graph, Place place, uint32_t since, uint32_t index);
// Whether the instruction is modular integer arithmetic: no saturation, no carry.
bool instruction_is_modular(const Instruction *in, Opcode op, int bits);
// Puts the sources of a commutative integer operation in canonical order: registers
// by number, then constants.
void instruction_order_sources(Instruction *in);
// Updates the instruction's text to its form, for messages.
void instruction_rename(const Lowering *lowering, Instruction *in, const char *opcode);

#endif
