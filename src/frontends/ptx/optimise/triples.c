// SPDX-License-Identifier: MIT
// Three-operand instructions of the hardware: two sums or differences become IADD3, a
// sum and a right shift LEA.HI, two logical operations LOP3. The inner operation must
// be in the same block, without other uses. After this step an addition may have three
// sources.
//
// From Volta on, as ptxas 13 does: a sum and a funnel shift are LEA.HI as well (a rotation of
// MD5), and logical operations of any number become one LOP3 if they have three operands in all.
#include "frontends/ptx/optimise/simplify.h"
#include "frontends/ptx/optimise/steps.h"

// Truth tables of the first, second and third source in LOP3's encoding.
enum { TABLE_A = 0xf0, TABLE_B = 0xcc, TABLE_C = 0xaa };

static bool is_sum(const Instruction *in) {
  return (instruction_is_modular(in, OP_ADD, 32) || instruction_is_modular(in, OP_SUB, 32)) &&
         in->exec != exec_add_three && in->exec != exec_shift_add && in->exec != exec_funnel_add;
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

// A third operand that is a constant would be the second of two that LEA.HI has no room for.
static bool join_funnel(const Graph *graph, uint32_t index, int side) {
  Instruction *in = &graph->lowering->code[index];
  Instruction *inner = inner_of(graph, index, side);
  Place other = in->src[1 - side];
  uint64_t shift;
  bool is_shift = inner && in->form.op == OP_ADD && inner->form.op == OP_SHF &&
                  inner->form.mode == MODE_LEFT && inner->src[0] >= 0 && inner->src[1] >= 0 &&
                  other >= 0 && constant_value(graph->lowering, inner->src[2], 32, &shift) &&
                  shift > 0 && shift < 32;
  if (!is_shift) return false;
  become(in, inner, other);
  in->offset = (int64_t)shift;
  in->exec = exec_funnel_add;
  in->text = "funnel.add.u32";
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

// ---- logic of any shape

// A function of at most four operands, three of them once `replace` has succeeded.
typedef struct Logic {
  Place leaves[4];
  int count;
  uint32_t table;  // bit 4a + 2b + c, of the first three
} Logic;

static bool logic_of(const Instruction *in, int bits, Logic *logic) {
  static const uint32_t leaf_tables[] = {TABLE_A, TABLE_B, TABLE_C};
  bool is_not = instruction_is_modular(in, OP_NOT, bits);
  bool is_lop3 = in->form.op == OP_LOP3 && type_bits((DataType)in->form.type) == bits;
  if (!is_not && !is_lop3 && !is_logical(in, bits)) return false;
  *logic = (Logic){.count = is_not ? 1 : is_lop3 ? 3 : 2};
  for (int i = 0; i < logic->count; i++) logic->leaves[i] = in->src[i];
  logic->table = is_not    ? ~leaf_tables[0] & 0xff
                 : is_lop3 ? (uint32_t)in->offset & 0xff
                           : table_of((Opcode)in->form.op, TABLE_A, TABLE_B);
  bool needs_third = (logic->table ^ logic->table >> 1) & (0xff ^ TABLE_C);
  if (is_lop3 && !needs_third) logic->count = 2;
  return true;
}

static int leaf_at(Logic *logic, Place place) {
  for (int i = 0; i < logic->count; i++)
    if (logic->leaves[i] == place) return i;
  if (logic->count < 4) logic->leaves[logic->count] = place;
  return logic->count++;
}

static uint32_t bits_at(const Logic *logic, const int *at, uint32_t row) {
  uint32_t index = 0;
  for (int i = 0; i < 3; i++) index = index << 1 | (i < logic->count ? row >> (2 - at[i]) & 1 : 0);
  return index;
}

// The operands of both, and the table of `outer` over them; false if these are more than three.
static bool replace(const Logic *outer, int leaf, const Logic *inner, Logic *both) {
  int outer_at[3] = {0}, inner_at[3] = {0};
  *both = (Logic){.count = 0};
  for (int i = 0; i < outer->count; i++)
    if (i != leaf) outer_at[i] = leaf_at(both, outer->leaves[i]);
  for (int i = 0; i < inner->count; i++) inner_at[i] = leaf_at(both, inner->leaves[i]);
  if (both->count > 3) return false;
  for (uint32_t row = 0; row < 8; row++) {
    uint32_t value = inner->table >> bits_at(inner, inner_at, row) & 1;
    uint32_t others = bits_at(outer, outer_at, row) & ~(4u >> leaf);
    if (outer->table >> (others | (value ? 4u >> leaf : 0)) & 1) both->table |= 1u << row;
  }
  return true;
}

static int constants_of(const Logic *logic) {
  int count = 0;
  for (int i = 0; i < logic->count; i++) count += logic->leaves[i] < 0;
  return count;
}

static void set_logic(const Graph *graph, Instruction *in, const Logic *logic, int bits) {
  Place zero = constant_place(&graph->lowering->linker->constants, 0, bits / 8);
  for (int i = 0; i < 3; i++) in->src[i] = i < logic->count ? logic->leaves[i] : zero;
  in->offset = logic->table;
  in->form = (Form){.op = OP_LOP3, .type = bits == 32 ? TYPE_B32 : TYPE_B64, .vector = 1};
  in->exec = bits == 32 ? exec_find(&in->form) : exec_logic_three_64;
  in->text = bits == 32 ? "lop3.b32" : "lop3.b64";
}

// The inner operation's third source counts, too, which inner_of does not look at.
static bool inner_logic(const Graph *graph, uint32_t index, int side, int bits, Logic *inner) {
  const Instruction *from = inner_of(graph, index, side);
  return from && logic_of(from, bits, inner) &&
         (inner->count < 3 ||
          operand_unchanged(graph, from->src[2], (uint32_t)(from - graph->lowering->code), index));
}

// Once: the operands of what is left are looked at again.
static bool join_any_logic(const Graph *graph, uint32_t index, int bits) {
  Instruction *in = &graph->lowering->code[index];
  Logic outer, inner, both;
  if (!logic_of(in, bits, &outer)) return false;
  for (int side = 0; side < outer.count; side++) {
    if (!inner_logic(graph, index, side, bits, &inner)) continue;
    if (!replace(&outer, side, &inner, &both) || constants_of(&both) > 1) continue;
    instruction_remove(graph_writer(graph, outer.leaves[side]));
    set_logic(graph, in, &both, bits);
    return true;
  }
  return false;
}

static void visit_sum(Graph *graph, uint32_t index) {
  const Instruction *in = &graph->lowering->code[index];
  if (!is_sum(in) || join_sums(graph, index, 0) || join_sums(graph, index, 1)) return;
  if (join_shift(graph, index, 0)) return;
  join_shift(graph, index, 1);
}

// Rotations first: two sums in one instruction leave the shift to one of its own.
static void visit_as_ptxas_13(Graph *graph, uint32_t index) {
  const Instruction *in = &graph->lowering->code[index];
  if (in->dst[0] < 0 || in->dst[1] != NO_PLACE || in->list) return;
  if (!is_sum(in) || (!join_funnel(graph, index, 0) && !join_funnel(graph, index, 1)))
    visit_sum(graph, index);
  for (int bits = 32; bits <= 64; bits += 32)
    while (join_any_logic(graph, index, bits)) continue;
}

static void visit(Graph *graph, uint32_t index) {
  const Instruction *in = &graph->lowering->code[index];
  if (in->dst[0] < 0 || in->dst[1] != NO_PLACE || in->list) return;
  visit_sum(graph, index);
  for (int bits = 32; bits <= 64; bits += 32)
    if (is_logical(in, bits) && !join_logic(graph, index, 0, bits))
      join_logic(graph, index, 1, bits);
}

void triples_join(Graph *graph, const CompilerRules *rules) {
  graph_walk(graph, rules->follows_ptxas_13 ? visit_as_ptxas_13 : visit);
  graph_count(graph);
}
