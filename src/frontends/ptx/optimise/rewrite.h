// SPDX-License-Identifier: MIT
// Code that is written anew, instruction by instruction, from a function's.
#ifndef FRONTENDS_PTX_OPTIMISE_REWRITE_H
#define FRONTENDS_PTX_OPTIMISE_REWRITE_H

#include "frontends/ptx/optimise/graph.h"

// Of a branch's target: it counts in the new code already.
#define FINAL_TARGET 0x80000000u

typedef struct NewCode {
  Instruction *code;
  uint32_t count, capacity;
  uint32_t *moved;  // by instruction of the old code: where it stands now
} NewCode;

void new_code_open(NewCode *out, const Lowering *lowering);
Instruction *new_code_append(NewCode *out, const Instruction *in);
// Aims all branches and puts the new code in the place of the old.
void new_code_close(NewCode *out, Lowering *lowering);

#endif
