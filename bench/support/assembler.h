// SPDX-License-Identifier: MIT
// What NVIDIA's assembler makes of a PTX file, where it is installed.
#ifndef SUPPORT_ASSEMBLER_H
#define SUPPORT_ASSEMBLER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef struct AssembledKernel {
  char name[256];
  uint32_t registers;
  uint32_t instructions;  // of SASS, up to the last EXIT
  uint32_t opcodes[512];  // how many there are of each, by the low nine bits
} AssembledKernel;

typedef struct Assembled {
  AssembledKernel *kernels;
  uint32_t count, capacity;
} Assembled;

// "ptxas" or its path; NULL: not installed.
const char *assembler_find(void);
// Assembles a file for a compute capability; 75 is the oldest of the current assembler.
Status assembler_run(Assembled *assembled, const char *path, uint32_t architecture, Error *err);
void assembled_clear(Assembled *assembled);

#endif
