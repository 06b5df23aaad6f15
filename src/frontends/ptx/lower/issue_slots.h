// SPDX-License-Identifier: MIT
// Issue cycles of a basic block during scheduling: each instruction, in program
// order, takes the first free cycle in which its operands are available.
#ifndef FRONTENDS_PTX_LOWER_ISSUE_SLOTS_H
#define FRONTENDS_PTX_LOWER_ISSUE_SLOTS_H

#include "frontends/ptx/lower/lower.h"

// Cycles from issue until the result is available.
typedef struct Latencies {
  uint32_t alu, slow, shared, global;
} Latencies;

uint32_t instruction_latency(const Instruction *in, const Latencies *latencies);

// Pipelines of 16 lanes, each of which an instruction keeps for two cycles; in between, another
// instruction can issue.
typedef enum Pipe { PIPE_FMA, PIPE_ALU, PIPE_COUNT, PIPE_NONE = PIPE_COUNT } Pipe;

Pipe instruction_pipe(const Instruction *in);

typedef struct IssueSlots {
  uint32_t *next_free;              // by cycle: itself if free, else a later candidate (union-find)
  uint32_t *next_pair[PIPE_COUNT];  // by pair of cycles of a pipeline: the same
  uint32_t *issued;                 // by cycle: instruction + 1, or 0
  uint32_t last;                    // the cycle after the last one taken
} IssueSlots;

// Allocates cycles for a number of instructions whose latency is at most `longest`.
void issue_slots_open(IssueSlots *slots, uint32_t instructions, uint32_t longest);
// Assigns the first free cycle at or after `earliest` to an instruction and returns it.
uint32_t issue_slots_take(IssueSlots *slots, uint32_t earliest, uint32_t index);
// The same, where the pipeline of the instruction is free as well.
uint32_t issue_slots_take_pipe(IssueSlots *slots, Pipe pipe, uint32_t earliest, uint32_t index);
// Reorders the instructions from index `first` by their cycles and frees the slots.
void issue_slots_close(IssueSlots *slots, Instruction *code, uint32_t first);

static inline uint32_t later(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

#endif
