// SPDX-License-Identifier: MIT
// Builds new code for a function, instruction by instruction.
#ifndef FRONTENDS_PTX_OPTIMISE_REWRITE_H
#define FRONTENDS_PTX_OPTIMISE_REWRITE_H

#include "frontends/ptx/optimise/graph.h"

// Flag of a branch target that already refers to the new code.
#define FINAL_TARGET 0x80000000u

typedef struct NewCode {
  Instruction *code;
  uint32_t count, capacity;
  uint32_t *moved;  // by instruction of the old code: its index in the new code
} NewCode;

void new_code_open(NewCode *out, const Lowering *lowering);
Instruction *new_code_append(NewCode *out, const Instruction *in);
// Resolves all branches and replaces the old code with the new.
void new_code_close(NewCode *out, Lowering *lowering);

#endif
