// SPDX-License-Identifier: MIT
// The optimising pass: what an assembler does with PTX before a GPU runs it.
//
// It works on one function whose registers are still virtual (lower.h), between
// lowering and register allocation. Every step keeps what the program computes,
// bit by bit, and the source line of each instruction. What it does and leaves
// out, and how far the result is from ptxas: docs/model.md, "Optimising pass".
//
//   graph.c       blocks, dominators, definitions and uses
//   dead_code.c   instructions without effect
//   copies.c      moves, conversions between address spaces
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
