// SPDX-License-Identifier: MIT
// The pool of a program's constants: each immediate once, 32 lanes wide.
#ifndef FRONTENDS_PTX_LOWER_CONSTANTS_H
#define FRONTENDS_PTX_LOWER_CONSTANTS_H

#include "isa/program.h"

typedef struct ConstantEntry ConstantEntry;

typedef struct Constants {
  uint8_t *bytes;
  uint32_t used, capacity;
  ConstantEntry *by_value;
} Constants;

// The place of a value in 32 lanes of 4 or 8 bytes.
Place constant_place(Constants *constants, uint64_t bits, int lane_bytes);
// The place of a predicate that is the same in all lanes.
Place constant_predicate(Constants *constants, bool value);
// Moves the pool into the program; constants is then empty.
void constants_finish(Constants *constants, Program *program);
void constants_clear(Constants *constants);

#endif
