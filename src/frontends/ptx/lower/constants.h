// SPDX-License-Identifier: MIT
// Constant pool of a program: each distinct immediate once, 32 lanes wide.
#ifndef FRONTENDS_PTX_LOWER_CONSTANTS_H
#define FRONTENDS_PTX_LOWER_CONSTANTS_H

#include "isa/program.h"

typedef struct ConstantEntry ConstantEntry;

typedef struct Constants {
  uint8_t *bytes;
  uint32_t used, capacity;
  ConstantEntry *by_value;
} Constants;

// Returns the place of a value, replicated in 32 lanes of 4 or 8 bytes.
Place constant_place(Constants *constants, uint64_t bits, int lane_bytes);
// Returns the place of a predicate with the same value in all lanes.
Place constant_predicate(Constants *constants, bool value);
// Moves the pool into the program and leaves constants empty.
void constants_finish(Constants *constants, Program *program);
void constants_clear(Constants *constants);

#endif
