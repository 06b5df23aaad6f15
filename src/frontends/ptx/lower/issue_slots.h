// SPDX-License-Identifier: MIT
// The cycles of a block that is being scheduled: each instruction, in the order of
// writing, takes the first free one from which on its operands are there.
#ifndef FRONTENDS_PTX_LOWER_ISSUE_SLOTS_H
#define FRONTENDS_PTX_LOWER_ISSUE_SLOTS_H

#include "frontends/ptx/lower/lower.h"

// Cycles after which a result can be used.
typedef struct Latencies {
  uint32_t alu, slow, shared, global;
} Latencies;

uint32_t instruction_latency(const Instruction *in, const Latencies *latencies);

typedef struct IssueSlots {
  uint32_t *next_free;  // by cycle: itself, or a later one to ask
  uint32_t *issued;     // by cycle: instruction + 1, or 0
  uint32_t last;        // the cycle behind all that are taken
} IssueSlots;

// Room for so many instructions, none of which waits longer than `longest`.
void issue_slots_open(IssueSlots *slots, uint32_t instructions, uint32_t longest);
// Gives an instruction the first free cycle from `earliest` on; returns it.
uint32_t issue_slots_take(IssueSlots *slots, uint32_t earliest, uint32_t index);
// Puts the instructions from `first` on into the order of their cycles.
void issue_slots_close(IssueSlots *slots, Instruction *code, uint32_t first);

static inline uint32_t later(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

#endif
