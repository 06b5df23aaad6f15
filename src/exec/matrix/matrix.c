// SPDX-License-Identifier: MIT
// Fragments: which elements of a matrix the registers of a lane hold.
#include "exec/matrix/matrix.h"

enum { WARP_LANES_PER_MATRIX = 32 };

ShapeSize shape_size(MatrixShape shape) {
  static const ShapeSize sizes[] = {
#define X(name, text, m, n, k) {m, n, k},
      SHAPE_LIST(X)
#undef X
  };
  return sizes[shape];
}

bool form_is_quads(const Form *form) {
  return form->op == OP_MMA && form->shape == SHAPE_M8N8K4 && form->type2 == TYPE_F16;
}

bool form_is_sparse(const Form *form) {
  return form->op == OP_MMA && form->mode == MODE_SPARSE;
}

// wmma.mma on f16 names only the accumulators: .f32.f16 are D and C.
static bool has_short_types(const Form *form) {
  return form->op == OP_WMMA && form->mode == MODE_MMA && !form->type3;
}

static DataType part_type(const Form *form, MatrixPart part) {
  if (form->op == OP_WMMA && form->mode != MODE_MMA) return form->type;
  bool is_short = has_short_types(form);
  switch (part) {
    case PART_A: return is_short ? TYPE_F16 : form->type2;
    case PART_B: return is_short ? TYPE_F16 : form->type3;
    case PART_C: return is_short ? form->type2 : form->type4;
    default: return form->type;
  }
}

// ---- which products there are

static bool among(uint8_t shape, const uint8_t *shapes) {
  for (; *shapes; shapes++)
    if (*shapes == shape) return true;
  return false;
}

// The shapes in which a multiplicand of this type comes.
static const uint8_t *shapes_of(Opcode op, DataType type) {
  static const uint8_t wide[] = {SHAPE_M16N16K16, SHAPE_M32N8K16, SHAPE_M8N32K16, 0};
  static const uint8_t wmma_tf32[] = {SHAPE_M16N16K8, 0}, wmma_f64[] = {SHAPE_M8N8K4, 0};
  static const uint8_t wmma_4[] = {SHAPE_M8N8K32, 0}, wmma_1[] = {SHAPE_M8N8K128, 0};
  static const uint8_t f16[] = {SHAPE_M8N8K4, SHAPE_M16N8K8, SHAPE_M16N8K16, 0};
  static const uint8_t bf16[] = {SHAPE_M16N8K8, SHAPE_M16N8K16, 0};
  static const uint8_t tf32[] = {SHAPE_M16N8K4, SHAPE_M16N8K8, 0};
  static const uint8_t f64[] = {SHAPE_M8N8K4, SHAPE_M16N8K4, SHAPE_M16N8K8, SHAPE_M16N8K16, 0};
  static const uint8_t int8[] = {SHAPE_M8N8K16, SHAPE_M16N8K16, SHAPE_M16N8K32, 0};
  static const uint8_t int4[] = {SHAPE_M8N8K32, SHAPE_M16N8K32, SHAPE_M16N8K64, 0};
  static const uint8_t bits[] = {SHAPE_M8N8K128, SHAPE_M16N8K128, SHAPE_M16N8K256, 0};
  static const uint8_t float8[] = {SHAPE_M16N8K16, SHAPE_M16N8K32, 0};
  static const uint8_t none[] = {0};
  bool is_wmma = op == OP_WMMA;
  switch (type) {
    case TYPE_F16: return is_wmma ? wide : f16;
    case TYPE_BF16: return is_wmma ? wide : bf16;
    case TYPE_TF32: return is_wmma ? wmma_tf32 : tf32;
    case TYPE_F64: return is_wmma ? wmma_f64 : f64;
    case TYPE_S8:
    case TYPE_U8: return is_wmma ? wide : int8;
    case TYPE_S4:
    case TYPE_U4: return is_wmma ? wmma_4 : int4;
    case TYPE_B1: return is_wmma ? wmma_1 : bits;
    case TYPE_E4M3:
    case TYPE_E5M2: return is_wmma ? none : float8;
    default: return none;
  }
}

// The shapes of mma.sp: k counts the elements of B.
static const uint8_t *sparse_shapes_of(DataType type) {
  static const uint8_t half[] = {SHAPE_M16N8K16, SHAPE_M16N8K32, 0};
  static const uint8_t tf32[] = {SHAPE_M16N8K8, SHAPE_M16N8K16, 0};
  static const uint8_t int8[] = {SHAPE_M16N8K32, SHAPE_M16N8K64, 0};
  static const uint8_t int4[] = {SHAPE_M16N8K64, SHAPE_M16N8K128, 0};
  static const uint8_t float8[] = {SHAPE_M16N8K64, 0};
  static const uint8_t none[] = {0};
  switch (type) {
    case TYPE_F16:
    case TYPE_BF16: return half;
    case TYPE_TF32: return tf32;
    case TYPE_S8:
    case TYPE_U8: return int8;
    case TYPE_S4:
    case TYPE_U4: return int4;
    case TYPE_E4M3:
    case TYPE_E5M2: return float8;
    default: return none;
  }
}

static bool is_pair(DataType a, DataType b, DataType first, DataType second) {
  return (a == first || a == second) && (b == first || b == second);
}

// Whether multiplicands of types a and b can be summed up in c and d.
static bool types_fit(DataType a, DataType b, DataType c, DataType d) {
  switch (a) {
    case TYPE_F16: return b == a && is_pair(c, d, TYPE_F16, TYPE_F32);
    case TYPE_E4M3:
    case TYPE_E5M2:
      return is_pair(a, b, TYPE_E4M3, TYPE_E5M2) && c == d && is_pair(c, d, TYPE_F16, TYPE_F32);
    case TYPE_BF16:
    case TYPE_TF32: return b == a && c == TYPE_F32 && d == TYPE_F32;
    case TYPE_F64: return b == a && c == a && d == a;
    case TYPE_S8:
    case TYPE_U8: return is_pair(a, b, TYPE_S8, TYPE_U8) && c == TYPE_S32 && d == TYPE_S32;
    case TYPE_S4:
    case TYPE_U4: return is_pair(a, b, TYPE_S4, TYPE_U4) && c == TYPE_S32 && d == TYPE_S32;
    case TYPE_B1: return b == a && c == TYPE_S32 && d == TYPE_S32;
    default: return false;
  }
}

// Of A row-major and B column-major there are all; of others only some.
static bool layout_fits(const Form *form, DataType type) {
  bool is_usual = !form->column && form->column2;
  if (form->op == OP_MMA) return form->layouts == 2 && (is_usual || form_is_quads(form));
  return form->layouts == 2 && (is_usual || (type_bits(type) >= 8));
}

static bool product_exists(const Form *form) {
  DataType a = part_type(form, PART_A), b = part_type(form, PART_B);
  bool on_bits = form->operation == OPERATION_XOR || form->operation == OPERATION_AND;
  bool is_integer = type_kind(part_type(form, PART_D)) == KIND_SIGNED;
  if (form->satfinite && (!is_integer || a == TYPE_B1)) return false;
  if (form->rounding && a != TYPE_F64) return false;
  const uint8_t *shapes = form_is_sparse(form) ? sparse_shapes_of(a) : shapes_of(form->op, a);
  return among(form->shape, shapes) && layout_fits(form, a) &&
         types_fit(a, b, part_type(form, PART_C), part_type(form, PART_D)) &&
         (a == TYPE_B1) == on_bits && !(form->operation && a != TYPE_B1);
}

// wmma.load and wmma.store see one part of a product.
static bool part_exists(const Form *form) {
  static const DataType multiplicands[] = {TYPE_F16, TYPE_BF16, TYPE_TF32, TYPE_F64, TYPE_S8,
                                           TYPE_U8,  TYPE_S4,   TYPE_U4,   TYPE_B1};
  bool is_sum = form->part == PART_C || form->part == PART_D;
  if (form->layouts != 1 || (form->mode == MODE_STORE) != (form->part == PART_D)) return false;
  if (!is_sum && type_bits(form->type) < 8 && form->column != (form->part == PART_B)) return false;
  if (!is_sum) return form->part && among(form->shape, shapes_of(OP_WMMA, form->type));
  for (unsigned i = 0; i < sizeof multiplicands / sizeof *multiplicands; i++)
    if (types_fit(multiplicands[i], multiplicands[i], form->type, form->type) &&
        among(form->shape, shapes_of(OP_WMMA, multiplicands[i])))
      return true;
  return false;
}

// ---- how they are spread

bool fragment_of(const Form *form, MatrixPart part, Fragment *fragment) {
  bool is_product = form->op == OP_MMA || form->mode == MODE_MMA;
  if (is_product ? !product_exists(form) : !part_exists(form)) return false;
  ShapeSize size = shape_size(form->shape);
  DataType type = part_type(form, part);
  bool is_sum = part == PART_C || part == PART_D, is_bits = type == TYPE_B1;
  if (is_bits) size.k /= 32;
  if (form_is_sparse(form) && part == PART_A) size.k /= 2;
  *fragment = (Fragment){.part = part, .type = is_bits ? TYPE_B32 : type};
  fragment->rows = part == PART_B ? size.k : size.m;
  fragment->columns = part == PART_A ? size.k : size.n;
  int bits = type_bits(fragment->type);
  fragment->elements = bits < 32 ? 32u / (uint32_t)bits : 1;
  uint32_t lane_elements = fragment->rows * fragment->columns / 32;
  if (form_is_quads(form)) lane_elements *= 4;
  fragment->distinct = fragment->registers = lane_elements / fragment->elements;
  if (form->op == OP_WMMA && type == TYPE_F16 && !is_sum) fragment->registers = 8;
  return true;
}

static MatrixPlace sum_place(const Fragment *fragment, uint32_t lane, uint32_t index) {
  uint32_t pair = index / 2, half = 0, column_blocks = fragment->columns / 8;
  if (fragment->rows > 8) {
    half = pair % 2;
    pair /= 2;
  }
  return (MatrixPlace){.row = pair / column_blocks * 16 + half * 8 + lane / 4,
                       .column = pair % column_blocks * 8 + lane % 4 * 2 + index % 2};
}

MatrixPlace fragment_place(const Fragment *fragment, uint32_t lane, uint32_t reg, uint32_t e) {
  uint32_t n = fragment->elements, block = reg % fragment->distinct, half = 0;
  if (fragment->part == PART_C || fragment->part == PART_D)
    return sum_place(fragment, lane, reg * n + e);
  bool is_a = fragment->part == PART_A;
  uint32_t depth = is_a ? fragment->columns : fragment->rows, steps = depth / (4 * n);
  if (is_a && fragment->rows > 8) {
    half = block % 2;
    block /= 2;
  }
  uint32_t k = block % steps * 4 * n + lane % 4 * n + e;
  uint32_t across = block / steps * (is_a ? 16 : 8) + half * 8 + lane / 4;
  return is_a ? (MatrixPlace){.row = across, .column = k}
              : (MatrixPlace){.row = k, .column = across};
}

MatrixPlace quad_place(const Form *form, MatrixPart part, DataType type, uint32_t lane,
                       uint32_t e) {
  uint32_t t = lane % 4, upper = lane < 16 ? 0 : 4;
  bool column = part == PART_A ? form->column : form->column2;
  switch (part) {
    case PART_A: return column ? (MatrixPlace){e + upper, t} : (MatrixPlace){t + upper, e};
    case PART_B: return column ? (MatrixPlace){e, t + upper} : (MatrixPlace){t, e + upper};
    default:
      if (type == TYPE_F16) return (MatrixPlace){t + upper, e};
      return (MatrixPlace){(lane & 1) + (e & 2) + upper, (e & 4) + (lane & 2) + (e & 1)};
  }
}

// ---- mma.sp

// Bits of a row's indices: four for every 16 bytes of a dense row of B's type. Rows of 16 bits
// are paired, row g in the lower and row g + 8 in the upper half of a word.
static uint32_t row_bits(const Form *form) {
  ShapeSize size = shape_size((MatrixShape)form->shape);
  uint32_t chunk = form->type2 == TYPE_TF32 ? 2 : type_bits((DataType)form->type2) == 4 ? 8 : 4;
  return size.k / chunk * 4;
}

static bool has_half_words(const Form *form) {
  return type_bits((DataType)form->type2) >= 16;
}

uint32_t metadata_selectors(const Form *form) {
  uint32_t words = 16 * row_bits(form) / 32;
  return WARP_LANES_PER_MATRIX / words;
}

// Bits of an element's index: of tf32 four, of which two values are valid; of int4 two for a pair.
static uint32_t first_bit(const Form *form, uint32_t column) {
  if (form->type2 == TYPE_TF32) return 4 * column;
  return type_bits((DataType)form->type2) == 4 ? 2 * (column / 2) : 2 * column;
}

MetadataPlace metadata_place(const Form *form, uint32_t selector, uint32_t row, uint32_t column) {
  uint32_t bit = first_bit(form, column), word_bits = has_half_words(form) ? 16 : 32;
  uint32_t word = bit / word_bits, group = row % 8, upper = row / 8;
  uint32_t lanes = 4 / metadata_selectors(form);  // of a group of four
  MetadataPlace place = {.bit = bit % word_bits, .bits = form->type2 == TYPE_TF32 ? 4 : 2};
  uint32_t thread = has_half_words(form) ? word : 2 * word + upper;
  if (has_half_words(form)) place.bit += 16 * upper;
  place.lane = group * 4 + selector * lanes + thread;
  return place;
}

uint32_t metadata_row(const Form *form, uint32_t column, uint32_t code) {
  if (form->type2 == TYPE_TF32) return 2 * column + code / 8;
  if (type_bits((DataType)form->type2) == 4) return column / 4 * 8 + 2 * code + column % 2;
  return column / 2 * 4 + code;
}
