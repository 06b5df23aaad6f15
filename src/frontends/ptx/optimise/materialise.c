// SPDX-License-Identifier: MIT
// A machine instruction takes at most one operand from constant memory or as an
// immediate; the others, and the base of an address, must be registers. Further
// constants of a PTX instruction are moved to registers at the kernel's entry, once
// for all uses. Zero is free: it has a dedicated register.
#include <string.h>

#include "base/memory.h"
#include "frontends/ptx/optimise/steps.h"

// More would occupy too many registers throughout the kernel.
enum { MOST_MOVED = 8 };

typedef struct Moved {
  Place from, to;
  int bits;
} Moved;

typedef struct Materialising {
  Lowering *lowering;
  Moved moved[MOST_MOVED];
  uint32_t count;
} Materialising;

static bool is_preloaded(const Lowering *lowering, Place place) {
  return place >= 0 && (uint32_t)place >= lowering->first_preloaded &&
         (uint32_t)place < lowering->end_preloaded;
}

static int bits_of(const Instruction *in, int source) {
  bool is_wide_addend = in->form.op == OP_MAD && in->form.width == WIDTH_WIDE && source == 2;
  if (is_wide_addend) return 64;
  bool is_shift = (in->form.op == OP_SHL || in->form.op == OP_SHR) && source == 1;
  return is_shift ? 32 : type_bits((DataType)in->form.type);
}

// A factor that is a power of two is encoded in the shift-and-add instruction.
static bool is_shift(const Lowering *lowering, const Instruction *in, int source) {
  uint64_t value;
  bool is_scale =
      in->form.width == WIDTH_LOW || !compiler_rules(lowering->linker->compiler)->has_wide_mad;
  return in->form.op == OP_MAD && is_scale && source == 1 &&
         constant_value(lowering, in->src[source], bits_of(in, source), &value) && value &&
         !(value & (value - 1));
}

static bool is_constant(const Lowering *lowering, const Instruction *in, int source) {
  Place place = in->src[source];
  uint64_t value;
  int bits = bits_of(in, source);
  if (place == NO_PLACE) return false;
  if (place >= 0) return is_preloaded(lowering, place);
  if (is_shift(lowering, in, source)) return false;
  return constant_value(lowering, place, bits == 64 ? 64 : 32, &value) && value != 0;
}

// The register that holds a constant, allocated within the limit; else the constant.
static Place in_register(Materialising *materialising, Place from, int bits) {
  for (uint32_t k = 0; k < materialising->count; k++)
    if (materialising->moved[k].from == from && materialising->moved[k].bits == bits)
      return materialising->moved[k].to;
  if (materialising->count == MOST_MOVED) return from;
  Place to = lower_hidden(materialising->lowering, bits == 64 ? TYPE_B64 : TYPE_B32);
  materialising->moved[materialising->count++] = (Moved){from, to, bits};
  return to;
}

// Constant fields are in the operands of what bfe becomes (expand.c).
static bool is_field(const Lowering *lowering, const Instruction *in) {
  return in->form.op == OP_BFE && compiler_rules(lowering->linker->compiler)->follows_ptxas_13;
}

static bool has_operands(const Instruction *in) {
  Family family = opcode_info[in->form.op].family;
  int bits = type_bits((DataType)in->form.type);
  return (family == FAMILY_ARITHMETIC || in->form.op == OP_SETP || in->form.op == OP_SELP) &&
         (bits == 32 || bits == 64) && !in->special[0] && !in->list;
}

// The last constant stays an operand: in mad that is the addend.
static void visit_operands(Materialising *materialising, Instruction *in) {
  int sources = in->form.op == OP_SETP || in->form.op == OP_SELP ? 2 : 3, count = 0;
  for (int k = 0; k < sources; k++) count += is_constant(materialising->lowering, in, k);
  for (int k = 0; k < sources && count > 1; k++)
    if (is_constant(materialising->lowering, in, k)) {
      in->src[k] = in_register(materialising, in->src[k], bits_of(in, k));
      count--;
    }
}

static void visit(Materialising *materialising, Instruction *in) {
  bool is_access = in->form.op == OP_LD || in->form.op == OP_ST || in->form.op == OP_ATOM ||
                   in->form.op == OP_RED;
  if (has_operands(in) && !is_field(materialising->lowering, in)) visit_operands(materialising, in);
  if (is_access && is_preloaded(materialising->lowering, in->src[0]))
    in->src[0] = in_register(materialising, in->src[0], in->address_bytes * 8);
}

static Instruction move_of(const Materialising *materialising, const Moved *moved) {
  const Instruction *first = &materialising->lowering->code[0];
  Instruction in = {.guard = NO_PLACE,
                    .reconverge = NO_RECONVERGENCE,
                    .line = first->line,
                    .source = first->source,
                    .text = moved->bits == 64 ? "mov.b64" : "mov.b32"};
  for (int i = 0; i < MAX_DESTINATIONS; i++) in.dst[i] = NO_PLACE;
  for (int i = 0; i < MAX_SOURCES; i++) in.src[i] = NO_PLACE;
  for (int i = 0; i < MAX_SPECIALS; i++) in.special_place[i] = NO_PLACE;
  in.form = (Form){.op = OP_MOV, .type = moved->bits == 64 ? TYPE_B64 : TYPE_B32, .vector = 1};
  in.exec = moved->bits == 64 ? exec_mov_64 : exec_mov_32;
  in.dst[0] = moved->to;
  in.src[0] = moved->from;
  return in;
}

// Branches to the first instruction skip the moves inserted before it.
static void insert_moves(const Materialising *materialising) {
  Lowering *lowering = materialising->lowering;
  uint32_t count = materialising->count;
  Instruction moves[MOST_MOVED];
  for (uint32_t k = 0; k < count; k++) moves[k] = move_of(materialising, &materialising->moved[k]);
  lower_reserve(lowering, lowering->code_count + count);
  memmove(lowering->code + count, lowering->code, sizeof(Instruction) * lowering->code_count);
  memcpy(lowering->code, moves, sizeof(Instruction) * count);
  lowering->code_count += count;
  for (uint32_t i = count; i < lowering->code_count; i++) {
    Instruction *in = &lowering->code[i];
    if (in->form.op == OP_BRA) in->target += count;
    if (in->form.op == OP_BRX)
      for (int64_t k = 0; k < in->offset; k++) ((uint32_t *)(uintptr_t)in->targets)[k] += count;
  }
}

void constants_materialise(Lowering *lowering) {
  Materialising materialising = {.lowering = lowering};
  if (!lowering->linked->is_kernel) return;
  for (uint32_t i = 0; i < lowering->code_count; i++) visit(&materialising, &lowering->code[i]);
  if (materialising.count) insert_moves(&materialising);
}
