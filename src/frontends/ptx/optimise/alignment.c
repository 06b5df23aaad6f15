// SPDX-License-Identifier: MIT
// Optimistic fixed point: starts from maximum alignment and lowers it at every
// writer until nothing changes. The induction variable of a loop with step 64
// thereby keeps its alignment. Registers are zero before the first write.
#include "frontends/ptx/optimise/alignment.h"

#include "base/memory.h"

enum { MOST_ZEROS = 8, MOST_ROUNDS = 64 };

typedef struct Finder {
  const Lowering *lowering;
  uint8_t *zeros;
  const Instruction *in;
  uint32_t found;  // alignment of the instruction's result
  bool changed;
} Finder;

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

static uint32_t zeros_of_number(uint64_t value) {
  return value ? least((uint32_t)__builtin_ctzll(value), MOST_ZEROS) : MOST_ZEROS;
}

static uint32_t zeros_of(const Finder *finder, Place place) {
  uint64_t value;
  if (place == NO_PLACE) return 0;
  if (place >= 0) return finder->zeros[place];
  // The lower half suffices: alignments above 2^8 are not distinguished.
  constant_value(finder->lowering, place, 32, &value);
  return zeros_of_number(value);
}

// Alignment of a base address that is known only at run time.
static uint32_t zeros_of_base(const Lowering *lowering, uint8_t base) {
  const Function *function = lowering->linked;
  if (base == BASE_ABSOLUTE) return MOST_ZEROS;
  if (!function->is_kernel) return 0;
  return base == BASE_DYNAMIC_SHARED ? zeros_of_number(function->static_shared_bytes) : MOST_ZEROS;
}

static uint32_t zeros_of_arithmetic(const Finder *finder, const Instruction *in) {
  uint32_t a = zeros_of(finder, in->src[0]), b = zeros_of(finder, in->src[1]);
  uint64_t shift = 0;
  bool is_known = constant_value(finder->lowering, in->src[1], 32, &shift);
  bool is_high = in->form.width == WIDTH_HIGH;
  switch (in->form.op) {
    case OP_ADD:
    case OP_SUB:
    case OP_OR:
    case OP_XOR:
    case OP_MIN:
    case OP_MAX: return in->src[2] == NO_PLACE ? least(a, b) : 0;
    case OP_AND: return a > b ? a : b;
    case OP_MUL: return is_high ? 0 : a + b;
    case OP_MAD: return is_high ? 0 : least(a + b, zeros_of(finder, in->src[2]));
    case OP_SHL: return is_known ? a + (uint32_t)least((uint32_t)shift, MOST_ZEROS) : a;
    case OP_SHR: return is_known && shift < a ? a - (uint32_t)shift : 0;
    default: return 0;
  }
}

static uint32_t zeros_of_result(const Finder *finder, const Instruction *in) {
  TypeKind kind = type_kind((DataType)in->form.type), from = type_kind((DataType)in->form.type2);
  if (kind == KIND_FLOAT || from == KIND_FLOAT || in->form.sat || in->special[0]) return 0;
  if (in->form.carry_out) return 0;
  if (in->exec == exec_mov_address)
    return least(zeros_of_base(finder->lowering, in->address_base),
                 zeros_of_number((uint64_t)in->offset));
  if (in->exec == exec_mov_32 || in->exec == exec_mov_64)
    return in->form.op == OP_MOV || in->form.op == OP_CVTA ? zeros_of(finder, in->src[0]) : 0;
  switch (opcode_info[in->form.op].family) {
    case FAMILY_ARITHMETIC: return zeros_of_arithmetic(finder, in);
    case FAMILY_CONVERT: return in->form.op == OP_CVT ? zeros_of(finder, in->src[0]) : 0;
    case FAMILY_COMPARE:
      return in->form.op == OP_SELP
                 ? least(zeros_of(finder, in->src[0]), zeros_of(finder, in->src[1]))
                 : 0;
    default: return 0;
  }
}

static void note_result(void *state, Place *place, PlaceUse use) {
  Finder *finder = state;
  if (use == PLACE_READ || finder->zeros[*place] <= finder->found) return;
  finder->zeros[*place] = (uint8_t)finder->found;
  finder->changed = true;
}

void alignments_find(Alignments *alignments, const Lowering *lowering) {
  alignments->zeros = memory_alloc(lowering->register_count + 1u);
  Finder finder = {.lowering = lowering, .zeros = alignments->zeros, .changed = true};
  for (uint32_t v = 0; v < lowering->register_count; v++) finder.zeros[v] = MOST_ZEROS;
  for (uint32_t i = 0; i < lowering->linked->param_count; i++)
    if (lowering->linked->params[i].place >= 0) finder.zeros[lowering->linked->params[i].place] = 0;
  int round = 0;
  for (; finder.changed && round < MOST_ROUNDS; round++) {
    finder.changed = false;
    for (uint32_t i = 0; i < lowering->code_count; i++) {
      Instruction *in = &lowering->code[i];
      if (instruction_is_removed(in)) continue;
      finder.found = least(zeros_of_result(&finder, in), MOST_ZEROS);
      instruction_each_place(in, lowering->linked, note_result, &finder);
    }
  }
  for (uint32_t v = 0; finder.changed && v < lowering->register_count; v++) finder.zeros[v] = 0;
}

void alignments_clear(Alignments *alignments) {
  memory_free(alignments->zeros);
}

uint32_t address_zeros(const Alignments *alignments, const Lowering *lowering,
                       const Instruction *in) {
  Finder finder = {.lowering = lowering, .zeros = alignments->zeros};
  uint32_t base = in->src[0] == NO_PLACE ? MOST_ZEROS : zeros_of(&finder, in->src[0]);
  return least(base, zeros_of_base(lowering, in->address_base));
}
