// SPDX-License-Identifier: MIT
// Which lines the latest instruction of each warp has asked for. An instruction asks for a
// line once, in however many transactions: where these are sectors, the four sectors of a
// line are no reuse.
#ifndef LOCALITY_INSTRUCTION_LINES_H
#define LOCALITY_INSTRUCTION_LINES_H

#include "policies/observer/event.h"

// Zeroed, it is empty and ready.
typedef struct InstructionLines {
  struct InstructionOfWarp **by_sm;  // of warp slots; NULL: the SM has had none
  uint32_t sm_count;
} InstructionLines;

// Whether the instruction of a transaction asks for the line for the first time.
bool instruction_lines_is_new(InstructionLines *lines, const MemEvent *event, uint64_t line);
void instruction_lines_clear(InstructionLines *lines);

#endif
