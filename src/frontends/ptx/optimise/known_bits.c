// SPDX-License-Identifier: MIT
// Follows definitions, a few steps far.
#include "frontends/ptx/optimise/known_bits.h"

#include "frontends/ptx/optimise/alias.h"
#include "frontends/ptx/optimise/simplify.h"

enum { FARTHEST = 6 };

typedef struct Asking {
  const Graph *graph;
  uint32_t index;  // of the reader
  int depth;
} Asking;

static int bits_of(Asking asking, Place place, int bits);

static int least(int a, int b) {
  return a < b ? a : b;
}

static int most(int a, int b) {
  return a > b ? a : b;
}

static int constant_bits(const Graph *graph, Place place, int bits) {
  uint64_t value;
  if (!constant_value(graph->lowering, place, bits == 64 ? 64 : 32, &value)) return bits;
  return value ? 64 - __builtin_clzll(value) : 0;
}

static bool is_unsigned(uint8_t type) {
  TypeKind kind = type_kind((DataType)type);
  return kind == KIND_UNSIGNED || kind == KIND_BITS;
}

static int load_bits(const Instruction *in, int bits) {
  bool is_known = in->form.op == OP_LD && in->form.vector <= 1 && is_unsigned(in->form.type);
  return is_known ? least(bits, type_bits((DataType)in->form.type)) : bits;
}

// Of what an instruction writes.
static int result_bits(Asking asking, const Instruction *in, int bits) {
  int width = type_bits((DataType)in->form.type), from = type_bits((DataType)in->form.type2);
  switch (in->form.op) {
    case OP_LD: return load_bits(in, bits);
    case OP_AND: return least(bits_of(asking, in->src[0], bits), bits_of(asking, in->src[1], bits));
    case OP_OR:
    case OP_XOR: return most(bits_of(asking, in->src[0], bits), bits_of(asking, in->src[1], bits));
    case OP_MOV: return bits_of(asking, in->src[0], bits);
    case OP_CVT:
      if (!is_unsigned(in->form.type) || !is_unsigned(in->form.type2) || in->form.sat) return bits;
      return least(least(bits, width), least(from, bits_of(asking, in->src[0], from)));
    default: return bits;
  }
}

static int bits_of(Asking asking, Place place, int bits) {
  if (place < 0) return place == NO_PLACE ? bits : constant_bits(asking.graph, place, bits);
  const Instruction *in = operand_writer(asking.graph, place, asking.index);
  if (!in || asking.depth == FARTHEST || in->special[0] || in->negated) return bits;
  asking.depth++;
  asking.index = (uint32_t)(in - asking.graph->lowering->code);
  if (!graph_is_value(asking.graph, place)) return load_bits(in, bits);
  return result_bits(asking, in, bits);
}

int operand_known_bits(const Graph *graph, Place place, uint32_t index, int bits) {
  return bits_of((Asking){graph, index, 0}, place, bits);
}
