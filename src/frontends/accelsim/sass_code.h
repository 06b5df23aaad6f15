// SPDX-License-Identifier: MIT
// The instructions that occur in a trace, each once: numbered in the order of their first
// occurrence while the trace is read, then made a program in the order of their addresses.
//
// Offsets are relative to a function, and a trace does not say which: two instructions with the
// same offset and different text are two instructions.
#ifndef FRONTENDS_ACCELSIM_SASS_CODE_H
#define FRONTENDS_ACCELSIM_SASS_CODE_H

#include "base/arena.h"
#include "frontends/accelsim/sass_line.h"

typedef struct SassInstruction {
  uint32_t pc, source_line;
  const char *opcode;
  uint8_t destination_count, source_count;
  uint16_t destinations[MAX_SASS_DESTINATIONS], sources[MAX_SASS_SOURCES];
  uint64_t count;  // of times that it occurs
} SassInstruction;

// Zeroed, it is empty.
typedef struct SassCode {
  SassInstruction *items;
  uint32_t count, capacity;
  uint32_t *table;  // hash table of numbers plus one
  uint32_t table_size;
  Arena arena;
} SassCode;

// The number of the line's instruction.
uint32_t sass_code_add(SassCode *code, const SassLine *line);
void sass_code_clear(SassCode *code);

#endif
