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
//
// mma.sp has an A of half as many columns, and in a register (of some lanes: metadata_place) which
// columns of its row they are. They select the rows of B that they are multiplied with.
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "exec/matrix/elements.h"
#include "exec/matrix/exec_matrix.h"

enum { MAX_SIDE = 32, MAX_DEPTH = 128 };

// ---- matrices

typedef struct FloatMatrices {
  double a[MAX_SIDE][MAX_DEPTH], b[MAX_DEPTH][MAX_SIDE], sum[MAX_SIDE][MAX_SIDE];
} FloatMatrices;

typedef struct IntegerMatrices {
  int32_t a[MAX_SIDE][MAX_DEPTH], b[MAX_DEPTH][MAX_SIDE];
  int64_t sum[MAX_SIDE][MAX_SIDE];
} IntegerMatrices;

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

static void gather_floats(const Warp *warp, const Fragment *fragment, const Place *places,
                          double *matrix, uint32_t stride) {
  EACH_ELEMENT(*fragment, matrix[at.row * stride + at.column] = element_value(
                              fragment->type,
                              lane_element(place_at(warp, places[reg]), fragment->type, lane, e)));
}

static void gather_integers(const Warp *warp, const Fragment *fragment, const Place *places,
                            int32_t *matrix, uint32_t stride) {
  EACH_ELEMENT(*fragment, matrix[at.row * stride + at.column] = element_integer(
                              fragment->type,
                              lane_element(place_at(warp, places[reg]), fragment->type, lane, e)));
}

// ---- sparse A

// Which row of B an element of the compressed A is multiplied with.
typedef struct Selection {
  uint8_t row[16][MAX_DEPTH / 2];
} Selection;

static void find_selection(const Warp *warp, const Instruction *in, const Product *p,
                           Selection *selection) {
  const Lane32 *metadata = place_at(warp, in->list->src[in->list->src_count - 1]);
  for (uint32_t i = 0; i < p->a.rows; i++)
    for (uint32_t j = 0; j < p->a.columns; j++) {
      MetadataPlace at = metadata_place(&in->form, (uint32_t)in->offset, i, j);
      uint32_t code = metadata[at.lane] >> at.bit & (at.bits == 4 ? 15 : 3);
      selection->row[i][j] = (uint8_t)metadata_row(&in->form, j, code);
    }
}

static void multiply_selected(FloatMatrices *x, const Product *p, const Selection *selection) {
  for (uint32_t i = 0; i < p->m; i++)
    for (uint32_t s = 0; s < p->k; s++) {
      const double *b = x->b[selection->row[i][s]];
      for (uint32_t j = 0; j < p->n; j++) x->sum[i][j] += x->a[i][s] * b[j];
    }
}

static void multiply_selected_integers(IntegerMatrices *x, const Product *p,
                                       const Selection *selection) {
  for (uint32_t i = 0; i < p->m; i++)
    for (uint32_t s = 0; s < p->k; s++) {
      const int32_t *b = x->b[selection->row[i][s]];
      for (uint32_t j = 0; j < p->n; j++) x->sum[i][j] += x->a[i][s] * b[j];
    }
}

EXEC(exec_product_float) {
  FloatMatrices x;
  if (!warp_is_whole(context, warp, mask)) return;
  Product p = product_of(in);
  gather_floats(warp, &p.a, p.a_places, x.a[0], MAX_DEPTH);
  gather_floats(warp, &p.b, p.b_places, x.b[0], MAX_SIDE);
  gather_floats(warp, &p.c, p.c_places, x.sum[0], MAX_SIDE);
  if (in->form.mode == MODE_SPARSE) {
    Selection selection;
    find_selection(warp, in, &p, &selection);
    multiply_selected(&x, &p, &selection);
  } else if (p.d.type == TYPE_F64) {
    fesetround(host_mode(in->form.rounding));
    multiply_fused(&x, p.m, p.n, p.k);
    fesetround(FE_TONEAREST);
  } else {
    multiply(&x, p.m, p.n, p.k);
  }
  EACH_ELEMENT(p.d, put_element(place_at(warp, in->list->dst[reg]), p.d.type, lane, e,
                                element_bits(p.d.type, x.sum[at.row][at.column])));
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
  gather_integers(warp, &p.a, p.a_places, x.a[0], MAX_DEPTH);
  gather_integers(warp, &p.b, p.b_places, x.b[0], MAX_SIDE);
  EACH_ELEMENT(p.c, x.sum[at.row][at.column] =
                        (int32_t)lane_element(place_at(warp, p.c_places[reg]), p.c.type, lane, e));
  if (in->form.mode == MODE_SPARSE) {
    Selection selection;
    find_selection(warp, in, &p, &selection);
    multiply_selected_integers(&x, &p, &selection);
  } else {
    multiply_integers(&x, &p, in->form.operation);
  }
  EACH_ELEMENT(p.d, put_element(place_at(warp, in->list->dst[reg]), p.d.type, lane, e,
                                clamped(x.sum[at.row][at.column], in->form.satfinite)));
}

// ---- mma.m8n8k4 on f16: four products, one a pair of quads

typedef void (*QuadFn)(const Warp *warp, Place place, DataType type, uint32_t lane, uint32_t e,
                       double *value);

static void quad_read(const Warp *warp, Place place, DataType type, uint32_t lane, uint32_t e,
                      double *value) {
  *value = element_value(type, lane_element(place_at(warp, place), type, lane, e));
}

static void quad_write(const Warp *warp, Place place, DataType type, uint32_t lane, uint32_t e,
                       double *value) {
  put_element(place_at(warp, place), type, lane, e, element_bits(type, *value));
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
