// SPDX-License-Identifier: MIT
// Lowers setp and set: comparison, boolean combination, both results.
#include "frontends/ptx/lower/lower.h"

// Operands after the destinations: a, b and, with .and .or .xor, a predicate.
static Status lower_comparands(Lowering *lowering, uint32_t first, DataType type, Instruction *out,
                               Error *err) {
  const PtxInstruction *in = lowering->in;
  uint32_t wanted = first + (out->form.operation == OPERATION_NONE ? 2 : 3);
  TRY(lower_want_operands(lowering, wanted, wanted, err));
  for (uint32_t k = 0; k < 2; k++)
    TRY(lower_source(lowering, &in->operands[first + k], type, WIDTH_EXACT, out, &out->src[k],
                     err));
  if (out->form.operation == OPERATION_NONE) return OK;
  return lower_predicate(lowering, &in->operands[first + 2], 2, out, err);
}

static Status lower_setp(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  uint32_t destinations = in->has_pair ? 2 : 1;
  TRY(lower_want_operands(lowering, destinations + 2, destinations + 3, err));
  for (uint32_t k = 0; k < destinations; k++)
    TRY(lower_destination(lowering, &in->operands[k], TYPE_PRED, WIDTH_EXACT, &out->dst[k], err));
  return lower_comparands(lowering, destinations, out->form.type, out, err);
}

static Status lower_set(Lowering *lowering, Instruction *out, Error *err) {
  TRY(lower_want_operands(lowering, 3, 4, err));
  TRY(lower_destination(lowering, &lowering->in->operands[0], out->form.type, WIDTH_EXACT,
                        &out->dst[0], err));
  return lower_comparands(lowering, 1, out->form.type2, out, err);
}

Status lower_compare(Lowering *lowering, Instruction *out, Error *err) {
  switch (out->form.op) {
    case OP_SETP: return lower_setp(lowering, out, err);
    case OP_SET: return lower_set(lowering, out, err);
    default: return lower_table(lowering, out, err);
  }
}
