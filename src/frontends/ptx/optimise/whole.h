// SPDX-License-Identifier: MIT
// Counted loops of one block (counters.h) with constant trip count: how many
// iterations ptxas 13 writes out.
//
// It unrolls such a loop completely if the added code, weighed with the size of the loop, is small
// against what constants remove:
//
//   (iterations - 1) * cost^2 <= 6500 * saved
//
// cost counts an instruction once, memory accesses and barriers twice and atomics ten times. saved
// counts instructions that only depend on induction variables with constant start, and four times
// each access to shared memory whose address is known then, or, in a nested loop, any.
//
// Loops are kept as they are if they exchange values between lanes, fence memory, or divide such
// that ptxas calls a function.
//
// Otherwise, if the cost is at most 75, it unrolls by the largest divisor of the trip count with
// which the body costs at most 376.
//
// Measured with loops of one to 170 multiplications and up to 40 other instructions, two to 64
// iterations, for 8.6: complete unrolling agrees in 240 of the 242 that the constants were
// chosen from and 236 of 238 others.
#ifndef FRONTENDS_PTX_OPTIMISE_WHOLE_H
#define FRONTENDS_PTX_OPTIMISE_WHOLE_H

#include "frontends/ptx/optimise/counters.h"

// Iterations of the loop found last by counter_of; 0: their number is unknown or too large.
uint64_t whole_turns(const Graph *graph, const Counters *counters, const Counter *counter);
// How many of them are written out: all, a divisor, or one.
uint64_t whole_copies(const Graph *graph, const Counters *counters, const Counter *counter,
                      uint64_t turns);

#endif
