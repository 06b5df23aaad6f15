// SPDX-License-Identifier: MIT
// Copies of 16 bytes between elements of arrays in LLVM's intermediate code. Private to cc/.
//
// to[i] = from[i] of float4, int4 and the like is a call of memcpy, which LLVM 14 expands to two
// loads and two stores of 8 bytes in turn: half of the transactions of a warp are of half a line.
// nvcc has one load and one store of 16. Here such a call becomes a load and a store of a vector.
// Copies from and to local variables stay: LLVM takes them apart, into members in registers.
#ifndef CC_IR_COPIES_H
#define CC_IR_COPIES_H

#include <stdio.h>

void ir_copies_print(const char *text, FILE *file);

#endif
