// SPDX-License-Identifier: MIT
// Representation of a function in the optimising pass: basic blocks, dominator
// tree, and definitions and uses of each register.
//
// Most registers in compiled code are values (SSA names): written by one unguarded
// instruction that dominates all uses. A value is the same at every use. If the
// definition of another value dominates its own, it may be replaced by an
// expression of that one at any use.
//
// A step changes operands or removes instructions of a graph and does not move the
// others: blocks and dominators stay valid until graph_clear compacts the code.
#ifndef FRONTENDS_PTX_OPTIMISE_GRAPH_H
#define FRONTENDS_PTX_OPTIMISE_GRAPH_H

#include "frontends/ptx/lower/liveness.h"

#define NO_INDEX UINT32_MAX

typedef struct Graph {
  Lowering *lowering;
  Flow flow;
  // by block
  uint32_t *dominator;  // immediate; NO_INDEX for the entry and unreachable blocks
  uint32_t *order;      // the order_count reachable blocks in reverse post-order
  uint32_t order_count;
  uint32_t *enter, *leave;  // pre- and post-order numbers in the dominator tree; enter 0:
                            // unreachable
  // by register
  uint32_t *write_count;  // instructions (and parameters) that write it
  uint32_t *writer;       // the last of these; NO_INDEX for a parameter
  uint32_t *read_count;
  bool *is_value;
  // state of a walk over the code, block by block
  uint32_t *last_write;  // by register: 1 + the last visited instruction that wrote it; 0: none
  uint32_t walk_block;
  bool knows_bits;  // as in ptxas 13: narrow values are followed (known_bits.h), products of
                    // constants folded into sums
} Graph;

void graph_build(Graph *graph, Lowering *lowering);
// Recounts definitions and uses after a step.
void graph_count(Graph *graph);
// Compacts the code, dropping removed instructions, and frees the graph.
void graph_clear(Graph *graph);

// A walk: call graph_begin_walk, set walk_block before each block, and call
// graph_note_writes after each instruction has been processed.
void graph_begin_walk(Graph *graph);
void graph_note_writes(Graph *graph, uint32_t index);
// A complete walk through all reachable blocks, with a call per instruction.
typedef void (*GraphFn)(Graph *graph, uint32_t index);
void graph_walk(Graph *graph, GraphFn visit);
// Version of a register's contents at this point of a walk: equal numbers mean
// equal contents. A value has a single version.
uint32_t graph_version(const Graph *graph, Place place);

// Compacts the code, dropping removed instructions; no graph may be open.
void code_squeeze(Lowering *lowering);

// Whether instruction a dominates b.
bool graph_dominates(const Graph *graph, uint32_t a, uint32_t b);
bool block_dominates(const Graph *graph, uint32_t a, uint32_t b);

static inline Instruction *graph_writer(const Graph *graph, Place value) {
  return &graph->lowering->code[graph->writer[value]];
}
static inline bool graph_is_value(const Graph *graph, Place place) {
  return place >= 0 && graph->is_value[place];
}

// Marks an instruction as removed; it then references no register.
void instruction_remove(Instruction *in);
static inline bool instruction_is_removed(const Instruction *in) {
  return !in->exec;
}

// Whether an instruction has no effect except to write its destinations, and its
// results depend only on its operands. Loads of parameters are pure. Other loads
// are not: memory changes, and a load out of bounds must be reported even if its
// result is unused.
bool instruction_is_pure(const Instruction *in, const Function *function);
// Whether the instruction reads a clock or the location of its warp (SM, slot).
bool instruction_reads_clock(const Instruction *in);
// Whether the instruction reads or writes the carry flag (addc, add.cc, ...).
bool instruction_uses_carry(const Instruction *in);
// Whether the instruction loads a kernel parameter at a constant offset.
bool instruction_loads_parameter(const Instruction *in, const Function *function);

// Value of a 32-bit or 64-bit constant; false if the place is a register.
bool constant_value(const Lowering *lowering, Place place, int bits, uint64_t *value);

#endif
