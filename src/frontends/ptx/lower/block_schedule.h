// SPDX-License-Identifier: MIT
// List scheduling of basic blocks by latency, as an assembler would do. Only
// the register estimate uses it: the program executes in its original order.
#ifndef FRONTENDS_PTX_LOWER_BLOCK_SCHEDULE_H
#define FRONTENDS_PTX_LOWER_BLOCK_SCHEDULE_H

#include "frontends/ptx/lower/lower.h"

// Reorders every block of the code in place. Registers are virtual, below
// register_count.
void blocks_schedule(Instruction *code, const FlowBlock *blocks, uint32_t block_count,
                     const Function *function, uint32_t register_count);

// Whether a load may be reordered with other loads.
bool instruction_is_load(const Instruction *in);
// Whether no memory access may be reordered with the instruction.
bool instruction_is_ordered(const Instruction *in);

#endif
