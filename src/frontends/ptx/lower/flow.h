// SPDX-License-Identifier: MIT
// Control-flow graph of a function: basic blocks and the reconvergence point
// (immediate post-dominator) of each branch.
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

// Branch targets in code are relative to its start.
void flow_build(Flow *flow, const Instruction *code, uint32_t count);
// Sets the field reconverge of every branch.
void flow_reconverge(const Flow *flow, Instruction *code);
void flow_clear(Flow *flow);

#endif
