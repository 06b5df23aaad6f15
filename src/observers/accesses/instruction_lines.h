// SPDX-License-Identifier: MIT
// Lines accessed by the latest instruction of each warp. An instruction references a line once,
// in any number of transactions: the four sectors of a line are not reuse.
#ifndef OBSERVERS_ACCESSES_INSTRUCTION_LINES_H
#define OBSERVERS_ACCESSES_INSTRUCTION_LINES_H

#include "policies/observer/event.h"

// Zeroed, it is empty and ready.
typedef struct InstructionLines {
  struct InstructionOfWarp **by_sm;  // of warp slots; NULL: the SM has had none
  uint32_t sm_count;
} InstructionLines;

// Whether this is the first access of the transaction's instruction to the line.
bool instruction_lines_is_new(InstructionLines *lines, const MemEvent *event, uint64_t line);
void instruction_lines_clear(InstructionLines *lines);

#endif
