// SPDX-License-Identifier: MIT
// Compilation of PTX for a machine. Real GPUs run machine code of NVIDIA's assembler,
// ptxas; machines that reproduce GPGPU-Sim run PTX directly.
#ifndef ISA_COMPILER_H
#define ISA_COMPILER_H

#include "base/param.h"

// [compiler]
typedef struct CompilerConfig {
  bool optimise;  // whether there is an optimising pass
} CompilerConfig;

extern const Param compiler_params[];

#endif
