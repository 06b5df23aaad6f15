// SPDX-License-Identifier: MIT
// A function as the steps of the optimising pass see it: its blocks, who
// dominates whom, where each register is written and how often it is read.
//
// Most registers that a compiler writes are values: written by one unguarded
// instruction that dominates all readers. A value means the same wherever it
// may be read; if the definition of another value dominates its own, it may be
// replaced by an expression of that one anywhere.
//
// A step takes a graph, changes operands or removes instructions, and leaves the
// positions of the others alone: the blocks and dominators hold until graph_clear
// squeezes the code.
#ifndef FRONTENDS_PTX_OPTIMISE_GRAPH_H
#define FRONTENDS_PTX_OPTIMISE_GRAPH_H

#include "frontends/ptx/lower/liveness.h"

#define NO_INDEX UINT32_MAX

typedef struct Graph {
  Lowering *lowering;
  Flow flow;
  // by block
  uint32_t *dominator;  // immediate; NO_INDEX: the entry, or not reached
  uint32_t *order;      // blocks in reverse post-order, order_count of them are reached
  uint32_t order_count;
  uint32_t *enter, *leave;  // numbers in a walk of the dominator tree; enter 0: not reached
  // by register
  uint32_t *write_count;  // instructions (and parameters) that write it
  uint32_t *writer;       // the last of these; NO_INDEX: a parameter
  uint32_t *read_count;
  bool *is_value;
  // of a walk over the code, block by block
  uint32_t *last_write;  // by register: behind the last instruction seen that wrote it; 0: none
  uint32_t walk_block;
} Graph;

void graph_build(Graph *graph, Lowering *lowering);
// Counts definitions and uses again, after a step.
void graph_count(Graph *graph);
// Removes what steps have removed from the code; the graph is then gone.
void graph_clear(Graph *graph);

// A walk: begin, set walk_block before each block, note the writes of each
// instruction once it has been looked at.
void graph_begin_walk(Graph *graph);
void graph_note_writes(Graph *graph, uint32_t index);
// The whole walk, through all blocks that are reached, with a call for each instruction.
typedef void (*GraphFn)(Graph *graph, uint32_t index);
void graph_walk(Graph *graph, GraphFn visit);
// Which of its contents a register holds at this point of a walk: equal numbers
// mean equal contents. A value has only one.
uint32_t graph_version(const Graph *graph, Place place);

// Takes removed instructions out of the code; no graph may be open.
void code_squeeze(Lowering *lowering);

// Whether instruction a comes before b on every path to b.
bool graph_dominates(const Graph *graph, uint32_t a, uint32_t b);
bool block_dominates(const Graph *graph, uint32_t a, uint32_t b);

static inline Instruction *graph_writer(const Graph *graph, Place value) {
  return &graph->lowering->code[graph->writer[value]];
}
static inline bool graph_is_value(const Graph *graph, Place place) {
  return place >= 0 && graph->is_value[place];
}

// Marks an instruction as gone; it names no register from then on.
void instruction_remove(Instruction *in);
static inline bool instruction_is_removed(const Instruction *in) {
  return !in->exec;
}

// Whether an instruction does nothing but write its destinations, and equal
// operands give equal results. Loads of parameters are such. Other loads are not:
// memory changes, and a load out of bounds is an error that must not go unseen,
// whether or not its result is read.
bool instruction_is_pure(const Instruction *in, const Function *function);
// Reads a clock, or where its warp runs.
bool instruction_reads_clock(const Instruction *in);
// addc and its kin: reads or writes the carry flag.
bool instruction_uses_carry(const Instruction *in);
// A load of a kernel's parameter, at a fixed place within its parameters.
bool instruction_loads_parameter(const Instruction *in, const Function *function);

// The 32-bit or 64-bit constant at a place of that width; false: a register.
bool constant_value(const Lowering *lowering, Place place, int bits, uint64_t *value);

#endif
