// SPDX-License-Identifier: MIT
// Loops of several blocks of which the number of turns is known: one block, the
// last of each turn, steps a register by a constant and compares it with another,
// and before the loop it was set to a third.
//
// ptxas writes out all turns of such loops, however many instructions that gives
// (2,500 with CUDA 13), but not of loops of one block. Here there is a bound.
#ifndef FRONTENDS_PTX_OPTIMISE_KNOWN_H
#define FRONTENDS_PTX_OPTIMISE_KNOWN_H

#include "frontends/ptx/optimise/counters.h"

enum { MOST_LOOP_BLOCKS = 32 };

typedef struct KnownLoop {
  uint32_t blocks[MOST_LOOP_BLOCKS];  // the header first, then so that all branches go on
  uint32_t count;
  uint32_t low, high;   // the first and the last block of them in the code
  uint32_t last;        // the block that steps and tests
  uint32_t exit;        // instruction where the loop leads in the end
  uint32_t step, test;  // instructions
  Place i;
  int bits;
  uint64_t first, pace, turns;
} KnownLoop;

// Whether a block is the last of such a loop; counters have found the same code.
bool known_loop_of(const Graph *graph, const Counters *counters, uint32_t last, KnownLoop *loop);
static inline bool known_loop_has(const KnownLoop *loop, uint32_t block) {
  return block >= loop->low && block <= loop->high;
}

#endif
