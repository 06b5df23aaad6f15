// SPDX-License-Identifier: MIT
// The optimising pass: what an assembler does with PTX before a GPU runs it.
//
// It works on one function whose registers are still virtual (lower.h), between
// lowering and register allocation. Every step keeps what the program computes,
// bit by bit, and the source line of each instruction. What it does and leaves
// out, and how far the result is from ptxas: docs/model.md, "Optimising pass".
//
//   graph.c       blocks, dominators, definitions and uses (mentions.c, rewrite.c)
//   branches.c    branches to branches
//   shorten.c     registers of 64 bits that are read in their lower half only (narrow.c)
//   repeat.c      all turns of loops whose number is known (known.c)
//   unroll.c      loops that count, four turns at a time (counters.c, loaded.c)
//   values.c      copies, constants, common subexpressions
//   simplify.c    one instruction into a simpler one
//   combine.c     products and sums into mad, sums into the offsets of accesses
//   dead_code.c   instructions without effect
//   vectors.c     neighbouring accesses into vectors (alias.c, alignment.c)
//   triples.c     sums and logic of three operands
//   preload.c     parameters
//   coalesce.c    copies between registers that can be one
//   guards.c      short branches into guards
//   materialise.c constants beside constants into registers
//   expand.c      sequences for what hardware does in several steps (meetings.c)
//   schedule.c    the order within blocks
//
// All steps take time linear in the size of the function, but for the iteration
// to the dominators (flow.c has the same).
#ifndef FRONTENDS_PTX_OPTIMISE_OPTIMISE_H
#define FRONTENDS_PTX_OPTIMISE_OPTIMISE_H

#include "frontends/ptx/lower/lower.h"
#include "isa/compiler.h"

// Rewrites the code of the function in place.
void optimise_function(Lowering *lowering, const CompilerConfig *config);

#endif
