// SPDX-License-Identifier: MIT
// A kernel of this machine from the instructions of a trace. sass_opcodes.def says what each SASS
// instruction costs.
#ifndef FRONTENDS_ACCELSIM_SASS_PROGRAM_H
#define FRONTENDS_ACCELSIM_SASS_PROGRAM_H

#include "frontends/accelsim/sass_code.h"
#include "frontends/accelsim/trace_header.h"
#include "isa/program.h"

// A mnemonic that sass_opcodes.def does not have, which costs what a move does.
typedef struct UnknownOpcode {
  const char *mnemonic;
  uint64_t count;
} UnknownOpcode;

typedef struct SassProgram {
  Program *program;  // one kernel
  uint32_t *places;  // by number: index into program->code
  UnknownOpcode *unknown;
  uint32_t unknown_count;
} SassProgram;

// All of it, but the program (program_destroy), lives as long as the code.
void sass_program_make(SassProgram *made, SassCode *code, const TraceHeader *header);

// Whether sass_opcodes.def has the mnemonic of an opcode.
bool sass_opcode_is_known(const char *opcode);

#endif
