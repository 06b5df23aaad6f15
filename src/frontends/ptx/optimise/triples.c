// SPDX-License-Identifier: MIT
// Three-operand instructions of the hardware: two sums or differences become IADD3, a
// sum and a right shift LEA.HI, two logical operations LOP3. The inner operation must
// be in the same block, without other uses. After this step an addition may have three
// sources.
#include "frontends/ptx/optimise/simplify.h"
#include "frontends/ptx/optimise/steps.h"

// Truth tables of the first, second and third source in LOP3's encoding.
enum { TABLE_A = 0xf0, TABLE_B = 0xcc, TABLE_C = 0xaa };

static bool is_sum(const Instruction *in) {
  return (instruction_is_modular(in, OP_ADD, 32) || instruction_is_modular(in, OP_SUB, 32)) &&
         in->exec != exec_add_three && in->exec != exec_shift_add;
}

// Of 64 bits: two of the hardware's instructions (expand.c).
static bool is_logical(const Instruction *in, int bits) {
  return instruction_is_modular(in, OP_AND, bits) || instruction_is_modular(in, OP_OR, bits) ||
         instruction_is_modular(in, OP_XOR, bits);
}

// The definition of a source that can be merged into its use, or NULL.
static Instruction *inner_of(const Graph *graph, uint32_t index, int side) {
  Place place = graph->lowering->code[index].src[side];
  if (!graph_is_value(graph, place) || graph->read_count[place] != 1 ||
      graph->writer[place] == NO_INDEX ||
      graph->flow.block_of[graph->writer[place]] != graph->flow.block_of[index])
    return NULL;
  Instruction *inner = graph_writer(graph, place);
  uint32_t at = graph->writer[place];
  bool holds = inner->guard == NO_PLACE && operand_unchanged(graph, inner->src[0], at, index) &&
               operand_unchanged(graph, inner->src[1], at, index);
  return holds && inner->dst[1] == NO_PLACE ? inner : NULL;
}

// At most one operand may be a constant.
static bool has_room(const Instruction *inner, Place other) {
  return (inner->src[0] < 0) + (inner->src[1] < 0) + (other < 0) <= 1;
}

static void become(Instruction *in, Instruction *inner, Place other) {
  in->src[0] = inner->src[0];
  in->src[1] = inner->src[1];
  in->src[2] = other;
  instruction_remove(inner);
}

// ---- sums

static bool join_sums(const Graph *graph, uint32_t index, int side) {
  Instruction *in = &graph->lowering->code[index];
  Instruction *inner = inner_of(graph, index, side);
  Place other = in->src[1 - side];
  if (!inner || !is_sum(inner) || !has_room(inner, other)) return false;
  bool is_difference = in->form.op == OP_SUB, inner_is_difference = inner->form.op == OP_SUB;
  bool inner_is_minus = is_difference && side == 1, other_is_minus = is_difference && side == 0;
  in->offset = (inner_is_minus ? 1 : 0) | (inner_is_minus != inner_is_difference ? 2 : 0) |
               (other_is_minus ? 4 : 0);
  in->form.op = OP_ADD;
  in->exec = exec_add_three;
  in->text = "add.three.s32";
  become(in, inner, other);
  return true;
}

static bool join_shift(const Graph *graph, uint32_t index, int side) {
  Instruction *in = &graph->lowering->code[index];
  Instruction *inner = inner_of(graph, index, side);
  uint64_t shift;
  bool is_shift = inner && in->form.op == OP_ADD && instruction_is_modular(inner, OP_SHR, 32) &&
                  type_kind((DataType)inner->form.type) != KIND_SIGNED && inner->src[0] >= 0 &&
                  constant_value(graph->lowering, inner->src[1], 32, &shift) && shift < 32;
  if (!is_shift) return false;
  Place other = in->src[1 - side];
  become(in, inner, NO_PLACE);
  in->src[1] = other;
  in->offset = (int64_t)shift;
  in->exec = exec_shift_add;
  in->text = "shift.add.u32";
  return true;
}

// ---- logic

static uint32_t table_of(Opcode op, uint32_t a, uint32_t b) {
  return op == OP_AND ? a & b : op == OP_OR ? a | b : a ^ b;
}

static bool join_logic(const Graph *graph, uint32_t index, int side, int bits) {
  Instruction *in = &graph->lowering->code[index];
  Instruction *inner = inner_of(graph, index, side);
  Place other = in->src[1 - side];
  if (!inner || !is_logical(inner, bits) || !has_room(inner, other)) return false;
  uint32_t table = table_of((Opcode)inner->form.op, TABLE_A, TABLE_B);
  in->offset = table_of((Opcode)in->form.op, table, TABLE_C);
  in->form = (Form){.op = OP_LOP3, .type = bits == 32 ? TYPE_B32 : TYPE_B64, .vector = 1};
  in->exec = bits == 32 ? exec_find(&in->form) : exec_logic_three_64;
  in->text = bits == 32 ? "lop3.b32" : "lop3.b64";
  become(in, inner, other);
  return true;
}

static void visit(Graph *graph, uint32_t index) {
  const Instruction *in = &graph->lowering->code[index];
  if (in->dst[0] < 0 || in->dst[1] != NO_PLACE || in->list) return;
  if (is_sum(in) && !join_sums(graph, index, 0) && !join_sums(graph, index, 1) &&
      !join_shift(graph, index, 0))
    join_shift(graph, index, 1);
  for (int bits = 32; bits <= 64; bits += 32)
    if (is_logical(in, bits) && !join_logic(graph, index, 0, bits))
      join_logic(graph, index, 1, bits);
}

void triples_join(Graph *graph) {
  graph_walk(graph, visit);
  graph_count(graph);
}
