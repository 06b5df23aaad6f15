// SPDX-License-Identifier: MIT
// Puts the instructions of a block into the order in which an assembler that
// knows latencies would issue them. Only the estimate of registers uses it: what
// runs is the program as it was written.
#ifndef FRONTENDS_PTX_LOWER_BLOCK_SCHEDULE_H
#define FRONTENDS_PTX_LOWER_BLOCK_SCHEDULE_H

#include "frontends/ptx/lower/lower.h"

// Reorders every block of the code in place. Registers are virtual, below
// register_count.
void blocks_schedule(Instruction *code, const FlowBlock *blocks, uint32_t block_count,
                     const Function *function, uint32_t register_count);

// A load that may move past other loads.
bool instruction_is_load(const Instruction *in);
// An instruction that nothing which touches memory moves past.
bool instruction_is_ordered(const Instruction *in);

#endif
