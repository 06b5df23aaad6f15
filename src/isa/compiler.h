// SPDX-License-Identifier: MIT
// What stands between PTX and the machine. Real GPUs run what NVIDIA's assembler
// makes of PTX; the machines that reproduce GPGPU-Sim run PTX as it is written.
#ifndef ISA_COMPILER_H
#define ISA_COMPILER_H

#include "base/param.h"

// [compiler]
typedef struct CompilerConfig {
  bool optimise;  // whether there is an optimising pass
} CompilerConfig;

extern const Param compiler_params[];

#endif
