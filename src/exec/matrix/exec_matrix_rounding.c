// SPDX-License-Identifier: MIT
// mma and wmma.mma: D = A * B + C of one warp.
//
// Fragments are gathered into matrices, multiplied and spread again. Products
// of narrow floats are exact in a double; their sum, with C and in the order of
// k, is kept in a double too and rounded once, to nearest, to the type of D.
// The hardware sums up in less than that, with truncations that are not
// documented, so its last bits differ from machine to machine. On f64 there
// is a fused multiply-add a step, in the rounding mode that the instruction names; on
// integers everything is exact modulo 2^32, or clamped with .satfinite.
// Of a tf32 the lower 13 bits are not looked at.
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "exec/matrix/exec_matrix.h"
#include "exec/arithmetic/float8.h"
#include "exec/arithmetic/half.h"
#include "exec/lanes.h"
#include "exec/matrix/matrix.h"

enum { MAX_SIDE = 32, MAX_DEPTH = 64, MAX_LANE_ELEMENTS = 32 };

// ---- elements

static double element_value(DataType type, uint64_t bits) {
  union {
    uint32_t bits;
    float value;
  } narrow = {.bits = (uint32_t)bits};
  double wide;
  switch (type) {
    case TYPE_F16: narrow.bits = f32_bits_from_f16((uint16_t)bits); return narrow.value;
    case TYPE_BF16: narrow.bits = (uint32_t)(bits << 16); return narrow.value;
    case TYPE_TF32: narrow.bits &= 0xffffe000u; return narrow.value;
    case TYPE_F32: return narrow.value;
    case TYPE_E4M3:
    case TYPE_E5M2: return float8_value((uint8_t)bits, type);
    default: memcpy(&wide, &bits, sizeof wide); return wide;
  }
}

static uint64_t element_bits(DataType type, double value) {
  union {
    float value;
    uint32_t bits;
  } narrow = {.value = (float)value};
  uint64_t bits;
  switch (type) {
    case TYPE_F16: return half_from_double(value, &format_f16);
    case TYPE_F32: return value != value ? 0x7fffffffu : narrow.bits;
    default: memcpy(&bits, &value, sizeof bits); return bits;
  }
}

static int32_t element_integer(DataType type, uint64_t bits) {
  switch (type) {
    case TYPE_S8: return (int8_t)bits;
    case TYPE_U8: return (uint8_t)bits;
    case TYPE_S4: return (int32_t)((bits & 15) ^ 8) - 8;
    case TYPE_U4: return (int32_t)(bits & 15);
    default: return (int32_t)bits;
  }
}

// Element e of a register's lane.
static uint64_t lane_element(const Warp *warp, Place place, DataType type, uint32_t lane,
                             uint32_t e) {
  const void *lanes = place_at(warp, place);
  uint32_t bits = (uint32_t)type_bits(type);
  if (bits == 64) return ((const Lane64 *)lanes)[lane];
  uint32_t word = ((const Lane32 *)lanes)[lane] >> (bits * e & 31);
  return bits == 32 ? word : word & ((1u << bits) - 1);
}

static void put_element(const Warp *warp, Place place, DataType type, uint32_t lane, uint32_t e,
                        uint64_t bits) {
  void *lanes = place_at(warp, place);
  uint32_t width = (uint32_t)type_bits(type);
  if (width == 64)
    ((Lane64 *)lanes)[lane] = bits;
  else if (width == 32)
    ((Lane32 *)lanes)[lane] = (uint32_t)bits;
  else if (e == 0)
    ((Lane32 *)lanes)[lane] = (uint32_t)bits;  // clears the others: they follow
  else
    ((Lane32 *)lanes)[lane] |= (uint32_t)bits << width * e;
}

// ---- matrices

typedef struct FloatMatrices {
  double a[MAX_SIDE][MAX_DEPTH], b[MAX_DEPTH][MAX_SIDE], sum[MAX_SIDE][MAX_SIDE];
} FloatMatrices;

typedef struct IntegerMatrices {
  int32_t a[MAX_SIDE][MAX_DEPTH], b[MAX_DEPTH][MAX_SIDE];
  int64_t sum[MAX_SIDE][MAX_SIDE];
} IntegerMatrices;

// Calls with every element of a fragment: its register, lane, and where it stands.
#define EACH_ELEMENT(fragment, work)                                \
  for (uint32_t reg = 0; reg < (fragment).distinct; reg++)          \
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)              \
      for (uint32_t e = 0; e < (fragment).elements; e++) {          \
        MatrixPlace at = fragment_place(&(fragment), lane, reg, e); \
        work;                                                       \
      }

typedef struct Product {
  Fragment a, b, c, d;
  const Place *a_places, *b_places, *c_places;
  uint32_t m, n, k;
} Product;

static Product product_of(const Instruction *in) {
  Product product;
  fragment_of(&in->form, PART_A, &product.a);
  fragment_of(&in->form, PART_B, &product.b);
  fragment_of(&in->form, PART_C, &product.c);
  fragment_of(&in->form, PART_D, &product.d);
  product.a_places = in->list->src;
  product.b_places = product.a_places + product.a.registers;
  product.c_places = product.b_places + product.b.registers;
  product.m = product.a.rows;
  product.n = product.b.columns;
  product.k = product.a.columns;
  return product;
}

static int host_mode(uint8_t rounding) {
  switch (rounding) {
    case ROUND_ZERO: return FE_TOWARDZERO;
    case ROUND_DOWN: return FE_DOWNWARD;
    case ROUND_UP: return FE_UPWARD;
    default: return FE_TONEAREST;
  }
}

static void multiply(FloatMatrices *x, uint32_t m, uint32_t n, uint32_t k) {
  for (uint32_t i = 0; i < m; i++)
    for (uint32_t s = 0; s < k; s++)
      for (uint32_t j = 0; j < n; j++) x->sum[i][j] += x->a[i][s] * x->b[s][j];
}

static void multiply_fused(FloatMatrices *x, uint32_t m, uint32_t n, uint32_t k) {
  for (uint32_t i = 0; i < m; i++)
    for (uint32_t s = 0; s < k; s++)
      for (uint32_t j = 0; j < n; j++) x->sum[i][j] = fma(x->a[i][s], x->b[s][j], x->sum[i][j]);
}

static void gather_floats(const Warp *warp, const Product *p, FloatMatrices *x){
    EACH_ELEMENT(p->a, x->a[at.row][at.column] = element_value(
                           p->a.type, lane_element(warp, p->a_places[reg], p->a.type, lane, e)))
        EACH_ELEMENT(p->b, x->b[at.row][at.column] = element_value(
                               p->b.type, lane_element(warp, p->b_places[reg], p->b.type, lane, e)))
            EACH_ELEMENT(p->c,
                         x->sum[at.row][at.column] = element_value(
                             p->c.type, lane_element(warp, p->c_places[reg], p->c.type, lane, e)))}

EXEC(exec_product_float) {
  FloatMatrices x;
  if (!warp_is_whole(context, warp, mask)) return;
  Product p = product_of(in);
  gather_floats(warp, &p, &x);
  if (p.d.type == TYPE_F64) {
    fesetround(host_mode(in->form.rounding));
    multiply_fused(&x, p.m, p.n, p.k);
    fesetround(FE_TONEAREST);
  } else {
    multiply(&x, p.m, p.n, p.k);
  }
  EACH_ELEMENT(p.d, put_element(warp, in->list->dst[reg], p.d.type, lane, e,
                                element_bits(p.d.type, x.sum[at.row][at.column])))
}

static int32_t multiply_bits(uint8_t operation, int32_t a, int32_t b) {
  return __builtin_popcount((uint32_t)(operation == OPERATION_XOR ? a ^ b : a & b));
}

static void multiply_integers(IntegerMatrices *x, const Product *p, uint8_t operation) {
  for (uint32_t i = 0; i < p->m; i++)
    for (uint32_t s = 0; s < p->k; s++)
      for (uint32_t j = 0; j < p->n; j++) {
        int32_t a = x->a[i][s], b = x->b[s][j];
        x->sum[i][j] += operation ? multiply_bits(operation, a, b) : a * b;
      }
}

static uint32_t clamped(int64_t value, bool saturates) {
  if (!saturates) return (uint32_t)value;
  return (uint32_t)(value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value);
}

EXEC(exec_product_integer) {
  IntegerMatrices x;
  if (!warp_is_whole(context, warp, mask)) return;
  Product p = product_of(in);
  EACH_ELEMENT(p.a, x.a[at.row][at.column] = element_integer(
                        p.a.type, lane_element(warp, p.a_places[reg], p.a.type, lane, e)))
  EACH_ELEMENT(p.b, x.b[at.row][at.column] = element_integer(
                        p.b.type, lane_element(warp, p.b_places[reg], p.b.type, lane, e)))
  EACH_ELEMENT(p.c, x.sum[at.row][at.column] =
                        (int32_t)lane_element(warp, p.c_places[reg], p.c.type, lane, e))
  multiply_integers(&x, &p, in->form.operation);
  EACH_ELEMENT(p.d, put_element(warp, in->list->dst[reg], p.d.type, lane, e,
                                clamped(x.sum[at.row][at.column], in->form.satfinite)))
}

// ---- mma.m8n8k4 on f16: four products, one a pair of quads

typedef void (*QuadFn)(const Warp *warp, Place place, DataType type, uint32_t lane, uint32_t e,
                       double *value);

static void quad_read(const Warp *warp, Place place, DataType type, uint32_t lane, uint32_t e,
                      double *value) {
  *value = element_value(type, lane_element(warp, place, type, lane, e));
}

static void quad_write(const Warp *warp, Place place, DataType type, uint32_t lane, uint32_t e,
                       double *value) {
  put_element(warp, place, type, lane, e, element_bits(type, *value));
}

static void quad_each(const Warp *warp, const Form *form, const Fragment *fragment,
                      const Place *places, uint32_t quad, double *matrix, uint32_t stride,
                      QuadFn work) {
  for (uint32_t l = 0; l < 8; l++) {
    uint32_t lane = quad * 4 + l % 4 + l / 4 * 16;
    for (uint32_t i = 0; i < fragment->registers * fragment->elements; i++) {
      MatrixPlace at = quad_place(form, fragment->part, fragment->type, lane, i);
      work(warp, places[i / fragment->elements], fragment->type, lane, i % fragment->elements,
           matrix + at.row * stride + at.column);
    }
  }
}

EXEC(exec_product_quads) {
  FloatMatrices x;
  if (!warp_is_whole(context, warp, mask)) return;
  Product p = product_of(in);
  for (uint32_t quad = 0; quad < 4; quad++) {
    quad_each(warp, &in->form, &p.a, p.a_places, quad, x.a[0], MAX_DEPTH, quad_read);
    quad_each(warp, &in->form, &p.b, p.b_places, quad, x.b[0], MAX_SIDE, quad_read);
    quad_each(warp, &in->form, &p.c, p.c_places, quad, x.sum[0], MAX_SIDE, quad_read);
    multiply(&x, p.m, p.n, p.k);
    quad_each(warp, &in->form, &p.d, in->list->dst, quad, x.sum[0], MAX_SIDE, quad_write);
  }
}

ExecFn exec_find_product(const Form *form) {
  Fragment d;
  if (!fragment_of(form, PART_D, &d)) return NULL;
  if (form_is_quads(form)) return exec_product_quads;
  return type_kind(d.type) == KIND_FLOAT ? exec_product_float : exec_product_integer;
}
