// SPDX-License-Identifier: MIT
// Replaces an instruction with a simpler one that has identical results.
#include "frontends/ptx/optimise/simplify.h"

#include <string.h>

#include "frontends/ptx/optimise/known_bits.h"

static bool is_integer(uint8_t type) {
  TypeKind kind = type_kind((DataType)type);
  return kind == KIND_BITS || kind == KIND_SIGNED || kind == KIND_UNSIGNED;
}

static uint64_t cut(uint64_t value, int bits) {
  return bits == 32 ? (uint32_t)value : value;
}

static bool is_unsigned(uint8_t type) {
  TypeKind kind = type_kind((DataType)type);
  return kind == KIND_BITS || kind == KIND_UNSIGNED;
}

bool instruction_is_copy(const Instruction *in) {
  bool is_plain = in->exec == exec_mov_32 || in->exec == exec_mov_64 ||
                  (in->exec == exec_mov_predicate && !in->negated);
  return is_plain && in->guard == NO_PLACE && !in->special[0] && in->src[0] != NO_PLACE &&
         in->src[1] == NO_PLACE && in->form.op != OP_MAPA;
}

bool instruction_is_modular(const Instruction *in, Opcode op, int bits) {
  return in->form.op == op && in->guard == NO_PLACE && !in->form.sat && !in->form.carry_out &&
         !in->special[0] && is_integer(in->form.type) && type_bits((DataType)in->form.type) == bits;
}

const Instruction *operand_writer(const Graph *graph, Place place, uint32_t index) {
  if (place < 0) return NULL;
  uint32_t writer = NO_INDEX;
  if (graph_is_value(graph, place))
    writer = graph->writer[place];
  else if (graph->last_write[place] &&
           graph->flow.block_of[graph->last_write[place] - 1] == graph->flow.block_of[index])
    writer = graph->last_write[place] - 1;
  if (writer == NO_INDEX) return NULL;
  const Instruction *in = &graph->lowering->code[writer];
  bool is_single = in->guard == NO_PLACE && in->dst[0] == place && in->dst[1] == NO_PLACE &&
                   !in->call && !in->list && !instruction_is_removed(in);
  return is_single ? in : NULL;
}

bool operand_unchanged(const Graph *graph, Place place, uint32_t since, uint32_t index) {
  if (place < 0 || graph_is_value(graph, place)) return true;
  return graph->flow.block_of[since] == graph->flow.block_of[index] &&
         graph->last_write[place] <= since;
}

void instruction_rename(const Lowering *lowering, Instruction *in, const char *opcode) {
  in->text = arena_printf(&lowering->linker->program->arena, "%s.%s", opcode,
                          type_name((DataType)in->form.type));
}

// ---- constants

static void become_copy(Instruction *in, Place source, int bits) {
  for (int i = 0; i < MAX_SOURCES; i++) in->src[i] = NO_PLACE;
  in->src[0] = source;
  in->negated = 0;
  in->exec = bits == 64 ? exec_mov_64 : exec_mov_32;
  in->form = (Form){.op = OP_MOV, .type = bits == 64 ? TYPE_B64 : TYPE_B32, .vector = 1};
  in->dst_bytes = in->src_bytes = 0;
  in->offset = 0;
  in->text = bits == 64 ? "mov.b64" : "mov.b32";
}

// cvt.u64.u32.
static void become_widening(const Lowering *lowering, Instruction *in) {
  Form form = {.op = OP_CVT, .type = TYPE_U64, .type2 = TYPE_U32, .vector = 1};
  in->form = form;
  in->exec = exec_find(&form);
  in->dst_bytes = 8;
  in->src_bytes = 4;
  instruction_rename(lowering, in, "cvt.u64");
}

static bool is_computation(const Instruction *in) {
  Family family = opcode_info[in->form.op].family;
  bool is_plain = family == FAMILY_ARITHMETIC || in->form.op == OP_CVT || in->form.op == OP_SLCT;
  return is_plain && in->src[0] != NO_PLACE && !in->special[0] && !in->list &&
         in->dst[1] == NO_PLACE && !in->form.carry_out && in->form.op != OP_ADDC &&
         in->form.op != OP_SUBC && in->form.op != OP_MADC;
}

static int lane_bits(const Lowering *lowering, Place place) {
  DataType type = lowering->register_types[place];
  return type == TYPE_PRED ? 1 : type_bits(type) == 64 ? 64 : 32;
}

// Evaluated by the functions that execute the instruction, on one lane of a minimal
// warp.
static bool fold_constants(const Lowering *lowering, Instruction *in) {
  if (!is_computation(in) || in->dst[0] < 0) return false;
  for (int i = 0; i < MAX_SOURCES; i++)
    if (in->src[i] >= 0) return false;
  int bits = lane_bits(lowering, in->dst[0]);
  if (bits == 1) return false;
  Constants *constants = &lowering->linker->constants;
  _Alignas(64) uint64_t lanes[WARP_LANES] = {0};
  Warp warp = {.base = {(uint8_t *)lanes, constants->bytes}};
  ExecContext context = {0};
  Instruction once = *in;
  once.dst[0] = 0;
  once.guard = NO_PLACE;
  once.exec(&context, &warp, &once, 1);
  uint64_t value = 0;
  memcpy(&value, lanes, (size_t)bits / 8);
  become_copy(in, constant_place(constants, value, bits / 8), bits);
  return true;
}

// ---- identities

static bool is_constant(const Lowering *lowering, Place place, int bits, uint64_t value) {
  uint64_t found;
  return constant_value(lowering, place, bits, &found) && found == value;
}

static bool is_commutative(Opcode op) {
  return op == OP_ADD || op == OP_MUL || op == OP_AND || op == OP_OR || op == OP_XOR ||
         op == OP_MIN || op == OP_MAX;
}

// Canonical order, so that equal sums have equal keys: registers by number, constants
// last.
void instruction_order_sources(Instruction *in) {
  if (!is_commutative((Opcode)in->form.op) || !is_integer(in->form.type) ||
      in->src[2] != NO_PLACE || in->special[0])
    return;
  bool swap = in->src[0] < 0 ? in->src[1] >= 0 : in->src[1] >= 0 && in->src[1] < in->src[0];
  if (!swap) return;
  Place first = in->src[0];
  in->src[0] = in->src[1];
  in->src[1] = first;
}

// x + 0, x * 1, x << 0, x & -1 etc.
static bool fold_identity(const Lowering *lowering, Instruction *in) {
  int bits = type_bits((DataType)in->form.type);
  if (bits != 32 && bits != 64) return false;
  uint64_t ones = bits == 64 ? UINT64_MAX : UINT32_MAX;
  bool same = false;
  switch (in->form.op) {
    case OP_ADD:
    case OP_SUB:
    case OP_OR:
    case OP_XOR:
      same = instruction_is_modular(in, (Opcode)in->form.op, bits) &&
             is_constant(lowering, in->src[1], bits, 0);
      break;
    case OP_SHL:
    case OP_SHR:
      same = instruction_is_modular(in, (Opcode)in->form.op, bits) &&
             is_constant(lowering, in->src[1], 32, 0);
      break;
    case OP_AND:
      same =
          instruction_is_modular(in, OP_AND, bits) && is_constant(lowering, in->src[1], bits, ones);
      break;
    case OP_MUL:
      same = instruction_is_modular(in, OP_MUL, bits) && in->form.width == WIDTH_LOW &&
             is_constant(lowering, in->src[1], bits, 1);
      break;
    default: break;
  }
  if (same) become_copy(in, in->src[0], bits);
  return same;
}

// c * d + x with constants.
static void fold_product(const Graph *graph, Instruction *in) {
  const Lowering *lowering = graph->lowering;
  int bits = type_bits((DataType)in->form.type);
  uint64_t c, d;
  if (!graph->knows_bits || (bits != 32 && bits != 64) ||
      !instruction_is_modular(in, OP_MAD, bits) || in->form.width != WIDTH_LOW || in->src[2] < 0 ||
      !constant_value(lowering, in->src[0], bits, &c) ||
      !constant_value(lowering, in->src[1], bits, &d))
    return;
  in->form = (Form){.op = OP_ADD, .type = in->form.type, .vector = 1};
  in->exec = exec_find(&in->form);
  in->src[0] = in->src[2];
  in->src[1] = constant_place(&lowering->linker->constants, cut(c * d, bits), bits / 8);
  in->src[2] = NO_PLACE;
  instruction_rename(lowering, in, "add");
}

// cvt between integers of the same width, and cvta of windows at address 0.
static bool fold_conversion(Instruction *in) {
  int bits = type_bits((DataType)in->form.type);
  bool is_plain = in->form.op == OP_CVT && is_integer(in->form.type) &&
                  is_integer(in->form.type2) && bits == type_bits((DataType)in->form.type2) &&
                  (bits == 32 || bits == 64) && !in->form.sat && in->dst_bytes * 8 == bits &&
                  in->src_bytes * 8 == bits && !in->special[0];
  if (is_plain) become_copy(in, in->src[0], bits);
  return is_plain;
}

// An unsigned value that fits is widened or cut by a copy; to 64 bits it is widened from 32, which
// costs nothing where it is used (expand.c).
static bool fold_known(Graph *graph, uint32_t index) {
  Instruction *in = &graph->lowering->code[index];
  if (!graph->knows_bits || in->form.op != OP_CVT || in->form.sat || in->special[0] ||
      in->guard != NO_PLACE || !is_unsigned(in->form.type) || !is_unsigned(in->form.type2))
    return false;
  int to = type_bits((DataType)in->form.type), from = type_bits((DataType)in->form.type2);
  if (from > 32 || (from == 32 && to == 64)) return false;
  int known = operand_known_bits(graph, in->src[0], index, 32);
  if (known > to || known > from) return false;
  if (to <= 32) become_copy(in, in->src[0], 32);
  if (to == 64) become_widening(graph->lowering, in);
  return to <= 32;
}

// A mask that covers every bit that can be set.
static bool fold_mask(Graph *graph, uint32_t index) {
  Instruction *in = &graph->lowering->code[index];
  int bits = type_bits((DataType)in->form.type);
  uint64_t mask;
  if (!graph->knows_bits || in->form.op != OP_AND || in->special[0] || in->negated ||
      in->form.type == TYPE_PRED || in->guard != NO_PLACE ||
      !constant_value(graph->lowering, in->src[1], bits == 64 ? 64 : 32, &mask))
    return false;
  int known = operand_known_bits(graph, in->src[0], index, bits == 64 ? 64 : 32);
  if (known >= 64 || (mask & ((UINT64_C(1) << known) - 1)) != (UINT64_C(1) << known) - 1)
    return false;
  become_copy(in, in->src[0], bits == 64 ? 64 : 32);
  return true;
}

// ---- products of a widened factor

static const Instruction *widening(const Graph *graph, Place place, uint32_t index) {
  const Instruction *from = operand_writer(graph, place, index);
  if (!from || from->form.op != OP_CVT || from->special[0] || from->form.sat) return NULL;
  bool is_wide = type_bits((DataType)from->form.type) == 64 && is_integer(from->form.type) &&
                 (from->form.type2 == TYPE_S32 || from->form.type2 == TYPE_U32) &&
                 from->dst_bytes == 8 && from->src_bytes == 4;
  uint32_t at = (uint32_t)(from - graph->lowering->code);
  return is_wide && operand_unchanged(graph, from->src[0], at, index) ? from : NULL;
}

// The constant factor of a left shift or product, if it fits mul.wide.
static bool constant_factor(const Lowering *lowering, const Instruction *in, uint64_t *factor) {
  if (instruction_is_modular(in, OP_SHL, 64)) {
    if (!constant_value(lowering, in->src[1], 32, factor) || *factor > 30) return false;
    *factor = UINT64_C(1) << *factor;
    return true;
  }
  return instruction_is_modular(in, OP_MUL, 64) && in->form.width == WIDTH_LOW &&
         constant_value(lowering, in->src[1], 64, factor) && *factor <= INT32_MAX;
}

static void widen_product(Graph *graph, uint32_t index) {
  Lowering *lowering = graph->lowering;
  Instruction *in = &lowering->code[index];
  uint64_t factor;
  if (in->guard != NO_PLACE || !constant_factor(lowering, in, &factor)) return;
  const Instruction *from = widening(graph, in->src[0], index);
  if (!from) return;
  Form form = {.op = OP_MUL, .type = from->form.type2, .width = WIDTH_WIDE, .vector = 1};
  ExecFn exec = exec_find(&form);
  if (!exec) return;
  in->form = form;
  in->exec = exec;
  in->src[0] = from->src[0];
  in->src[1] = constant_place(&lowering->linker->constants, factor, 4);
  instruction_rename(lowering, in, "mul.wide");
}

// ---- sums of sums

// (x + c) + d with constants: x + (c + d).
static void join_sums(Graph *graph, uint32_t index) {
  Lowering *lowering = graph->lowering;
  Instruction *in = &lowering->code[index];
  int bits = type_bits((DataType)in->form.type);
  uint64_t inner, outer;
  if ((bits != 32 && bits != 64) || !instruction_is_modular(in, OP_ADD, bits)) return;
  const Instruction *from = operand_writer(graph, in->src[0], index);
  if (!from || !instruction_is_modular(from, OP_ADD, bits) ||
      !constant_value(lowering, in->src[1], bits, &outer) ||
      !constant_value(lowering, from->src[1], bits, &inner) ||
      !operand_unchanged(graph, from->src[0], (uint32_t)(from - lowering->code), index))
    return;
  in->src[0] = from->src[0];
  in->src[1] = constant_place(&lowering->linker->constants, inner + outer, bits / 8);
}

// ---- predicates

static uint8_t operation_of(const Instruction *in) {
  switch (in->form.op) {
    case OP_AND: return OPERATION_AND;
    case OP_OR: return OPERATION_OR;
    case OP_XOR: return OPERATION_XOR;
    default: return OPERATION_NONE;
  }
}

// A comparison without other uses: and.pred can be merged into it.
static const Instruction *comparison_of(const Graph *graph, Place place, uint32_t index) {
  const Instruction *from = operand_writer(graph, place, index);
  if (!from || from->form.op != OP_SETP || from->form.operation != OPERATION_NONE ||
      from->special[0] || graph->read_count[place] != 1)
    return NULL;
  uint32_t at = (uint32_t)(from - graph->lowering->code);
  bool holds = operand_unchanged(graph, from->src[0], at, index) &&
               operand_unchanged(graph, from->src[1], at, index);
  return holds ? from : NULL;
}

static bool join_comparison(Graph *graph, uint32_t index, int side) {
  Lowering *lowering = graph->lowering;
  Instruction *in = &lowering->code[index];
  const Instruction *from = comparison_of(graph, in->src[side], index);
  Place other = in->src[1 - side];
  if (!from) return false;
  Form form = from->form;
  const char *name = opcode_info[in->form.op].name;
  form.operation = operation_of(in);
  ExecFn exec = exec_find(&form);
  if (!exec) return false;
  in->form = form;
  in->exec = exec;
  in->src[0] = from->src[0];
  in->src[1] = from->src[1];
  in->src[2] = other;
  in->src_bytes = from->src_bytes;
  in->dst_bytes = from->dst_bytes;
  const char *type = strrchr(from->text, '.');
  in->text = arena_printf(&lowering->linker->program->arena, "%.*s.%s%s", (int)(type - from->text),
                          from->text, name, type);
  return true;
}

static void join_comparisons(Graph *graph, uint32_t index) {
  const Instruction *in = &graph->lowering->code[index];
  if (in->form.type != TYPE_PRED || operation_of(in) == OPERATION_NONE || in->negated ||
      in->special[0])
    return;
  if (!join_comparison(graph, index, 0)) join_comparison(graph, index, 1);
}

void simplify_instruction(Graph *graph, uint32_t index) {
  const Lowering *lowering = graph->lowering;
  Instruction *in = &lowering->code[index];
  if (in->form.op == OP_MOV || !instruction_is_pure(in, lowering->linked)) return;
  if (fold_constants(lowering, in)) return;
  fold_product(graph, in);
  instruction_order_sources(in);
  if (fold_identity(lowering, in) || fold_conversion(in) || fold_known(graph, index) ||
      fold_mask(graph, index))
    return;
  widen_product(graph, index);
  join_sums(graph, index);
  join_comparisons(graph, index);
}
