// SPDX-License-Identifier: MIT
// Which registers hold words of constant memory that hardware reads as operands of arithmetic
// instructions (c[bank][offset]), without a register.
#include "frontends/ptx/lower/liveness.h"

typedef struct Finder {
  bool *is_operand;
  const Instruction *in;
} Finder;

static bool loads_constants(const Instruction *in) {
  return in->form.op == OP_LD && in->form.space == SPACE_CONST && in->src[0] == NO_PLACE &&
         in->guard == NO_PLACE && !in->list && type_bits((DataType)in->form.type) == 32;
}

static void note_written(void *state, Place *place, PlaceUse use) {
  Finder *finder = state;
  if (use == PLACE_WRITTEN && loads_constants(finder->in)) finder->is_operand[*place] = true;
}

static bool takes_constants(const Instruction *in) {
  int family = (int)opcode_info[in->form.op].family;
  return (family == FAMILY_ARITHMETIC || family == FAMILY_COMPARE) &&
         type_bits((DataType)in->form.type) == 32;
}

static void drop(void *state, Place *place, PlaceUse use) {
  Finder *finder = state;
  bool is_fine = use == PLACE_READ ? takes_constants(finder->in) : loads_constants(finder->in);
  if (!is_fine) finder->is_operand[*place] = false;
}

static void visit(Finder *finder, const Lowering *lowering, PlaceFn function) {
  for (uint32_t i = 0; i < lowering->code_count; i++) {
    finder->in = &lowering->code[i];
    instruction_each_place(&lowering->code[i], lowering->linked, function, finder);
  }
}

void constant_operands_find(const Lowering *lowering, bool *is_operand) {
  Finder finder = {.is_operand = is_operand};
  visit(&finder, lowering, note_written);
  visit(&finder, lowering, drop);
}
