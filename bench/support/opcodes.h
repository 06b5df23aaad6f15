// SPDX-License-Identifier: MIT
// Instructions by what they are for, of the pass and of SASS, so that the two can
// be compared.
#ifndef SUPPORT_OPCODES_H
#define SUPPORT_OPCODES_H

#include "isa/program.h"
#include "support/assembler.h"

typedef enum OpcodeGroup {
  GROUP_FLOAT,
  GROUP_INTEGER,  // with shifts, logic and moves: SASS moves with IMAD as well
  GROUP_COMPARE,  // and select
  GROUP_CONVERT,
  GROUP_GLOBAL,
  GROUP_SHARED,
  GROUP_CONSTANT,
  GROUP_TEXTURE,
  GROUP_BRANCH,  // with exits, divergence and reconvergence
  GROUP_OTHER,
  GROUP_COUNT
} OpcodeGroup;

extern const char *const opcode_group_names[GROUP_COUNT];

void opcodes_of_function(const Program *program, const Function *function,
                         uint32_t counts[GROUP_COUNT]);
void opcodes_of_sass(const AssembledKernel *kernel, uint32_t counts[GROUP_COUNT]);

#endif
