// SPDX-License-Identifier: MIT
// Undefined arguments in LLVM's intermediate code. Private to cc/.
//
// Warps pass values on from one lane, of which the other lanes have none:
//
//   int start;
//   if (lane == 0) start = atomicAdd(counter, 32);
//   start = __shfl_sync(~0u, start, 0);
//
// clang marks arguments of C++ as defined (noundef), and LLVM concludes that no other lane gets
// to the call: it removes the condition. nvcc does not. So the marks are removed, except from
// parameters of kernels, which the host has defined, and from functions without parameters, which
// read threadIdx and the like: without these marks conditions become longer.
#ifndef CC_IR_UNDEFINED_H
#define CC_IR_UNDEFINED_H

#include <stdio.h>

// Writes the text without the marks.
void ir_undefined_print(const char *text, FILE *file);

#endif
