// SPDX-License-Identifier: MIT
// Static variables of a module in LLVM's intermediate code. Private to cc/.
//
// The host may write a static __constant__ or __device__ variable of a module that it loads
// (cuModuleGetGlobal). clang knows of no such host: where no kernel writes the variable, its
// initial value takes its place, and it disappears or keeps only the elements in use. nvcc keeps
// it.
#ifndef CC_IR_STATICS_H
#define CC_IR_STATICS_H

#include <stdio.h>

// Writes the text with static variables visible and initialised elsewhere. Constants stay.
void ir_statics_print(const char *text, FILE *file);

#endif
