// SPDX-License-Identifier: MIT
// 64-bit registers whose upper half is never used: addresses within shared, local and constant
// memory, and the values that they are computed from.
#include "frontends/ptx/optimise/narrow.h"

#include <string.h>

#include "base/memory.h"

enum { MOST_ROUNDS = 32 };

typedef struct Finder {
  bool *needs_high;
  bool *is_small;  // by register: bits above 31 are always zero
  const Instruction *in;
  bool spares_high;  // the instruction does not use the upper half of its sources
  bool is_exact;     // addresses in constant memory use the upper half
  bool changed;
} Finder;

// For these operations the lower half of the result depends only on the lower halves
// of the sources.
bool instruction_is_low(const Instruction *in) {
  if (in->form.carry_out || in->form.sat || type_kind((DataType)in->form.type) == KIND_FLOAT)
    return in->exec == exec_mov_64;
  switch (in->form.op) {
    case OP_ADD:
    case OP_SUB:
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_NOT:
    case OP_NEG:
    case OP_SHL:
    case OP_SELP: return true;
    case OP_MOV: return in->exec == exec_mov_64;
    case OP_MUL:
    case OP_MAD: return in->form.width == WIDTH_LOW || in->form.width == WIDTH_WIDE;
    default: return false;
  }
}

static bool cuts(const Instruction *in) {
  TypeKind kind = type_kind((DataType)in->form.type), from = type_kind((DataType)in->form.type2);
  return in->form.op == OP_CVT && kind != KIND_FLOAT && from != KIND_FLOAT && !in->form.sat &&
         type_bits((DataType)in->form.type) <= 32 && in->dst_bytes <= 4;
}

bool access_is_near(const Instruction *in) {
  bool is_access = in->form.op == OP_LD || in->form.op == OP_ST || in->form.op == OP_ATOM ||
                   in->form.op == OP_RED;
  return is_access && (in->form.space == SPACE_SHARED || in->form.space == SPACE_LOCAL);
}

// ---- registers whose values fit in 32 bits

static bool writes_small(const Lowering *lowering, const Instruction *in) {
  uint64_t value;
  if (in->form.op == OP_AND)
    return type_bits((DataType)in->form.type) == 64 &&
           constant_value(lowering, in->src[1], 64, &value) && value <= UINT32_MAX;
  return in->form.op == OP_CVT && type_kind((DataType)in->form.type) == KIND_UNSIGNED &&
         type_kind((DataType)in->form.type2) == KIND_UNSIGNED &&
         type_bits((DataType)in->form.type2) <= 32;
}

typedef struct Smalls {
  bool *is_small, *is_written;
  bool writes_small;
} Smalls;

static void note_write(void *state, Place *place, PlaceUse use) {
  const Smalls *smalls = state;
  if (use == PLACE_READ) return;
  smalls->is_small[*place] =
      smalls->writes_small && (smalls->is_small[*place] || !smalls->is_written[*place]);
  smalls->is_written[*place] = true;
}

bool *smalls_find(const Lowering *lowering) {
  const Function *function = lowering->linked;
  Smalls smalls = {.is_small = memory_alloc(lowering->register_count + 1u),
                   .is_written = memory_alloc(lowering->register_count + 1u)};
  for (uint32_t i = 0; i < lowering->code_count; i++) {
    Instruction *in = &lowering->code[i];
    smalls.writes_small = in->guard == NO_PLACE && writes_small(lowering, in);
    instruction_each_place(in, function, note_write, &smalls);
  }
  for (uint32_t i = 0; i < function->param_count; i++)
    if (function->params[i].place >= 0) smalls.is_small[function->params[i].place] = false;
  memory_free(smalls.is_written);
  return smalls.is_small;
}

bool instruction_compares_smalls(const Lowering *lowering, const Instruction *in,
                                 const bool *is_small) {
  if (in->form.op != OP_SETP || type_kind((DataType)in->form.type) == KIND_FLOAT ||
      type_bits((DataType)in->form.type) != 64 || in->special[0])
    return false;
  for (int k = 0; k < 2; k++) {
    uint64_t value;
    Place place = in->src[k];
    if (place >= 0 ? !is_small[place]
                   : !constant_value(lowering, place, 64, &value) || value > UINT32_MAX)
      return false;
  }
  return true;
}

// ---- uses of the upper half

static void note_use(void *state, Place *place, PlaceUse use) {
  Finder *finder = state;
  const Instruction *in = finder->in;
  if (use != PLACE_READ || finder->needs_high[*place] || finder->spares_high) return;
  bool is_near = access_is_near(in) ||
                 (!finder->is_exact && in->form.op == OP_LD && in->form.space == SPACE_CONST);
  // The operands of a store after the address are the stored values.
  if (place == &in->src[0] && is_near && in->src[1] != *place) return;
  finder->needs_high[*place] = true;
  finder->changed = true;
}

void narrow_find(Narrow *narrow, const Lowering *lowering, bool is_exact) {
  narrow->needs_high = memory_alloc(lowering->register_count + 1u);
  Finder finder = {.needs_high = narrow->needs_high,
                   .is_small = smalls_find(lowering),
                   .changed = true,
                   .is_exact = is_exact};
  for (int round = 0; finder.changed && round < MOST_ROUNDS; round++) {
    finder.changed = false;
    for (uint32_t i = lowering->code_count; i-- > 0;) {
      Instruction *in = &lowering->code[i];
      finder.in = in;
      bool is_spared = in->dst[0] >= 0 && !finder.needs_high[in->dst[0]];
      finder.spares_high = cuts(in) || (instruction_is_low(in) && is_spared) ||
                           instruction_compares_smalls(lowering, in, finder.is_small);
      instruction_each_place(in, lowering->linked, note_use, &finder);
    }
  }
  memory_free(finder.is_small);
  for (uint32_t v = 0; finder.changed && v < lowering->register_count; v++)
    narrow->needs_high[v] = true;
}

void narrow_clear(Narrow *narrow) {
  memory_free(narrow->needs_high);
}
