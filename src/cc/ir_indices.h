// SPDX-License-Identifier: MIT
// Indices of arrays in short loops, in LLVM's intermediate code. Private to cc/.
//
// A product of `int` with a sum that contains the variable of a loop:
//
//   for (int i = 0; i < 30; i++) sum += p[(30 * slice + i) * 6144 + lane];
//
// Once the loop is unrolled, LLVM multiplies out, after which it no longer knows that nothing
// overflows: each i has an index of its own, extended to 64 bits. nvcc has one address and
// constant offsets. So here, where C++ still says that nothing overflows (nsw), such an index is
// computed in 64 bits from where the loop's variable enters it; what is added to it is extended.
// Only in loops with a known number of iterations that may be unrolled completely: elsewhere 64
// bits cost more. Sums that may wrap around (unsigned, -fwrapv) have no such mark and stay.
#ifndef CC_IR_INDICES_H
#define CC_IR_INDICES_H

#include <stdio.h>

// Writes the text with such indices computed in 64 bits.
void ir_indices_print(const char *text, FILE *file);

#endif
