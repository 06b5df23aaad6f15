// SPDX-License-Identifier: MIT
// Counts instructions by purpose, of the optimising pass and of SASS, so that the two can be
// compared.
#include "support/opcodes.h"

#include <string.h>

const char *const opcode_group_names[GROUP_COUNT] = {"float",  "integer", "compare",  "convert",
                                                     "global", "shared",  "constant", "texture",
                                                     "branch", "other"};

static OpcodeGroup group_of_memory(const Form *form) {
  switch (form->space) {
    case SPACE_SHARED: return GROUP_SHARED;
    case SPACE_CONST:
    case SPACE_PARAM: return GROUP_CONSTANT;
    default: return GROUP_GLOBAL;
  }
}

static OpcodeGroup group_of(const Instruction *in) {
  const Form *form = &in->form;
  if (strcmp(in->text, "meet") == 0) return GROUP_BRANCH;
  switch (opcode_info[form->op].family) {
    case FAMILY_ARITHMETIC:
      return type_kind((DataType)form->type) == KIND_FLOAT ? GROUP_FLOAT : GROUP_INTEGER;
    case FAMILY_MOVE: return GROUP_INTEGER;
    case FAMILY_COMPARE: return GROUP_COMPARE;
    case FAMILY_CONVERT: return GROUP_CONVERT;
    case FAMILY_MEMORY:
    case FAMILY_ATOMIC: return group_of_memory(form);
    case FAMILY_TEXTURE: return GROUP_TEXTURE;
    case FAMILY_CONTROL: return GROUP_BRANCH;
    default: return GROUP_OTHER;
  }
}

void opcodes_of_function(const Program *program, const Function *function,
                         uint32_t counts[GROUP_COUNT]) {
  memset(counts, 0, sizeof(uint32_t) * GROUP_COUNT);
  for (uint32_t i = 0; i < function->code_count; i++)
    counts[group_of(&program->code[function->entry + i])]++;
}

// The low nine bits of an instruction of Volta and Turing.
static OpcodeGroup group_of_sass(uint32_t opcode) {
  switch (opcode) {
    case 0x09: case 0x20: case 0x21: case 0x23: case 0x28: case 0x29: case 0x2b: case 0x102:
    case 0x108: return GROUP_FLOAT;
    case 0x02: case 0x05: case 0x10: case 0x11: case 0x12: case 0x13: case 0x16: case 0x17:
    case 0x19: case 0x24: case 0x25: case 0x27: case 0x82: case 0x90: case 0x91: case 0x92:
    case 0x99: case 0xa4: case 0xa5: case 0xb9: case 0x109: case 0x119: case 0x1c3:
      return GROUP_INTEGER;
    case 0x07: case 0x08: case 0x0b: case 0x0c: case 0x1c: case 0x2a: case 0x87: case 0x8c:
      return GROUP_COMPARE;
    case 0x104: case 0x105: case 0x106: case 0x107: case 0x110: case 0x111: case 0x112: case 0x113:
      return GROUP_CONVERT;
    case 0x180: case 0x181: case 0x183: case 0x185: case 0x186: case 0x187: case 0x18e: case 0x1a8:
      return GROUP_GLOBAL;
    case 0x184: case 0x188: case 0x18c: return GROUP_SHARED;
    case 0x182: return GROUP_CONSTANT;
    case 0x160: case 0x166: return GROUP_TEXTURE;
    case 0x141: case 0x142: case 0x143: case 0x144: case 0x145: case 0x146: case 0x147: case 0x148:
    case 0x14d: case 0x150: case 0x155: return GROUP_BRANCH;
    default: return GROUP_OTHER;
  }
}

void opcodes_of_sass(const AssembledKernel *kernel, uint32_t counts[GROUP_COUNT]) {
  memset(counts, 0, sizeof(uint32_t) * GROUP_COUNT);
  for (uint32_t k = 0; k < 512; k++) counts[group_of_sass(k)] += kernel->opcodes[k];
}
