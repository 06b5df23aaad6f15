// SPDX-License-Identifier: MIT
// The table of opcodes, and the search in it by name.
#include "isa/form.h"

#include <string.h>

const OpcodeInfo opcode_info[OPCODE_COUNT] = {
#define OPCODE(name, text, family, class, destinations, sources, modifiers) \
  {text, FAMILY_##family, CLASS_##class, destinations, sources, modifiers},
#include "isa/opcodes.def"
#undef OPCODE
};

// In the order of their names, for binary search. opcodes.def is in the order
// of meaning; an opcode that is added there is added here too.
static const uint8_t opcodes_by_name[] = {
    OP_ABS,           OP_ACTIVEMASK, OP_ADD,
    OP_ADDC,          OP_ALLOCA,     OP_AND,
    OP_APPLYPRIORITY, OP_ATOM,       OP_BAR,
    OP_BARRIER,       OP_BFE,        OP_BFI,
    OP_BFIND,         OP_BMSK,       OP_BRA,
    OP_BREV,          OP_BRKPT,      OP_BRX,
    OP_CALL,          OP_CLZ,        OP_CNOT,
    OP_COPYSIGN,      OP_COS,        OP_CP,
    OP_CREATEPOLICY,  OP_CVT,        OP_CVTA,
    OP_DISCARD,       OP_DIV,        OP_DP2A,
    OP_DP4A,          OP_ELECT,      OP_EX2,
    OP_EXIT,          OP_FENCE,      OP_FMA,
    OP_FNS,           OP_GETCTARANK, OP_GRIDDEPCONTROL,
    OP_ISSPACEP,      OP_LD,         OP_LDMATRIX,
    OP_LDU,           OP_LG2,        OP_LOP3,
    OP_MAD,           OP_MAD24,      OP_MADC,
    OP_MAPA,          OP_MATCH,      OP_MAX,
    OP_MBARRIER,      OP_MEMBAR,     OP_MIN,
    OP_MMA,           OP_MOV,        OP_MOVMATRIX,
    OP_MUL,           OP_MUL24,      OP_NANOSLEEP,
    OP_NEG,           OP_NOT,        OP_OR,
    OP_PMEVENT,       OP_POPC,       OP_PREFETCH,
    OP_PREFETCHU,     OP_PRMT,       OP_RCP,
    OP_RED,           OP_REDUX,      OP_REM,
    OP_RET,           OP_RSQRT,      OP_SAD,
    OP_SELP,          OP_SET,        OP_SETMAXNREG,
    OP_SETP,          OP_SHF,        OP_SHFL,
    OP_SHL,           OP_SHR,        OP_SIN,
    OP_SLCT,          OP_SQRT,       OP_ST,
    OP_STACKRESTORE,  OP_STACKSAVE,  OP_STMATRIX,
    OP_SUB,           OP_SUBC,       OP_SULD,
    OP_SUQ,           OP_SUST,       OP_SZEXT,
    OP_TANH,          OP_TENSORMAP,  OP_TESTP,
    OP_TEX,           OP_TLD4,       OP_TRAP,
    OP_TXQ,           OP_VABSDIFF,   OP_VABSDIFF2,
    OP_VABSDIFF4,     OP_VADD,       OP_VADD2,
    OP_VADD4,         OP_VAVRG2,     OP_VAVRG4,
    OP_VMAD,          OP_VMAX,       OP_VMAX2,
    OP_VMAX4,         OP_VMIN,       OP_VMIN2,
    OP_VMIN4,         OP_VOTE,       OP_VSET,
    OP_VSET2,         OP_VSET4,      OP_VSHL,
    OP_VSHR,          OP_VSUB,       OP_VSUB2,
    OP_VSUB4,         OP_WGMMA,      OP_WMMA,
    OP_XOR,
};
_Static_assert(sizeof opcodes_by_name == OPCODE_COUNT, "opcodes_by_name lacks an opcode");

static int name_compare(const char *name, size_t length, const char *other) {
  int order = strncmp(name, other, length);
  return order || !other[length] ? order : -1;
}

Opcode opcode_find(const char *name, size_t length) {
  size_t low = 0, high = OPCODE_COUNT;
  while (low < high) {
    size_t middle = (low + high) / 2;
    Opcode op = (Opcode)opcodes_by_name[middle];
    int order = name_compare(name, length, opcode_info[op].name);
    if (order == 0) return op;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return OPCODE_COUNT;
}
