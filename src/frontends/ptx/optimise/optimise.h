// SPDX-License-Identifier: MIT
// The optimising pass: the optimisations of the assembler (ptxas).
//
// It operates on one function with virtual registers (lower.h), between lowering
// and register allocation. Every step preserves the results of the program exactly,
// and the source line of each instruction. Scope, limits and accuracy against
// ptxas: docs/model.md, "Optimising pass".
//
//   graph.c       blocks, dominators, definitions and uses (mentions.c, rewrite.c)
//   branches.c    jump threading
//   shorten.c     64-bit registers of which only the lower half is used (narrow.c)
//   repeat.c      full unrolling of loops with constant trip count (known.c)
//   unroll.c      unrolling of counted loops (counters.c, loaded.c, whole.c)
//   values.c      value numbering: copies, constants, common subexpressions
//   simplify.c    peephole simplification
//   combine.c     products and sums into mad, sums into address offsets
//   dead_code.c   dead-code elimination
//   vectors.c     adjacent accesses into vector accesses (alias.c, alignment.c)
//   aggregate.c   atomics that one lane performs for its warp (uniform.c)
//   triples.c     three-operand sums and logic
//   preload.c     parameters
//   coalesce.c    copy coalescing
//   guards.c      if-conversion of short branches
//   materialise.c constants that need a register
//   expand.c      instructions that hardware implements as sequences (meetings.c)
//   schedule.c    list scheduling within blocks
//
// All steps take time linear in the size of the function, except the iteration to
// the dominators (as in flow.c) and loops of one block with constant trip count: each is
// another walk over the function.
#ifndef FRONTENDS_PTX_OPTIMISE_OPTIMISE_H
#define FRONTENDS_PTX_OPTIMISE_OPTIMISE_H

#include "frontends/ptx/lower/lower.h"
#include "isa/compiler.h"

// Rewrites the code of the function in place.
void optimise_function(Lowering *lowering, const CompilerConfig *config);

#endif
