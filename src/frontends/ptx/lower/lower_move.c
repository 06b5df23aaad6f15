// SPDX-License-Identifier: MIT
// All forms of mov, cvt, cvta and isspacep.
#include "frontends/ptx/lower/lower.h"

static ExecFn mov_of(DataType type) {
  if (type == TYPE_PRED) return exec_mov_predicate;
  return type_bits(type) == 64 ? exec_mov_64 : exec_mov_32;
}

// Type of an element if a value is split into count parts.
static DataType part_type(DataType whole, uint32_t count) {
  int bits = count ? type_bits(whole) / (int)count : 0;
  switch (bits) {
    case 8: return TYPE_B8;
    case 16: return TYPE_B16;
    case 32: return TYPE_B32;
    default: return TYPE_NONE;
  }
}

static Status lower_pack(Lowering *lowering, Instruction *out, Error *err) {
  const PtxOperand *vector = &lowering->in->operands[1];
  DataType part = part_type(out->form.type, vector->element_count);
  if (part == TYPE_NONE)
    return lower_error(lowering, vector->position, err, ERR_UNSUPPORTED,
                       "cannot pack %u parts into a .%s", vector->element_count,
                       type_name(out->form.type));
  out->form.vector = (uint8_t)vector->element_count;
  out->exec = exec_mov_pack;
  TRY(lower_destination(lowering, &lowering->in->operands[0], out->form.type, WIDTH_EXACT,
                        &out->dst[0], err));
  for (uint32_t k = 0; k < vector->element_count; k++)
    TRY(lower_source(lowering, &vector->elements[k], part,
                     part == TYPE_B8 ? WIDTH_AT_LEAST : WIDTH_EXACT, out, &out->src[k], err));
  return OK;
}

static Status lower_unpack(Lowering *lowering, Instruction *out, Error *err) {
  const PtxOperand *vector = &lowering->in->operands[0];
  DataType part = part_type(out->form.type, vector->element_count);
  if (part == TYPE_NONE)
    return lower_error(lowering, vector->position, err, ERR_UNSUPPORTED,
                       "cannot split a .%s into %u parts", type_name(out->form.type),
                       vector->element_count);
  out->form.vector = (uint8_t)vector->element_count;
  out->exec = exec_mov_unpack;
  TRY(lower_source(lowering, &lowering->in->operands[1], out->form.type, WIDTH_EXACT, out,
                   &out->src[0], err));
  for (uint32_t k = 0; k < vector->element_count; k++)
    if (vector->elements[k].kind != OPERAND_SINK)
      TRY(lower_destination(lowering, &vector->elements[k], part,
                            part == TYPE_B8 ? WIDTH_AT_LEAST : WIDTH_EXACT, &out->dst[k], err));
  return OK;
}

static DataType unsigned_of(int bits) {
  switch (bits) {
    case 16: return TYPE_U16;
    case 32: return TYPE_U32;
    default: return TYPE_U64;
  }
}

// Special registers whose width differs from the destination's are converted:
// old PTX moves %ctaid.x to 16-bit registers.
static Status lower_mov_special(Lowering *lowering, Instruction *out, Error *err) {
  SpecialRegister special = (SpecialRegister)lowering->in->operands[1].index;
  int bits = special_bits(special);
  if (special == SPECIAL_IS_EXPLICIT_CLUSTER && out->form.type == TYPE_PRED) {
    out->exec = exec_mov_predicate;
    out->src[0] = constant_predicate(&lowering->linker->constants, false);
    return OK;
  }
  out->special[0] = (uint8_t)special;
  if (type_bits(out->form.type) == bits) {
    out->exec = exec_mov_special;
    return OK;
  }
  if (type_bits(out->form.type) < 16 || bits < 32)
    return lower_error(lowering, lowering->in->position, err, ERR_SYNTAX,
                       "special register does not fit the type");
  out->special_place[0] = out->src[0] = lower_hidden(lowering, bits == 64 ? TYPE_B64 : TYPE_B32);
  Form convert = {.op = OP_CVT,
                  .type = (uint8_t)unsigned_of(type_bits(out->form.type)),
                  .type2 = (uint8_t)unsigned_of(bits),
                  .vector = 1};
  out->form = convert;
  out->exec = exec_find(&convert);
  return OK;
}

static Status lower_mov_symbol(Lowering *lowering, Instruction *out, Error *err) {
  uint64_t value;
  AddressBase base;
  Space space;
  TRY(lower_symbol(lowering, &lowering->in->operands[1], &value, &base, &space, err));
  if (type_bits(out->form.type) < 32)
    return lower_error(lowering, lowering->in->position, err, ERR_SYNTAX,
                       "an address requires 32 or 64 bits");
  int bytes = type_bytes(out->form.type);
  if (base == BASE_ABSOLUTE) {
    out->exec = mov_of(out->form.type);
    out->src[0] = constant_place(&lowering->linker->constants, value, bytes);
    return OK;
  }
  out->exec = exec_mov_address;
  out->offset = (int64_t)value;
  out->address_base = (uint8_t)base;
  out->dst_bytes = (uint8_t)bytes;
  return OK;
}

Status lower_move(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  TRY(lower_want_operands(lowering, 2, 2, err));
  if (out->form.type == TYPE_NONE || type_bits(out->form.type) > 64)
    return lower_error(lowering, in->position, err, ERR_UNSUPPORTED,
                       "expected a type of at most 64 bits");
  if (in->operands[0].kind == OPERAND_VECTOR) return lower_unpack(lowering, out, err);
  if (in->operands[1].kind == OPERAND_VECTOR) return lower_pack(lowering, out, err);
  TRY(lower_destination(lowering, &in->operands[0], out->form.type, WIDTH_EXACT, &out->dst[0],
                        err));
  if (in->operands[1].kind == OPERAND_SPECIAL) return lower_mov_special(lowering, out, err);
  if (operand_is_symbol(&in->operands[1])) return lower_mov_symbol(lowering, out, err);
  out->exec = mov_of(out->form.type);
  if (out->form.type == TYPE_PRED) return lower_predicate(lowering, &in->operands[1], 0, out, err);
  return lower_source(lowering, &in->operands[1], out->form.type, WIDTH_EXACT, out, &out->src[0],
                      err);
}

static int place_bytes(const Lowering *lowering, Place place, DataType type) {
  if (place >= 0) return lower_register_bytes(lowering, place);
  return type_bits(type) == 64 ? 8 : 4;
}

// Whether two f32 are packed into one register.
static bool makes_pair(const Form *form) {
  switch (form->type) {
    case TYPE_F16X2:
    case TYPE_BF16X2:
    case TYPE_E4M3X2:
    case TYPE_E5M2X2:
    case TYPE_UE8M0X2: return form->type2 == TYPE_F32;
    default: return false;
  }
}

static Status lower_cvt(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  bool is_pack = out->form.mode == MODE_PACK, is_pair = makes_pair(&out->form);
  TRY(lower_want_operands(lowering, is_pack || is_pair ? 3 : 2,
                          is_pack   ? 4
                          : is_pair ? 3
                                    : 2,
                          err));
  if (out->form.type == TYPE_NONE || out->form.type2 == TYPE_NONE)
    return lower_error(lowering, in->position, err, ERR_SYNTAX, "expected two types");
  TRY(lower_destination(lowering, &in->operands[0], is_pack ? TYPE_B32 : out->form.type,
                        WIDTH_AT_LEAST, &out->dst[0], err));
  for (uint32_t k = 1; k < in->operand_count; k++)
    TRY(lower_source(lowering, &in->operands[k], k == 3 ? TYPE_B32 : out->form.type2,
                     WIDTH_AT_LEAST, out, &out->src[k - 1], err));
  out->dst_bytes = (uint8_t)place_bytes(lowering, out->dst[0], out->form.type);
  out->src_bytes = (uint8_t)place_bytes(lowering, out->src[0], out->form.type2);
  return OK;
}

static Status lower_cvta(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  TRY(lower_want_operands(lowering, 2, 2, err));
  if (type_bits(out->form.type) < 32)
    return lower_error(lowering, in->position, err, ERR_SYNTAX,
                       "an address requires 32 or 64 bits");
  TRY(lower_destination(lowering, &in->operands[0], out->form.type, WIDTH_EXACT, &out->dst[0],
                        err));
  return lower_source(lowering, &in->operands[1], out->form.type, WIDTH_EXACT, out, &out->src[0],
                      err);
}

static Status lower_isspacep(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  TRY(lower_want_operands(lowering, 2, 2, err));
  TRY(lower_destination(lowering, &in->operands[0], TYPE_PRED, WIDTH_EXACT, &out->dst[0], err));
  bool is_narrow = in->operands[1].kind == OPERAND_REGISTER &&
                   type_bits(lowering->syntax->registers[in->operands[1].index].type) == 32;
  out->address_bytes = is_narrow ? 4 : 8;
  out->form.type = is_narrow ? TYPE_U32 : TYPE_U64;
  return lower_source(lowering, &in->operands[1], out->form.type, WIDTH_EXACT, out, &out->src[0],
                      err);
}

Status lower_convert(Lowering *lowering, Instruction *out, Error *err) {
  switch (out->form.op) {
    case OP_CVT: return lower_cvt(lowering, out, err);
    case OP_CVTA: return lower_cvta(lowering, out, err);
    default: return lower_isspacep(lowering, out, err);
  }
}
