// SPDX-License-Identifier: MIT
// 64-bit registers whose upper half is never used: addresses within shared, local
// and constant memory, and the values that they are computed from.
#ifndef FRONTENDS_PTX_OPTIMISE_NARROW_H
#define FRONTENDS_PTX_OPTIMISE_NARROW_H

#include "frontends/ptx/optimise/graph.h"

typedef struct Narrow {
  bool *needs_high;  // by register
} Narrow;

// Addresses in constant memory have 32 bits on hardware but not here: with is_exact
// they count as using the upper half.
void narrow_find(Narrow *narrow, const Lowering *lowering, bool is_exact);
void narrow_clear(Narrow *narrow);

// Whether the lower half of the result depends only on the lower halves of the sources.
bool instruction_is_low(const Instruction *in);
// By register: whether values are written to it, and all fit in 32 bits, unsigned: not
// parameters, which are there from the beginning. Free with memory_free.
bool *smalls_find(const Lowering *lowering);
// Whether the instruction is a setp of two such registers or constants: an unsigned
// comparison of the lower halves is equivalent.
bool instruction_compares_smalls(const Lowering *lowering, const Instruction *in,
                                 const bool *is_small);
// Whether the instruction accesses shared or local memory.
bool access_is_near(const Instruction *in);

#endif
