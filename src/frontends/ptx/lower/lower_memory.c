// SPDX-License-Identifier: MIT
// Loads, stores, atomics, textures and prefetches.
#include "frontends/ptx/lower/lower.h"

// A single operand or the elements of a vector; the form determines the number.
static Status elements_of(const Lowering *lowering, const PtxOperand *operand, const Form *form,
                          const PtxOperand **elements, uint32_t *count, Error *err) {
  *count = form->vector > 1 ? form->vector : 1;
  bool is_vector = operand->kind == OPERAND_VECTOR;
  *elements = is_vector ? operand->elements : operand;
  if (is_vector ? operand->element_count == *count : *count == 1) return OK;
  return lower_error(lowering, operand->position, err, ERR_SYNTAX, "expected %u registers", *count);
}

static Status check_type(const Lowering *lowering, const Form *form, Error *err) {
  int bytes = type_bytes(form->type);
  bool is_wide = form->space == SPACE_GLOBAL && (form->op == OP_LD || form->op == OP_ST);
  bool is_data = form->type != TYPE_NONE && form->type != TYPE_PRED && bytes <= 8;
  if (is_data && bytes * (form->vector ? form->vector : 1) <= (is_wide ? 32 : 16)) return OK;
  return lower_error(lowering, lowering->in->position, err, ERR_UNSUPPORTED,
                     "expected a type of 8 to 64 bits, at most 16 bytes in total (32 in .global)");
}

static bool is_async(const Instruction *out) {
  return out->form.mode == MODE_ASYNC;
}

// Destination of a vector's registers: more than four, and an mbarrier besides, need an operand
// list.
static Place *vector_places(Lowering *lowering, uint32_t count, bool are_destinations,
                            Instruction *out) {
  if (count <= MAX_DESTINATIONS && !is_async(out))
    return are_destinations ? out->dst : out->src + 1;
  PlaceList *list = (PlaceList *)(uintptr_t)out->list;
  if (!list) out->list = list = lower_new_list(lowering, count, count);
  return are_destinations ? list->dst : list->src;
}

// Destination registers of a load, all of the same width.
static Status lower_loaded(Lowering *lowering, const PtxOperand *registers, Instruction *out,
                           Error *err) {
  const PtxOperand *elements;
  uint32_t count;
  TRY(elements_of(lowering, registers, &out->form, &elements, &count, err));
  Place *places = vector_places(lowering, count, true, out);
  for (uint32_t k = 0; k < count; k++) {
    if (elements[k].kind == OPERAND_SINK) continue;
    TRY(lower_destination(lowering, &elements[k], out->form.type, WIDTH_AT_LEAST, &places[k], err));
    int bytes = lower_register_bytes(lowering, places[k]);
    if (out->dst_bytes && out->dst_bytes != bytes)
      return lower_error(lowering, elements[k].position, err, ERR_UNSUPPORTED,
                         "vector registers must have the same width");
    out->dst_bytes = (uint8_t)bytes;
  }
  return OK;
}

static Status lower_ld(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  TRY(lower_want_operands(lowering, 2, 2, err));
  TRY(check_type(lowering, &out->form, err));
  TRY(lower_loaded(lowering, &in->operands[0], out, err));
  return lower_address(lowering, &in->operands[1], 0, out, err);
}

static Status lower_st(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  const PtxOperand *elements;
  uint32_t count;
  uint32_t operands = is_async(out) ? 3 : 2;
  TRY(lower_want_operands(lowering, operands, operands, err));
  TRY(check_type(lowering, &out->form, err));
  TRY(lower_address(lowering, &in->operands[0], 0, out, err));
  TRY(elements_of(lowering, &in->operands[1], &out->form, &elements, &count, err));
  Place *places = vector_places(lowering, count, false, out);
  int constant_bytes = type_bytes(out->form.type) == 8 ? 8 : 4;
  for (uint32_t k = 0; k < count; k++) {
    Place *place = &places[k];
    TRY(lower_source(lowering, &elements[k], out->form.type, WIDTH_AT_LEAST, out, place, err));
    int bytes = *place >= 0 ? lower_register_bytes(lowering, *place) : constant_bytes;
    bool differs = out->src_bytes && (out->src_bytes == 8) != (bytes == 8);
    if (differs)
      return lower_error(lowering, elements[k].position, err, ERR_UNSUPPORTED,
                         "vector registers must have the same width");
    out->src_bytes = (uint8_t)bytes;
  }
  return is_async(out) ? lower_barrier_address(lowering, &in->operands[2], out, err) : OK;
}

// [address], 128: an L2 line.
static Status lower_line(Lowering *lowering, Instruction *out, Error *err) {
  const PtxOperand *operands = lowering->in->operands;
  TRY(lower_want_operands(lowering, 2, 2, err));
  if (operands[1].kind != OPERAND_INTEGER || operands[1].bits != 128)
    return lower_error(lowering, operands[1].position, err, ERR_SYNTAX, "expected a size of 128");
  return lower_address(lowering, &operands[0], 0, out, err);
}

Status lower_memory(Lowering *lowering, Instruction *out, Error *err) {
  switch (out->form.op) {
    case OP_LD:
    case OP_LDU: return lower_ld(lowering, out, err);
    case OP_ST: return lower_st(lowering, out, err);
    case OP_CP: return lower_cp(lowering, out, err);
    case OP_TENSORMAP: return lower_tensormap(lowering, out, err);
    case OP_APPLYPRIORITY:
    case OP_DISCARD: return lower_line(lowering, out, err);
    default:
      TRY(lower_want_operands(lowering, 1, 1, err));
      return lower_address(lowering, &lowering->in->operands[0], 0, out, err);
  }
}

static Status lower_results(Lowering *lowering, const PtxOperand *operand, Instruction *out,
                            Error *err) {
  const PtxOperand *elements;
  uint32_t count;
  if (operand->kind == OPERAND_SINK) return OK;
  TRY(elements_of(lowering, operand, &out->form, &elements, &count, err));
  Place *places = vector_places(lowering, count, true, out);
  for (uint32_t k = 0; k < count; k++)
    if (elements[k].kind != OPERAND_SINK)
      TRY(lower_destination(lowering, &elements[k], out->form.type, WIDTH_EXACT, &places[k], err));
  return OK;
}

static Status lower_addends(Lowering *lowering, const PtxOperand *operand, Instruction *out,
                            Error *err) {
  const PtxOperand *elements;
  uint32_t count;
  TRY(elements_of(lowering, operand, &out->form, &elements, &count, err));
  Place *places = vector_places(lowering, count, false, out);
  for (uint32_t k = 0; k < count; k++)
    TRY(lower_source(lowering, &elements[k], out->form.type, WIDTH_EXACT, out, &places[k], err));
  return OK;
}

// atom d, [a], b {, c};  red [a], b;  red.async [a], b, [barrier];
Status lower_atomic(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  uint32_t next = out->form.op == OP_ATOM ? 1 : 0;
  uint32_t sources = out->form.operation == OPERATION_CAS ? 2 : 1;
  uint32_t operands = next + 1 + sources + is_async(out);
  TRY(lower_want_operands(lowering, operands, operands, err));
  TRY(check_type(lowering, &out->form, err));
  if (next) TRY(lower_results(lowering, &in->operands[0], out, err));
  TRY(lower_address(lowering, &in->operands[next++], 0, out, err));
  if (out->form.vector > 1) return lower_addends(lowering, &in->operands[next], out, err);
  if (is_async(out)) {
    TRY(lower_addends(lowering, &in->operands[next], out, err));
    return lower_barrier_address(lowering, &in->operands[next + 1], out, err);
  }
  for (uint32_t k = 0; k < sources; k++)
    TRY(lower_source(lowering, &in->operands[next + k], out->form.type, WIDTH_EXACT, out,
                     &out->src[1 + k], err));
  return OK;
}

static Status lower_handle(Lowering *lowering, const PtxOperand *handle, Instruction *out,
                           Error *err) {
  return lower_source(lowering, handle, TYPE_B64, WIDTH_EXACT, out, &out->src[0], err);
}

// Number of significant coordinates; PTX pads them to four.
static uint32_t coordinate_count(Mode geometry) {
  switch (geometry) {
    case MODE_TEX_1D: return 1;
    case MODE_TEX_2D:
    case MODE_TEX_A1D: return 2;
    case MODE_TEX_3D:
    case MODE_TEX_CUBE:
    case MODE_TEX_A2D: return 3;
    case MODE_TEX_ACUBE: return 4;
    default: return 0;
  }
}

static bool is_layered(Mode geometry) {
  return geometry == MODE_TEX_A1D || geometry == MODE_TEX_A2D || geometry == MODE_TEX_ACUBE;
}

// [texture, {coordinates}]; the layer precedes the coordinates.
static Status lower_texel(Lowering *lowering, const PtxOperand *texture, DataType type,
                          Instruction *out, Error *err) {
  uint32_t wanted = coordinate_count(out->form.mode);
  if (texture->kind != OPERAND_TEXTURE || texture->has_sampler || !wanted ||
      texture->element_count < 1 + wanted)
    return lower_error(lowering, texture->position, err, ERR_UNSUPPORTED,
                       "only [texture, {coordinates}] without a sampler is supported");
  TRY(lower_handle(lowering, &texture->elements[0], out, err));
  for (uint32_t k = 0; k < wanted; k++) {
    DataType own = is_layered(out->form.mode) && k == 0 ? TYPE_B32 : type;
    TRY(lower_source(lowering, &texture->elements[1 + k], own, WIDTH_EXACT, out, &out->src[1 + k],
                     err));
  }
  return OK;
}

// Number of operands that select the mipmap level: the level, or two gradients.
static uint32_t level_operands(const PtxInstruction *in) {
  return strncmp(in->text, "tex.level.", 10) == 0 ? 1 : strncmp(in->text, "tex.grad.", 9) == 0 ? 2 : 0;
}

static Status lower_level(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  uint32_t gradients = in->operand_count - 2 == 2 ? 2 : 0, each = 1;
  if (out->form.type2 != TYPE_F32)
    return lower_error(lowering, in->position, err, ERR_UNSUPPORTED,
                       "level of detail requires .f32 coordinates");
  if (gradients) each = coordinate_count(out->form.mode) - is_layered(out->form.mode);
  PlaceList *list = lower_new_list(lowering, 0, gradients ? 2 * each : 1);
  out->list = list;
  for (uint32_t k = 0; k < list->src_count; k++) {
    const PtxOperand *from = &in->operands[2 + k / each];
    if (from->kind == OPERAND_VECTOR && from->element_count < each)
      return lower_error(lowering, from->position, err, ERR_SYNTAX,
                         "gradient has too few components");
    if (from->kind == OPERAND_VECTOR) from = &from->elements[k % each];
    TRY(lower_source(lowering, from, TYPE_F32, WIDTH_EXACT, out, &list->src[k], err));
  }
  return OK;
}

static Status lower_tex(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  const PtxOperand *elements;
  uint32_t count;
  uint32_t further = level_operands(in);
  TRY(lower_want_operands(lowering, 2 + further, 2 + further, err));
  TRY(elements_of(lowering, &in->operands[0], &out->form, &elements, &count, err));
  for (uint32_t k = 0; k < count; k++)
    if (elements[k].kind != OPERAND_SINK)
      TRY(lower_destination(lowering, &elements[k], out->form.type, WIDTH_EXACT, &out->dst[k],
                            err));
  TRY(lower_texel(lowering, &in->operands[1], out->form.type2, out, err));
  return further ? lower_level(lowering, out, err) : OK;
}

// suld d, [surface, {coordinates}]
static Status lower_suld(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  TRY(lower_want_operands(lowering, 2, 2, err));
  TRY(check_type(lowering, &out->form, err));
  TRY(lower_loaded(lowering, &in->operands[0], out, err));
  return lower_texel(lowering, &in->operands[1], TYPE_B32, out, err);
}

// sust [surface, {coordinates}], values; the values are in the operand list.
static Status lower_sust(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  const PtxOperand *elements;
  uint32_t count;
  TRY(lower_want_operands(lowering, 2, 2, err));
  TRY(check_type(lowering, &out->form, err));
  TRY(lower_texel(lowering, &in->operands[0], TYPE_B32, out, err));
  TRY(elements_of(lowering, &in->operands[1], &out->form, &elements, &count, err));
  PlaceList *list = lower_new_list(lowering, 0, count);
  out->list = list;
  out->src_bytes = type_bytes(out->form.type) == 8 ? 8 : 4;
  for (uint32_t k = 0; k < count; k++) {
    TRY(lower_source(lowering, &elements[k], out->form.type, WIDTH_AT_LEAST, out, &list->src[k],
                     err));
    if (list->src[k] >= 0 && out->src_bytes == 4 && lower_register_bytes(lowering, list->src[k]) == 8)
      return lower_error(lowering, elements[k].position, err, ERR_UNSUPPORTED,
                         "expected a register of at most 32 bits");
  }
  return OK;
}

Status lower_texture(Lowering *lowering, Instruction *out, Error *err) {
  if (out->form.op == OP_TEX || out->form.op == OP_TLD4) return lower_tex(lowering, out, err);
  if (out->form.op == OP_SULD) return lower_suld(lowering, out, err);
  if (out->form.op == OP_SUST) return lower_sust(lowering, out, err);
  const PtxInstruction *in = lowering->in;
  TRY(lower_want_operands(lowering, 2, 2, err));
  TRY(lower_destination(lowering, &in->operands[0], TYPE_B32, WIDTH_EXACT, &out->dst[0], err));
  const PtxOperand *query = &in->operands[1];
  if (!query->element_count)
    return lower_error(lowering, query->position, err, ERR_SYNTAX, "expected [texture]");
  return lower_handle(lowering, &query->elements[0], out, err);
}
