// SPDX-License-Identifier: MIT
// Tensor-core instructions. Operands are vectors of registers whose length
// follows from the shape and the types.
#include "frontends/ptx/lower/lower.h"
#include "exec/matrix/group.h"
#include "exec/matrix/matrix.h"

// Registers of one operand; braces are optional around a single one.
static Status lower_registers(Lowering *lowering, const PtxOperand *operand, uint32_t count,
                              DataType type, bool is_destination, Instruction *out, Place *places,
                              Error *err) {
  bool is_vector = operand->kind == OPERAND_VECTOR;
  const PtxOperand *elements = is_vector ? operand->elements : operand;
  if ((is_vector ? operand->element_count : 1) != count)
    return lower_error(lowering, operand->position, err, ERR_SYNTAX, "expected %u registers",
                       count);
  for (uint32_t k = 0; k < count; k++) {
    if (is_destination)
      TRY(lower_destination(lowering, &elements[k], type, WIDTH_EXACT, &places[k], err));
    else
      TRY(lower_source(lowering, &elements[k], type, WIDTH_EXACT, out, &places[k], err));
  }
  return OK;
}

static DataType register_type(const Fragment *fragment) {
  return type_bits(fragment->type) == 64 ? TYPE_B64 : TYPE_B32;
}

static Status unknown_form(const Lowering *lowering, Error *err) {
  return lower_error(lowering, lowering->in->position, err, ERR_UNSUPPORTED,
                     "invalid or unsupported combination of shape, layout and types");
}

// Of sparse products two operands more: the register with the indices, and which lanes' registers
// count. `form` is the mma.sp whose indices they are.
static Status lower_metadata(Lowering *lowering, const Form *form, uint32_t first, int64_t factor,
                             Instruction *out, Place *place, Error *err) {
  const PtxOperand *meta = &lowering->in->operands[first], *selector = meta + 1;
  uint32_t selectors = metadata_selectors(form);
  TRY(lower_source(lowering, meta, TYPE_B32, WIDTH_EXACT, out, place, err));
  if (selector->kind != OPERAND_INTEGER || selector->bits >= selectors)
    return lower_error(lowering, selector->position, err, ERR_SYNTAX,
                       "expected a sparsity selector from 0 to %u", selectors - 1);
  out->offset = (int64_t)selector->bits * factor;
  return OK;
}

// d, a, b, c {, metadata, selector}
static Status lower_product(Lowering *lowering, Instruction *out, Error *err) {
  static const MatrixPart parts[] = {PART_D, PART_A, PART_B, PART_C};
  const PtxInstruction *in = lowering->in;
  Fragment fragments[4];
  for (int i = 0; i < 4; i++)
    if (!fragment_of(&out->form, parts[i], &fragments[i])) return unknown_form(lowering, err);
  bool is_sparse = form_is_sparse(&out->form);
  TRY(lower_want_operands(lowering, is_sparse ? 6 : 4, is_sparse ? 6 : 4, err));
  uint32_t sources = fragments[1].registers + fragments[2].registers + fragments[3].registers;
  PlaceList *list = lower_new_list(lowering, fragments[0].registers, sources + is_sparse);
  Place *places = list->dst;
  for (int i = 0; i < 4; i++) {
    TRY(lower_registers(lowering, &in->operands[i], fragments[i].registers,
                        register_type(&fragments[i]), i == 0, out, places, err));
    places += fragments[i].registers;
  }
  out->list = list;
  return is_sparse ? lower_metadata(lowering, &out->form, 4, 1, out, places, err) : OK;
}

// wmma.load r, [p] {, stride}; wmma.store [p], r {, stride}; ldmatrix r, [p]; stmatrix [p], r
static Status lower_transfer(Lowering *lowering, uint32_t count, DataType type, bool is_load,
                             Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  PlaceList *list = lower_new_list(lowering, is_load ? count : 0, is_load ? 0 : count);
  TRY(lower_address(lowering, &in->operands[is_load ? 1 : 0], 0, out, err));
  TRY(lower_registers(lowering, &in->operands[is_load ? 0 : 1], count, type, is_load, out,
                      list->dst, err));
  out->list = list;
  if (in->operand_count < 3) return OK;
  return lower_source(lowering, &in->operands[2], TYPE_B32, WIDTH_EXACT, out, &out->src[1], err);
}

// ---- wgmma

// Immediates that follow the predicate: scales, 1 or -1, then transpositions, 0 or 1.
static Status lower_group_flags(Lowering *lowering, uint32_t next, Instruction *out,
                                bool a_in_registers, Error *err) {
  const PtxInstruction *in = lowering->in;
  GroupFlag flags[4];
  uint32_t count = 0;
  if (group_has_scales(&out->form))
    flags[count++] = GROUP_NEGATE_A, flags[count++] = GROUP_NEGATE_B;
  if (group_has_transposes(&out->form) && !a_in_registers) flags[count++] = GROUP_TRANSPOSE_A;
  if (group_has_transposes(&out->form)) flags[count++] = GROUP_TRANSPOSE_B;
  TRY(lower_want_operands(lowering, next + count, next + count, err));
  for (uint32_t i = 0; i < count; i++, next++) {
    const PtxOperand *operand = &in->operands[next];
    bool is_scale = flags[i] == GROUP_NEGATE_A || flags[i] == GROUP_NEGATE_B;
    int64_t value = (int64_t)operand->bits;
    bool is_known = operand->kind == OPERAND_INTEGER &&
                    (is_scale ? value == 1 || value == -1 : value == 0 || value == 1);
    if (!is_known)
      return lower_error(lowering, operand->position, err, ERR_SYNTAX, "expected %s",
                         is_scale ? "1 or -1" : "0 or 1");
    if (is_scale ? value == -1 : value == 1) out->offset |= flags[i];
  }
  return OK;
}

// d, a, b, {indices, selector,} scale-d, ...: a is a descriptor or four registers.
static Status lower_group(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  if (out->form.mode == MODE_WAIT) return lower_group_count(lowering, out, err);
  if (out->form.mode != MODE_MMA_ASYNC) return lower_want_operands(lowering, 0, 0, err);
  if (!group_exists(&out->form)) return unknown_form(lowering, err);
  bool is_sparse = group_is_sparse(&out->form);
  uint32_t scale = is_sparse ? 5 : 3;
  TRY(lower_want_operands(lowering, scale + 1, scale + 5, err));
  GroupShape shape = group_shape(&out->form);
  uint32_t sums = group_sum_registers(&shape, (DataType)out->form.type);
  bool a_in_registers = in->operands[1].kind == OPERAND_VECTOR;
  uint32_t first = a_in_registers ? 4 : 0;
  if (!a_in_registers) out->form.option |= OPTION_A_SHARED;
  PlaceList *list = lower_new_list(lowering, sums, first + sums);
  TRY(lower_registers(lowering, &in->operands[0], sums, TYPE_B32, true, out, list->dst, err));
  if (a_in_registers)
    TRY(lower_registers(lowering, &in->operands[1], 4, TYPE_B32, false, out, list->src, err));
  else
    TRY(lower_source(lowering, &in->operands[1], TYPE_B64, WIDTH_EXACT, out, &out->src[0], err));
  TRY(lower_registers(lowering, &in->operands[0], sums, TYPE_B32, false, out, list->src + first,
                      err));
  TRY(lower_source(lowering, &in->operands[2], TYPE_B64, WIDTH_EXACT, out, &out->src[1], err));
  if (is_sparse) {
    Form metadata = group_metadata_form(&out->form);
    TRY(lower_metadata(lowering, &metadata, 3, GROUP_SELECTOR, out, &out->src[3], err));
  }
  TRY(lower_predicate(lowering, &in->operands[scale], 2, out, err));
  out->list = list;
  return lower_group_flags(lowering, scale + 1, out, a_in_registers, err);
}

Status lower_matrix(Lowering *lowering, Instruction *out, Error *err) {
  Fragment fragment;
  switch (out->form.op) {
    case OP_WGMMA: return lower_group(lowering, out, err);
    case OP_MMA: return lower_product(lowering, out, err);
    case OP_LDMATRIX:
    case OP_STMATRIX:
      TRY(lower_want_operands(lowering, 2, 2, err));
      return lower_transfer(lowering, out->form.vector, TYPE_B32, out->form.op == OP_LDMATRIX, out,
                            err);
    case OP_MOVMATRIX: return lower_table(lowering, out, err);
    default: break;
  }
  if (out->form.mode == MODE_MMA) return lower_product(lowering, out, err);
  if (!fragment_of(&out->form, (MatrixPart)out->form.part, &fragment))
    return unknown_form(lowering, err);
  TRY(lower_want_operands(lowering, 2, 3, err));
  return lower_transfer(lowering, fragment.registers, register_type(&fragment),
                        out->form.mode == MODE_LOAD, out, err);
}
