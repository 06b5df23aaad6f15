// SPDX-License-Identifier: MIT
// The control flow of a function: its basic blocks, and where the paths of a
// branch meet again (its immediate post-dominator).
#ifndef FRONTENDS_PTX_LOWER_FLOW_H
#define FRONTENDS_PTX_LOWER_FLOW_H

#include "isa/instruction.h"

typedef struct FlowBlock {
  uint32_t first, end;                   // instructions first .. end-1
  uint32_t successors, successor_count;  // into Flow.edges; the exit is block_count
} FlowBlock;

typedef struct Flow {
  FlowBlock *blocks;
  uint32_t block_count;
  uint32_t *edges;
  uint32_t edge_count, edge_capacity;
  uint32_t *block_of;  // by instruction
} Flow;

// Targets in code count from its start.
void flow_build(Flow *flow, const Instruction *code, uint32_t count);
// Sets reconverge of every branch.
void flow_reconverge(const Flow *flow, Instruction *code);
void flow_clear(Flow *flow);

#endif
