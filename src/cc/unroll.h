// SPDX-License-Identifier: MIT
// Unrolls loops over arrays in local memory, as nvcc does. Private to cc/.
//
// An array of a thread becomes registers only if all of its indices are constants, that is
// if the loops over it are unrolled completely. nvcc unrolls such loops up to ten times the
// size of others (measured: cost 3000 in LLVM's unit, 400 otherwise). LLVM's back end for
// PTX makes no difference. So functions that use local memory are compiled again with
// higher limits, and each is taken from the lowest that leaves it the least local memory:
// functions without local memory are compiled once, and loops without arrays are
// unrolled no further than necessary.
#ifndef CC_UNROLL_H
#define CC_UNROLL_H

#include "cc/build_job.h"

// ptx: of the input, compiled from the intermediate code; replaced where there is something
// to gain.
Status unroll_arrays(Build *build, const CcInput *input, const char *intermediate, const char *ptx,
                     Error *err);

#endif
