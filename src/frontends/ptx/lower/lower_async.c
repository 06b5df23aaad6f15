// SPDX-License-Identifier: MIT
// Asynchronous copies, the mbarriers in shared memory that they complete, and
// cache policies. exec_memory.c and exec_mbarrier.c define which fields hold
// the operands.
#include "frontends/ptx/lower/lower.h"

static Status lower_u32(Lowering *lowering, uint32_t operand, int k, Instruction *out, Error *err) {
  return lower_source(lowering, &lowering->in->operands[operand], TYPE_B32, WIDTH_EXACT, out,
                      &out->src[k], err);
}

// ---- mbarrier

static Status lower_wait(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  bool may_hint = out->form.mode == MODE_TRY_WAIT;
  TRY(lower_want_operands(lowering, 3, may_hint ? 4 : 3, err));
  TRY(lower_destination(lowering, &in->operands[0], TYPE_PRED, WIDTH_EXACT, &out->dst[0], err));
  TRY(lower_address(lowering, &in->operands[1], 0, out, err));
  if (out->form.option & OPTION_PARITY) return lower_u32(lowering, 2, 1, out, err);
  return lower_source(lowering, &in->operands[2], TYPE_B64, WIDTH_EXACT, out, &out->src[1], err);
}

// {state,} [barrier] {, count}: old forms have no state; in new ones it may be _.
static Status lower_arrival(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  bool has_state = in->operands[0].kind != OPERAND_ADDRESS;
  uint32_t next = has_state ? 1 : 0;
  bool wants_count = out->form.option != 0;
  TRY(lower_want_operands(lowering, next + (wants_count ? 2 : 1), next + 2, err));
  if (has_state && in->operands[0].kind != OPERAND_SINK)
    TRY(lower_destination(lowering, &in->operands[0], TYPE_B64, WIDTH_EXACT, &out->dst[0], err));
  TRY(lower_address(lowering, &in->operands[next], 0, out, err));
  return in->operand_count > next + 1 ? lower_u32(lowering, next + 1, 1, out, err) : OK;
}

Status lower_mbarrier(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  TRY(lower_want_operands(lowering, 1, 4, err));
  switch (out->form.mode) {
    case MODE_TEST_WAIT:
    case MODE_TRY_WAIT: return lower_wait(lowering, out, err);
    case MODE_ARRIVE:
    case MODE_ARRIVE_DROP: return lower_arrival(lowering, out, err);
    case MODE_INVALIDATE:
      TRY(lower_want_operands(lowering, 1, 1, err));
      return lower_address(lowering, &in->operands[0], 0, out, err);
    case MODE_PENDING_COUNT:
      TRY(lower_want_operands(lowering, 2, 2, err));
      TRY(lower_destination(lowering, &in->operands[0], TYPE_B32, WIDTH_EXACT, &out->dst[0], err));
      return lower_source(lowering, &in->operands[1], TYPE_B64, WIDTH_EXACT, out, &out->src[1],
                          err);
    default:
      TRY(lower_want_operands(lowering, 2, 2, err));
      TRY(lower_address(lowering, &in->operands[0], 0, out, err));
      return lower_u32(lowering, 1, 1, out, err);
  }
}

// ---- cp

// Source address of a copy, in src[1], target and src_bytes.
static Status lower_from(Lowering *lowering, const PtxOperand *operand, Space space,
                         Instruction *out, Error *err) {
  Instruction from = {.form = {.space = (uint8_t)space}, .src = {NO_PLACE}};
  TRY(lower_address(lowering, operand, 0, &from, err));
  if (from.offset != (int32_t)from.offset || from.address_base != BASE_ABSOLUTE)
    return lower_error(
        lowering, operand->position, err, ERR_UNSUPPORTED,
        "the source address offset does not fit in 32 bits; move the address to a register");
  out->src[1] = from.src[0];
  out->target = (uint32_t)from.offset;
  out->src_bytes = from.address_bytes;
  return OK;
}

Status lower_barrier_address(Lowering *lowering, const PtxOperand *operand, Instruction *out,
                             Error *err) {
  Instruction barrier = {.form = {.space = SPACE_SHARED}, .src = {NO_PLACE}};
  TRY(lower_address(lowering, operand, 0, &barrier, err));
  if (barrier.address_base != BASE_ABSOLUTE)
    return lower_error(lowering, operand->position, err, ERR_UNSUPPORTED,
                       "address not known until the kernel runs; move it to a register");
  out->src[3] = barrier.src[0];
  out->src[4] = constant_place(&lowering->linker->constants, (uint64_t)barrier.offset, 8);
  out->dst_bytes = barrier.address_bytes;
  return OK;
}

// [to], [from], bytes {, [barrier]} {, CTAs}
static Status lower_bulk(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  bool has_barrier = out->form.space == SPACE_SHARED;
  bool is_cast = has_barrier && out->form.option & OPTION_MULTICAST;
  uint32_t count = (has_barrier ? 4u : 3u) + is_cast;
  TRY(lower_want_operands(lowering, count, count, err));
  TRY(lower_address(lowering, &in->operands[0], 0, out, err));
  TRY(lower_from(lowering, &in->operands[1], (Space)out->form.space2, out, err));
  TRY(lower_u32(lowering, 2, 2, out, err));
  if (!has_barrier) return OK;
  if (is_cast)
    TRY(lower_source(lowering, &in->operands[4], TYPE_B16, WIDTH_EXACT, out, &out->src[5], err));
  return lower_barrier_address(lowering, &in->operands[3], out, err);
}

// [to], [map, {coordinates}], [barrier] {, CTAs} {, policy}; or [map, {coordinates}], [from] {,
// policy}; or [map, {coordinates}] of a prefetch
static Status lower_tensor(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  bool is_load = out->form.space == SPACE_SHARED, is_cast = out->form.option & OPTION_MULTICAST;
  bool is_prefetch = out->form.option & OPTION_PREFETCH;
  uint32_t rank = out->form.vector, least = is_load ? 3u + is_cast : is_prefetch ? 1 : 2;
  TRY(lower_want_operands(lowering, least, least + 1, err));
  const PtxOperand *map = &in->operands[is_load ? 1 : 0];
  if (map->kind != OPERAND_TEXTURE || map->element_count != rank + 1)
    return lower_error(lowering, map->position, err, ERR_SYNTAX, "expected [map, {%u coordinates}]",
                       rank);
  PlaceList *list = lower_new_list(lowering, 0, rank + 2);
  TRY(lower_source(lowering, &map->elements[0], TYPE_B64, WIDTH_EXACT, out, &list->src[0], err));
  for (uint32_t d = 0; d < rank; d++)
    TRY(lower_source(lowering, &map->elements[1 + d], TYPE_B32, WIDTH_EXACT, out, &list->src[1 + d],
                     err));
  if (is_cast)
    TRY(lower_source(lowering, &in->operands[3], TYPE_B16, WIDTH_EXACT, out, &list->src[rank + 1],
                     err));
  out->list = list;
  if (is_prefetch) return OK;
  uint8_t space = out->form.space;
  out->form.space = SPACE_SHARED;
  TRY(lower_address(lowering, &in->operands[is_load ? 0 : 1], 0, out, err));
  out->form.space = space;
  return is_load ? lower_barrier_address(lowering, &in->operands[2], out, err) : OK;
}

// [shared], [global], bytes {, source bytes, or a predicate that disables the source}
static Status lower_copy(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  TRY(lower_want_operands(lowering, 3, 4, err));
  out->form.space = SPACE_SHARED;
  TRY(lower_address(lowering, &in->operands[0], 0, out, err));
  TRY(lower_from(lowering, &in->operands[1], SPACE_GLOBAL, out, err));
  const PtxOperand *size = &in->operands[2];
  bool is_size =
      size->kind == OPERAND_INTEGER && (size->bits == 4 || size->bits == 8 || size->bits == 16);
  if (!is_size)
    return lower_error(lowering, size->position, err, ERR_SYNTAX, "expected a size of 4, 8 or 16");
  out->dst_bytes = (uint8_t)size->bits;
  if (in->operand_count == 3) return OK;
  const PtxOperand *last = &in->operands[3];
  bool is_predicate =
      last->kind == OPERAND_REGISTER && lowering->syntax->registers[last->index].type == TYPE_PRED;
  return is_predicate ? lower_predicate(lowering, last, 3, out, err)
                      : lower_u32(lowering, 3, 2, out, err);
}

// wait_group count: groups that may be left.
Status lower_group_count(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  TRY(lower_want_operands(lowering, 1, 1, err));
  const PtxOperand *count = &in->operands[0];
  if (count->kind != OPERAND_INTEGER || count->bits > INT32_MAX)
    return lower_error(lowering, count->position, err, ERR_SYNTAX,
                       "expected a constant number of groups");
  out->offset = (int64_t)count->bits;
  return OK;
}

Status lower_cp(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  switch (out->form.mode) {
    case MODE_ASYNC: return lower_copy(lowering, out, err);
    case MODE_BULK: return lower_bulk(lowering, out, err);
    case MODE_BULK_TENSOR: return lower_tensor(lowering, out, err);
    case MODE_BULK_PREFETCH:
      TRY(lower_want_operands(lowering, 2, 2, err));
      TRY(lower_u32(lowering, 1, 2, out, err));
      return lower_address(lowering, &in->operands[0], 0, out, err);
    case MODE_COPY_ARRIVE:
      TRY(lower_want_operands(lowering, 1, 1, err));
      return lower_address(lowering, &in->operands[0], 0, out, err);
    case MODE_WAIT: return lower_group_count(lowering, out, err);
    default: return lower_want_operands(lowering, 0, 0, err);
  }
}

// ---- tensormap

// replace [map], {dimension,} value
static Status lower_map_field(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  MapField field = (MapField)out->form.part;
  bool has_dimension = field == FIELD_BOX || field == FIELD_SIZE || field == FIELD_STRIDE ||
                       field == FIELD_ELEMENT_STRIDE;
  uint32_t count = has_dimension ? 3 : 2;
  TRY(lower_want_operands(lowering, count, count, err));
  if (has_dimension && (in->operands[1].kind != OPERAND_INTEGER || in->operands[1].bits > 4))
    return lower_error(lowering, in->operands[1].position, err, ERR_SYNTAX,
                       "expected a dimension from 0 to 4");
  out->target = has_dimension ? (uint32_t)in->operands[1].bits : 0;
  TRY(lower_address(lowering, &in->operands[0], 0, out, err));
  return lower_source(lowering, &in->operands[count - 1], (DataType)out->form.type, WIDTH_EXACT,
                      out, &out->src[1], err);
}

// cp_fenceproxy [to], [from], 128
Status lower_tensormap(Lowering *lowering, Instruction *out, Error *err) {
  const PtxOperand *operands = lowering->in->operands;
  if (out->form.mode == MODE_MAP_REPLACE) return lower_map_field(lowering, out, err);
  TRY(lower_want_operands(lowering, 3, 3, err));
  if (operands[2].kind != OPERAND_INTEGER || operands[2].bits != 128)
    return lower_error(lowering, operands[2].position, err, ERR_SYNTAX, "expected a size of 128");
  TRY(lower_address(lowering, &operands[0], 0, out, err));
  return lower_from(lowering, &operands[1], (Space)out->form.space2, out, err);
}

// createpolicy policy {, fraction}, or policy, [range], first, all; or policy, property.
Status lower_policy(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  TRY(lower_want_operands(lowering, 1, 4, err));
  out->src[0] = constant_place(&lowering->linker->constants, 0, 8);
  return lower_destination(lowering, &in->operands[0], TYPE_B64, WIDTH_EXACT, &out->dst[0], err);
}
