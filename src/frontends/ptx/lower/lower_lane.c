// SPDX-License-Identifier: MIT
// Barriers and warp-level primitives: shuffle, vote, match, reduce.
#include "frontends/ptx/lower/lower.h"

static Status lower_u32(Lowering *lowering, uint32_t operand, int k, Instruction *out, Error *err) {
  return lower_source(lowering, &lowering->in->operands[operand], TYPE_B32, WIDTH_EXACT, out,
                      &out->src[k], err);
}

// bar.red d, a {, b}, p: the count b in the middle is optional.
static Status lower_bar_red(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  TRY(lower_want_operands(lowering, 3, 4, err));
  DataType type = out->form.operation == OPERATION_POPC ? TYPE_B32 : TYPE_PRED;
  TRY(lower_destination(lowering, &in->operands[0], type, WIDTH_EXACT, &out->dst[0], err));
  TRY(lower_u32(lowering, 1, 0, out, err));
  if (in->operand_count == 4) TRY(lower_u32(lowering, 2, 1, out, err));
  return lower_predicate(lowering, &in->operands[in->operand_count - 1], 2, out, err);
}

Status lower_barrier(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  // fence.proxy.tensormap::generic.acquire names the map, [address], 128.
  if (out->form.op == OP_MEMBAR || out->form.op == OP_FENCE)
    return lower_want_operands(lowering, 0, out->form.mode == MODE_PROXY ? 2 : 0, err);
  if (out->form.op == OP_MBARRIER) return lower_mbarrier(lowering, out, err);
  if (out->form.option & OPTION_CLUSTER) return lower_want_operands(lowering, 0, 0, err);
  if (out->form.mode == MODE_WARP) {
    TRY(lower_want_operands(lowering, 1, 1, err));
    return lower_u32(lowering, 0, 0, out, err);
  }
  if (out->form.mode == MODE_RED) return lower_bar_red(lowering, out, err);
  TRY(lower_want_operands(lowering, out->form.mode == MODE_ARRIVE ? 2 : 1, 2, err));
  for (uint32_t k = 0; k < in->operand_count; k++) TRY(lower_u32(lowering, k, (int)k, out, err));
  return OK;
}

// A destination and its predicate, if written d|p. Returns the next operand in *next.
static Status lower_pair(Lowering *lowering, DataType type, Instruction *out, uint32_t *next,
                         Error *err) {
  const PtxInstruction *in = lowering->in;
  TRY(lower_destination(lowering, &in->operands[0], type, WIDTH_EXACT, &out->dst[0], err));
  *next = 1;
  if (!in->has_pair) return OK;
  *next = 2;
  if (in->operands[1].kind == OPERAND_SINK) return OK;
  return lower_destination(lowering, &in->operands[1], TYPE_PRED, WIDTH_EXACT, &out->dst[1], err);
}

static Status lower_shfl(Lowering *lowering, Instruction *out, Error *err) {
  uint32_t next;
  TRY(lower_want_operands(lowering, 4, 6, err));
  TRY(lower_pair(lowering, TYPE_B32, out, &next, err));
  uint32_t left = lowering->in->operand_count - next;
  if (left != 3 && left != 4) return lower_want_operands(lowering, next + 3, next + 4, err);
  for (uint32_t k = 0; k < left; k++) TRY(lower_u32(lowering, next + k, (int)k, out, err));
  return OK;
}

static Status lower_vote(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  TRY(lower_want_operands(lowering, 2, 3, err));
  DataType type = out->form.mode == MODE_BALLOT ? TYPE_B32 : TYPE_PRED;
  TRY(lower_destination(lowering, &in->operands[0], type, WIDTH_EXACT, &out->dst[0], err));
  TRY(lower_predicate(lowering, &in->operands[1], 0, out, err));
  return in->operand_count == 3 ? lower_u32(lowering, 2, 1, out, err) : OK;
}

// match and redux: d{|p}, a, membermask.
static Status lower_member(Lowering *lowering, DataType result, Instruction *out, Error *err) {
  uint32_t next;
  TRY(lower_want_operands(lowering, 3, 4, err));
  TRY(lower_pair(lowering, result, out, &next, err));
  TRY(lower_want_operands(lowering, next + 2, next + 2, err));
  TRY(lower_source(lowering, &lowering->in->operands[next], out->form.type, WIDTH_EXACT, out,
                   &out->src[0], err));
  return lower_u32(lowering, next + 1, 1, out, err);
}

static Status lower_elect(Lowering *lowering, Instruction *out, Error *err) {
  uint32_t next;
  TRY(lower_want_operands(lowering, 3, 3, err));
  TRY(lower_pair(lowering, TYPE_B32, out, &next, err));
  return lower_u32(lowering, 2, 0, out, err);
}

Status lower_lane(Lowering *lowering, Instruction *out, Error *err) {
  switch (out->form.op) {
    case OP_SHFL: return lower_shfl(lowering, out, err);
    case OP_VOTE: return lower_vote(lowering, out, err);
    case OP_MATCH: return lower_member(lowering, TYPE_B32, out, err);
    case OP_REDUX: return lower_member(lowering, out->form.type, out, err);
    case OP_ELECT: return lower_elect(lowering, out, err);
    default: return lower_table(lowering, out, err);
  }
}
