// SPDX-License-Identifier: MIT
// Selectors of video instructions: which part of an operand is meant.
//
// A selector is 0 (the whole) or, in 16 bits: bit 15 set, bit 14 for halves
// (else bytes), and three bits a digit, the last written digit first. The d of
// an instruction on all elements has a mask of elements instead.
#ifndef EXEC_ARITHMETIC_VIDEO_H
#define EXEC_ARITHMETIC_VIDEO_H

#include "isa/instruction.h"

enum { SELECTOR_PRESENT = 1 << 15, SELECTOR_HALF = 1 << 14 };
enum { VIDEO_SELECTOR_D = 0, VIDEO_SELECTOR_A = 16, VIDEO_SELECTOR_B = 32 };

static inline uint32_t selector_digit(uint32_t selector, int i) {
  return selector >> 3 * i & 7;
}

static inline int selector_bits(uint32_t selector) {
  return selector & SELECTOR_HALF ? 16 : 8;
}

// A selector, encoded in an instruction's offset.
static inline uint32_t video_selector(const Instruction *in, int which) {
  return (uint32_t)(in->offset >> which & 0xffff);
}

static inline bool video_is_set(Opcode op) {
  return op == OP_VSET || op == OP_VSET2 || op == OP_VSET4;
}

// Bits per element: 32 for scalar instructions.
static inline int video_element_bits(Opcode op) {
  switch (op) {
    case OP_VADD2:
    case OP_VSUB2:
    case OP_VAVRG2:
    case OP_VABSDIFF2:
    case OP_VMIN2:
    case OP_VMAX2:
    case OP_VSET2: return 16;
    case OP_VADD4:
    case OP_VSUB4:
    case OP_VAVRG4:
    case OP_VABSDIFF4:
    case OP_VMIN4:
    case OP_VMAX4:
    case OP_VSET4: return 8;
    default: return 32;
  }
}

#endif
