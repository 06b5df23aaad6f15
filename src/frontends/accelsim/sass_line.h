// SPDX-License-Identifier: MIT
// One instruction of a warp in a trace: the grammar of tracer versions 2 to 6.
#ifndef FRONTENDS_ACCELSIM_SASS_LINE_H
#define FRONTENDS_ACCELSIM_SASS_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/instruction.h"

enum { MAX_SASS_DESTINATIONS = 4, MAX_SASS_SOURCES = 8, MAX_SASS_OPCODE_BYTES = 64 };

// Registers as numbers: R0 to R254, uniform ones, predicates, uniform predicates, and one number
// for those that are constant (RZ, URZ, PT, UPT).
enum {
  SASS_UNIFORM = 256,
  SASS_PREDICATE = SASS_UNIFORM + 64,
  SASS_UNIFORM_PREDICATE = SASS_PREDICATE + 8,
  SASS_REGISTERS = SASS_UNIFORM_PREDICATE + 8,
  SASS_CONSTANT = SASS_REGISTERS
};

typedef struct SassLine {
  uint32_t pc;           // bytes from the function's beginning
  uint32_t mask;         // lanes that executed it; 0: none did
  uint32_t source_line;  // 0: unknown
  char opcode[MAX_SASS_OPCODE_BYTES];
  uint8_t destination_count, source_count;
  uint16_t destinations[MAX_SASS_DESTINATIONS], sources[MAX_SASS_SOURCES];
  bool is_memory;                // it has addresses
  uint8_t bytes;                 // per lane, by the opcode
  uint64_t address[WARP_LANES];  // of the lanes in mask
  uint64_t bulk_bytes;  // of a copy by the tensor memory accelerator, from address[0] on; 0: none
} SassLine;

// Returns NULL, or what is wrong with the line. version: of the tracer. has_line: a source line
// comes first.
const char *sass_line_parse(SassLine *out, const char *text, uint32_t version, bool has_line);

// Bytes per lane that an opcode such as LDG.E.128.SYS accesses: its width, or 4. The tracer prints
// 4 for .S8 and .S16 too; here they have their own.
uint8_t sass_opcode_bytes(const char *opcode);

#endif
