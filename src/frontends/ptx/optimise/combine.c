// SPDX-License-Identifier: MIT
// Combines products and sums into mad, and sums with constants into address offsets.
#include "base/memory.h"
#include "frontends/ptx/optimise/simplify.h"
#include "frontends/ptx/optimise/steps.h"

// Maximum number of uses of a product that may each recompute it in a mad. No limit
// applies to 64-bit sums, as hardware needs two instructions to add, but one to
// multiply and add, or two to shift and add.
enum { MOST_READERS = 4 };

// Use counts are conservative: never below the actual number.
static void count_read(Graph *graph, Place place) {
  if (place >= 0) graph->read_count[place]++;
}

// ---- mad

// The product held by a register, as factors; a shift is a product with a power of two.
typedef struct Product {
  Place a, b;
  uint8_t type, width;
} Product;

static bool product_of(const Graph *graph, Place place, int bits, uint32_t index,
                       Product *product) {
  const Lowering *lowering = graph->lowering;
  const Instruction *from = operand_writer(graph, place, index);
  if (!from || (bits == 32 && graph->read_count[place] > MOST_READERS)) return false;
  bool is_wide =
      bits == 64 && instruction_is_modular(from, OP_MUL, 32) && from->form.width == WIDTH_WIDE;
  bool is_low = instruction_is_modular(from, OP_MUL, bits) && from->form.width == WIDTH_LOW &&
                graph->read_count[place] <= MOST_READERS;
  uint64_t shift = 0;
  bool is_shift = instruction_is_modular(from, OP_SHL, bits) &&
                  constant_value(lowering, from->src[1], 32, &shift) && shift < 31;
  *product = (Product){from->src[0], from->src[1], from->form.type, from->form.width};
  if (is_shift) {
    product->b = constant_place(&lowering->linker->constants, UINT64_C(1) << shift, bits / 8);
    product->type = bits == 64 ? TYPE_U64 : TYPE_U32;
    product->width = WIDTH_LOW;
  }
  uint32_t at = (uint32_t)(from - lowering->code);
  return (is_wide || is_low || is_shift) && operand_unchanged(graph, product->a, at, index) &&
         operand_unchanged(graph, product->b, at, index);
}

static bool fuse(Graph *graph, Instruction *in, uint32_t index, int bits, Place factor,
                 Place addend) {
  Product product;
  // A constant addend is folded into address offsets instead.
  if (addend < 0 || !product_of(graph, factor, bits, index, &product)) return false;
  Form form = {.op = OP_MAD, .type = product.type, .width = product.width, .vector = 1};
  ExecFn exec = exec_find(&form);
  if (!exec) return false;
  in->form = form;
  in->exec = exec;
  in->src[0] = product.a;
  in->src[1] = product.b;
  in->src[2] = addend;
  count_read(graph, product.a);
  count_read(graph, product.b);
  instruction_rename(graph->lowering, in, product.width == WIDTH_WIDE ? "mad.wide" : "mad.lo");
  return true;
}

static void fuse_sum(Graph *graph, uint32_t index) {
  Instruction *in = &graph->lowering->code[index];
  int bits = type_bits((DataType)in->form.type);
  if ((bits != 32 && bits != 64) || !instruction_is_modular(in, OP_ADD, bits)) return;
  Place a = in->src[0], b = in->src[1];
  if (!fuse(graph, in, index, bits, a, b)) fuse(graph, in, index, bits, b, a);
}

// ---- sums of three

// x + (z + c), if z + c has no other use, becomes (x + z) + c, so that c can be folded
// into an offset. The inner sum changes, so its other operand must be available there.
static void move_constant_out(Graph *graph, uint32_t index) {
  Lowering *lowering = graph->lowering;
  Instruction *in = &lowering->code[index];
  int bits = type_bits((DataType)in->form.type);
  if ((bits != 32 && bits != 64) || !instruction_is_modular(in, OP_ADD, bits)) return;
  for (int side = 0; side < 2; side++) {
    Place inner = in->src[side], other = in->src[1 - side];
    uint64_t value;
    if (!graph_is_value(graph, inner) || graph->read_count[inner] != 1) continue;
    if (!graph_is_value(graph, other)) continue;
    Instruction *from = graph_writer(graph, inner);
    if (!instruction_is_modular(from, OP_ADD, bits) || from->src[0] < 0 ||
        !constant_value(lowering, from->src[1], bits, &value) ||
        !graph_dominates(graph, graph->writer[other], graph->writer[inner]))
      continue;
    in->src[0] = inner;
    in->src[1] = from->src[1];
    from->src[1] = other;
    instruction_order_sources(from);
    count_read(graph, other);
    return;
  }
}

// ---- addresses

static bool has_address(const Instruction *in) {
  switch (in->form.op) {
    case OP_LD:
    case OP_LDU:
    case OP_ST:
    case OP_ATOM:
    case OP_RED:
    case OP_LDMATRIX:
    case OP_STMATRIX: return true;
    case OP_WMMA: return in->form.mode == MODE_LOAD || in->form.mode == MODE_STORE;
    case OP_CP: return in->form.mode == MODE_ASYNC;
    default: return false;
  }
}

static uint64_t cut(uint64_t value, int bits) {
  return bits == 32 ? (uint32_t)value : value;
}

// base = other + constant: the access uses other, and adds the constant to its offset.
static bool fold_sum(Graph *graph, Place *base, int bits, uint32_t index, int64_t *offset) {
  const Lowering *lowering = graph->lowering;
  const Instruction *from = operand_writer(graph, *base, index);
  uint64_t value;
  if (!from) return false;
  bool is_sum = instruction_is_modular(from, OP_ADD, bits);
  bool is_difference = instruction_is_modular(from, OP_SUB, bits);
  if ((!is_sum && !is_difference) || !constant_value(lowering, from->src[1], bits, &value))
    return false;
  if (!operand_unchanged(graph, from->src[0], (uint32_t)(from - lowering->code), index))
    return false;
  *base = from->src[0];
  count_read(graph, *base);
  *offset = (int64_t)((uint64_t)*offset + (is_sum ? value : 0 - value));
  return true;
}

static void fold_sums(Graph *graph, Place *base, int bits, uint32_t index, int64_t *offset) {
  enum { LONGEST_CHAIN = 16 };
  for (int i = 0; i < LONGEST_CHAIN && *base >= 0; i++)
    if (!fold_sum(graph, base, bits, index, offset)) return;
}

// The source of an asynchronous copy, whose offset has 32 bits.
static void fold_source(Graph *graph, Instruction *in, uint32_t index) {
  Place base = in->src[1];
  int64_t offset = (int32_t)in->target;
  fold_sums(graph, &base, in->src_bytes == 4 ? 32 : 64, index, &offset);
  if (offset != (int32_t)offset) return;
  in->src[1] = base;
  in->target = (uint32_t)offset;
}

// base is a constant, or the address of a variable in the thread's frame.
static void fold_base(const Graph *graph, Instruction *in, uint32_t index) {
  uint64_t value;
  int bits = in->address_bytes * 8;
  if (constant_value(graph->lowering, in->src[0], bits, &value)) {
    in->offset = (int64_t)cut((uint64_t)in->offset + value, bits);
    in->src[0] = NO_PLACE;
    return;
  }
  const Instruction *from = operand_writer(graph, in->src[0], index);
  if (!from || from->exec != exec_mov_address || from->dst_bytes != 8 || bits != 64) return;
  in->offset = (int64_t)((uint64_t)in->offset + (uint64_t)from->offset);
  in->address_base = from->address_base;
  in->src[0] = NO_PLACE;
}

static void fold_address(Graph *graph, uint32_t index) {
  Instruction *in = &graph->lowering->code[index];
  if (!has_address(in)) return;
  fold_sums(graph, &in->src[0], in->address_bytes * 8, index, &in->offset);
  if (in->src[0] != NO_PLACE && in->address_base == BASE_ABSOLUTE) fold_base(graph, in, index);
  if (in->form.op == OP_CP) fold_source(graph, in, index);
}

// ---- copies of variables, until these change

typedef struct Reader {
  Graph *graph;
  const Instruction *in;
  uint32_t index;
} Reader;

static void read_copied(void *state, Place *place, PlaceUse use) {
  const Reader *reader = state;
  if (use != PLACE_READ) return;
  const Instruction *from = operand_writer(reader->graph, *place, reader->index);
  if (!from || !instruction_is_copy(from)) return;
  if (from->src[0] < 0 && place == &reader->in->guard) return;
  uint32_t at = (uint32_t)(from - reader->graph->lowering->code);
  if (!operand_unchanged(reader->graph, from->src[0], at, reader->index)) return;
  *place = from->src[0];
  count_read(reader->graph, *place);
}

void combine_instruction(Graph *graph, uint32_t index) {
  Instruction *in = &graph->lowering->code[index];
  Reader reader = {graph, in, index};
  instruction_each_place(in, graph->lowering->linked, read_copied, &reader);
  move_constant_out(graph, index);
  fuse_sum(graph, index);
  fold_address(graph, index);
}

void sums_combine(Graph *graph) {
  graph_walk(graph, combine_instruction);
  graph_count(graph);
}
