// SPDX-License-Identifier: MIT
// Loops of one block that count: the only branch compares a register that one
// instruction of the loop changes by a constant with one that the loop does not
// change.
//
// ptxas leaves alone long loops, those that a compiler has unrolled and says so
// (.pragma "nounroll"), and those of which the count depends on memory, such as
// over the neighbours of a node, unless they are within another; so does this.
#ifndef FRONTENDS_PTX_OPTIMISE_COUNTERS_H
#define FRONTENDS_PTX_OPTIMISE_COUNTERS_H

#include "frontends/ptx/optimise/graph.h"

enum { MOST_TURNS = 4, FEWER_TURNS = 2 };  // at a time

typedef struct Counters {
  Lowering *lowering;
  Flow flow;
  bool *is_loaded;        // by register
  uint32_t *writes_here;  // by register: how often, in the loop last found
  uint32_t *hints;        // lines of instructions that begin loops not to be unrolled
  uint32_t hint_count, hint_capacity;
  bool *is_nested;  // by block: within a loop of several blocks
} Counters;

typedef struct Counter {
  const FlowBlock *block;
  const Instruction *test, *step, *branch;
  Place i, limit;
  uint8_t compare;  // turns go on while i compares so with the limit
  int bits;
  uint64_t pace;  // of a turn, without its sign
  bool goes_up;
  // of the code being written
  Place bound;  // i before it: four turns are left
  Place holds;  // predicate: the bounds have not overflowed; NO_PLACE: they cannot
} Counter;

void counters_find(Counters *counters, Lowering *lowering);
// Whether a block is such a loop. If so, writes_here holds for its registers until
// counter_forget.
bool counter_of(Counters *counters, uint32_t block, Counter *counter);
void counter_forget(Counters *counters, const Counter *counter);
// Whether the program says that the loop to which a block belongs is not to be
// unrolled.
bool counters_forbid(const Counters *counters, const FlowBlock *block);
void counters_clear(Counters *counters);

#endif
