// SPDX-License-Identifier: MIT
// Loops of several blocks with constant trip count: the latch, the last block of
// each iteration, adds a constant to the induction variable and compares it with a
// constant; its initial value is a constant, too.
//
// ptxas unrolls such loops completely, however large the result (2,500
// instructions with CUDA 13). Here the size is bounded. Loops of one block: whole.h.
#ifndef FRONTENDS_PTX_OPTIMISE_KNOWN_H
#define FRONTENDS_PTX_OPTIMISE_KNOWN_H

#include "frontends/ptx/optimise/counters.h"

enum { MOST_LOOP_BLOCKS = 32 };

typedef struct KnownLoop {
  uint32_t blocks[MOST_LOOP_BLOCKS];  // the header first, then in topological order
  uint32_t count;
  uint32_t low, high;   // first and last of these blocks in the code
  uint32_t last;        // the latch: increments and tests
  uint32_t exit;        // first instruction after the loop
  uint32_t step, test;  // instructions
  Place i;
  int bits;
  uint64_t first, pace, turns;
} KnownLoop;

// A constant, or a register whose only value is one.
bool known_value(const Graph *graph, Place place, int bits, uint64_t *value);

// An induction variable that is tested after each step.
typedef struct KnownCount {
  uint64_t first, pace, limit;
  int bits;
  bool is_signed;
  uint8_t compare;
  bool leaves;  // the loop ends when the comparison has this outcome
} KnownCount;

// Number of iterations, found by executing the counter; most + 1: more than that.
uint64_t known_turns(const KnownCount *count, uint64_t most);

// Whether a block is the latch of such a loop. counters must have been computed for the same code.
bool known_loop_of(const Graph *graph, const Counters *counters, uint32_t last, KnownLoop *loop);
static inline bool known_loop_has(const KnownLoop *loop, uint32_t block) {
  return block >= loop->low && block <= loop->high;
}

#endif
