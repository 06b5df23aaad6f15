// SPDX-License-Identifier: MIT
// Which registers of 64 bits are never looked at above bit 31: addresses within
// shared, local and constant memory, and what they are computed from.
#ifndef FRONTENDS_PTX_OPTIMISE_NARROW_H
#define FRONTENDS_PTX_OPTIMISE_NARROW_H

#include "frontends/ptx/optimise/graph.h"

typedef struct Narrow {
  bool *needs_high;  // by register
} Narrow;

// Addresses in constant memory are short on hardware but not here: is_exact counts
// them as looked at in full.
void narrow_find(Narrow *narrow, const Lowering *lowering, bool is_exact);
void narrow_clear(Narrow *narrow);

// The lower half of the result depends on the lower halves of the sources only.
bool instruction_is_low(const Instruction *in);
// By register: whether nothing but numbers of at most 32 bits is written to it;
// memory_free gives it back.
bool *smalls_find(const Lowering *lowering);
// setp of two such registers or constants: the lower halves decide, without a sign.
bool instruction_compares_smalls(const Lowering *lowering, const Instruction *in,
                                 const bool *is_small);
// An access of shared or local memory.
bool access_is_near(const Instruction *in);

#endif
