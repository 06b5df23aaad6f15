// SPDX-License-Identifier: MIT
// Counted loops of one block: the only branch compares an induction variable,
// which one instruction of the loop changes by a constant, with a loop-invariant
// limit.
//
// As in ptxas, three kinds of loops are not unrolled: long loops, loops marked by
// the compiler (.pragma "nounroll"), and loops whose trip count depends on memory,
// such as over the neighbours of a node, unless they are nested in another loop.
// With constant trip count: whole.h.
#ifndef FRONTENDS_PTX_OPTIMISE_COUNTERS_H
#define FRONTENDS_PTX_OPTIMISE_COUNTERS_H

#include "frontends/ptx/optimise/graph.h"
#include "isa/compiler.h"

enum { MOST_TURNS = 4, FEWER_TURNS = 2 };  // unroll factors

typedef struct Counters {
  Lowering *lowering;
  Flow flow;
  bool *is_loaded;        // by register
  uint32_t *writes_here;  // by register: number of writes in the loop found last
  uint32_t *hints;        // lines of the first instructions of loops not to be unrolled
  uint32_t hint_count, hint_capacity;
  bool *is_nested;  // by block: within a loop of several blocks
  // As ptxas 13: the limit may be the test's first operand; what leaves if the test holds, and else
  // repeats, is not unrolled
  bool follows_ptxas_13;
} Counters;

typedef struct Counter {
  const FlowBlock *block;
  const Instruction *test, *step, *branch;
  Place i, limit;
  uint8_t compare;  // the loop continues while this comparison of i and limit holds
  int bits;
  uint64_t pace;  // absolute value of the step
  bool goes_up;
  // of the emitted code
  Place bound;  // while i is before it, at least four iterations are left
  Place holds;  // predicate: the bounds have not overflowed; NO_PLACE if they cannot
} Counter;

void counters_find(Counters *counters, Lowering *lowering, const CompilerRules *rules);
// Whether a block is a counted loop. If so, writes_here is valid for its registers
// until counter_forget.
bool counter_of(Counters *counters, uint32_t block, Counter *counter);
// Whether ptxas unrolls it although the trip count is unknown.
bool counter_is_short(const Counters *counters, const Counter *counter);
void counter_forget(Counters *counters, const Counter *counter);
// Whether a pragma forbids unrolling the loop that contains a block.
bool counters_forbid(const Counters *counters, const FlowBlock *block);
void counters_clear(Counters *counters);

#endif
