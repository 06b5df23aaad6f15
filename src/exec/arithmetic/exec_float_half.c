// SPDX-License-Identifier: MIT
// f16 and bf16 arithmetic, single and in pairs.
//
// Each operation is done in double, where it is exact or rounded harmlessly
// (half.h), and rounded to the format once. One function interprets the form
// for all of them: simple rather than fast. Sums and products of f16 without
// suffixes, which programs are full of, are done in f32 by all lanes: it has
// the 2 * 11 + 2 bits with which rounding twice is harmless (Figueroa, 1995).
#include <math.h>

#include "exec/arithmetic/exec_arithmetic.h"
#include "exec/arithmetic/half.h"
#include "exec/lanes.h"

enum { HALF_NAN = 0x7fff, HALF_SIGN = 0x8000 };

static uint16_t flush(uint16_t bits, const FloatFormat *format) {
  unsigned exponent = (bits & 0x7fffu) >> format->fraction_bits;
  return exponent ? bits : bits & HALF_SIGN;
}

static bool is_nan(uint16_t bits, const FloatFormat *format) {
  unsigned infinity = ((1u << format->exponent_bits) - 1) << format->fraction_bits;
  return (bits & 0x7fffu) > infinity;
}

// A format's order is that of its bits, once negative ones are turned over.
static int order(uint16_t bits) {
  return bits & HALF_SIGN ? -(int)(bits & 0x7fff) - 1 : bits;
}

static uint16_t extreme(const Form *form, const FloatFormat *format, uint16_t a, uint16_t b) {
  bool a_nan = is_nan(a, format), b_nan = is_nan(b, format);
  if ((a_nan && b_nan) || (form->nan && (a_nan || b_nan))) return HALF_NAN;
  uint16_t sign = form->xorsign ? (a ^ b) & HALF_SIGN : 0;
  uint16_t x = form->xorsign ? a & 0x7fff : a, y = form->xorsign ? b & 0x7fff : b;
  bool first = b_nan || (!a_nan && (form->op == OP_MIN) == (order(x) < order(y)));
  return (first ? x : y) ^ sign;
}

static double compute(const Form *form, double a, double b, double c) {
  switch (form->op) {
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return a * b;
    case OP_FMA: return half_fma(a, b, c);
    case OP_EX2: return exp2(a);
    default: return tanh(a);
  }
}

static uint16_t finish(const Form *form, const FloatFormat *format, double value) {
  if (form->sat) value = value > 0 ? (value < 1 ? value : 1) : 0;
  if (form->relu && value <= 0) value = 0;
  uint16_t bits = half_from_double(value, format);
  return form->ftz ? flush(bits, format) : bits;
}

static uint16_t half_lane(const Form *form, const FloatFormat *format, const uint16_t in[3]) {
  uint16_t x[3];
  for (int k = 0; k < 3; k++) x[k] = form->ftz ? flush(in[k], format) : in[k];
  switch (form->op) {
    case OP_NEG: return x[0] ^ HALF_SIGN;
    case OP_ABS: return x[0] & 0x7fff;
    case OP_MIN:
    case OP_MAX: return extreme(form, format, x[0], x[1]);
    default: break;
  }
  double value = compute(form, half_to_double(x[0], format), half_to_double(x[1], format),
                         half_to_double(x[2], format));
  return finish(form, format, value);
}

EXEC(exec_half) {
  const FloatFormat *format = format_of((DataType)in->form.type);
  int halves = type_bits((DataType)in->form.type) / 16;
  Lane32 *d = place_at(warp, in->dst[0]);
  const Lane32 *x[3];
  for (int k = 0; k < 3; k++)
    x[k] = place_at(warp, in->src[k] == NO_PLACE ? in->src[0] : in->src[k]);
  for (int lane = 0; lane < WARP_LANES; lane++) {
    if (!(mask >> lane & 1)) continue;
    uint32_t result = 0;
    for (int h = 0; h < halves; h++) {
      uint16_t part[3];
      for (int k = 0; k < 3; k++) part[k] = (uint16_t)(x[k][lane] >> 16 * h);
      result |= (uint32_t)half_lane(&in->form, format, part) << 16 * h;
    }
    d[lane] = result;
  }
}

// ---- f16 by lanes

static inline float value_of(uint32_t half) {
  union {
    uint32_t bits;
    float value;
  } x = {.bits = f32_bits_from_f16(half)};
  return x.value;
}

static inline uint32_t rounded(float value) {
  union {
    float value;
    uint32_t bits;
  } x = {.value = value};
  return f16_bits_from_f32(x.bits);
}

// half_fma in f32: the product has 22 bits.
static inline uint32_t fused(uint32_t a, uint32_t b, uint32_t c) {
  float product = value_of(a) * value_of(b), addend = value_of(c);
  union {
    float value;
    uint32_t bits;
  } sum = {.value = product + addend};
  float part = sum.value - product, error = (product - (sum.value - part)) + (addend - part);
  bool is_exact = !(error < 0 || error > 0) || sum.bits & 1;
  uint32_t step = (error > 0) == (sum.value > 0) ? 1 : UINT32_MAX;
  return f16_bits_from_f32(sum.bits + (is_exact ? 0 : step));
}

#define SUM(a, b) rounded(value_of(a) + value_of(b))
#define DIFFERENCE(a, b) rounded(value_of(a) - value_of(b))
#define PRODUCT(a, b) rounded(value_of(a) * value_of(b))
EXEC2(add_f16, u32, u32, u32, SUM(a, b))
EXEC2(sub_f16, u32, u32, u32, DIFFERENCE(a, b))
EXEC2(mul_f16, u32, u32, u32, PRODUCT(a, b))
EXEC3(fma_f16, u32, u32, u32, u32, fused(a, b, c))
EXEC2(add_f16x2, u32, u32, u32, SUM(a >> 16, b >> 16) << 16 | SUM(a, b))
EXEC2(sub_f16x2, u32, u32, u32, DIFFERENCE(a >> 16, b >> 16) << 16 | DIFFERENCE(a, b))
EXEC2(mul_f16x2, u32, u32, u32, PRODUCT(a >> 16, b >> 16) << 16 | PRODUCT(a, b))
EXEC3(fma_f16x2, u32, u32, u32, u32, fused(a >> 16, b >> 16, c >> 16) << 16 | fused(a, b, c))

static ExecFn find_f16(const Form *form) {
  bool is_pair = form->type == TYPE_F16X2;
  if (form->type != TYPE_F16 && !is_pair) return exec_half;
  if (form->ftz || form->sat || form->relu) return exec_half;
  switch (form->op) {
    case OP_ADD: return is_pair ? add_f16x2 : add_f16;
    case OP_SUB: return is_pair ? sub_f16x2 : sub_f16;
    case OP_MUL: return is_pair ? mul_f16x2 : mul_f16;
    case OP_FMA: return is_pair ? fma_f16x2 : fma_f16;
    default: return exec_half;
  }
}

// bf16 arithmetic has neither .ftz nor .sat; its ex2 requires .ftz.
ExecFn exec_find_float_half(const Form *form) {
  bool bf16 = form->type == TYPE_BF16 || form->type == TYPE_BF16X2, fits;
  if (form->width || form->full || form->rounding > ROUND_NEAREST) return NULL;
  switch (form->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL: fits = !form->approx && !form->relu; break;
    case OP_FMA: fits = !form->approx && !(form->relu && form->sat); break;
    case OP_NEG:
    case OP_ABS:
    case OP_MIN:
    case OP_MAX: fits = !form->rounding && !form->sat && !form->relu && !form->approx; break;
    case OP_EX2: return form->rounding || form->sat || form->ftz != bf16 ? NULL : exec_half;
    case OP_TANH: return form->rounding || form->sat || form->ftz ? NULL : exec_half;
    default: return NULL;
  }
  return fits && !(bf16 && (form->ftz || form->sat)) ? find_f16(form) : NULL;
}
