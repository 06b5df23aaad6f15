// SPDX-License-Identifier: MIT
// f32 and f64 arithmetic rounded to nearest: the host's own, lane by lane.
//
// Division, reciprocal and root are IEEE's here; their approximations are in
// exec_float_approx.c, the other rounding modes in exec_float_rounding.c.
#include "exec/arithmetic/exec_float.h"

#include "exec/arithmetic/exec_arithmetic.h"

#define NOTHING (void)0

F32_2(LANES, add_f32, a + b, NOTHING, NOTHING)
F32_2(LANES, sub_f32, a - b, NOTHING, NOTHING)
F32_2(LANES, mul_f32, (a * b), NOTHING, NOTHING)
F32_3(LANES, fma_f32, fmaf(a, b, c), NOTHING, NOTHING)
F32_2_AS(LANES, div_f32, a / b, NOTHING, NOTHING, 0, 0)
F32_2_AS(LANES, div_f32, a / b, NOTHING, NOTHING, 1, 0)
F32_1(LANES, rcp_f32, 1.0f / a, NOTHING, NOTHING)
F32_1(LANES, sqrt_f32, sqrtf(a), NOTHING, NOTHING)

EXEC2(add_f64, f64, f64, f64, a + b)
EXEC2(sub_f64, f64, f64, f64, a - b)
EXEC2(mul_f64, f64, f64, f64, (a * b))
EXEC3(fma_f64, f64, f64, f64, f64, fma(a, b, c))
EXEC2(div_f64, f64, f64, f64, a / b)
EXEC1(rcp_f64, f64, f64, 1.0 / a)
EXEC1(sqrt_f64, f64, f64, sqrt(a))

// -- signs: bits, so that they hold for NaNs too

EXEC1(neg_f32, u32, u32, a ^ 0x80000000)
EXEC1(neg_ftz_f32, f32, f32, -float_flush(a))
EXEC1(abs_f32, u32, u32, a & 0x7fffffff)
EXEC1(abs_ftz_f32, f32, f32, fabsf(float_flush(a)))
EXEC1(neg_f64, u64, u64, a ^ UINT64_C(1) << 63)
EXEC1(abs_f64, u64, u64, (a & INT64_MAX))
EXEC2(copysign_f32, u32, u32, u32, (a & 0x80000000) | (b & 0x7fffffff))
EXEC2(copysign_f64, u64, u64, u64, (a & UINT64_C(1) << 63) | (b & INT64_MAX))

// -- extremes: a number wins over a NaN, and -0 is less than +0
//
// Done on bits, which are in order once those of negative numbers are turned over.

static inline uint32_t flush_bits(uint32_t bits) {
  return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

static inline bool is_less_f32(uint32_t a, uint32_t b) {
  int32_t x = (int32_t)(a ^ ((uint32_t)((int32_t)a >> 31) >> 1));
  int32_t y = (int32_t)(b ^ ((uint32_t)((int32_t)b >> 31) >> 1));
  return x < y;
}

static inline bool is_less_f64(uint64_t a, uint64_t b) {
  int64_t x = (int64_t)(a ^ ((uint64_t)((int64_t)a >> 63) >> 1));
  int64_t y = (int64_t)(b ^ ((uint64_t)((int64_t)b >> 63) >> 1));
  return x < y;
}

static inline bool is_nan_f32(uint32_t bits) {
  return (bits & 0x7fffffff) > 0x7f800000;
}

static inline bool is_nan_f64(uint64_t bits) {
  return (bits & INT64_MAX) > UINT64_C(0x7ff) << 52;
}

static inline uint32_t number_f32(uint32_t a, uint32_t b, uint32_t of_numbers) {
  return is_nan_f32(a) ? (is_nan_f32(b) ? 0x7fffffff : b) : is_nan_f32(b) ? a : of_numbers;
}

static inline uint64_t number_f64(uint64_t a, uint64_t b, uint64_t of_numbers) {
  return is_nan_f64(a) ? b : is_nan_f64(b) ? a : of_numbers;
}

static inline uint32_t min_bits(uint32_t a, uint32_t b) {
  return number_f32(a, b, is_less_f32(a, b) ? a : b);
}

static inline uint32_t max_bits(uint32_t a, uint32_t b) {
  return number_f32(a, b, is_less_f32(a, b) ? b : a);
}

EXEC2(min_f32, u32, u32, u32, min_bits(a, b))
EXEC2(max_f32, u32, u32, u32, max_bits(a, b))
EXEC2(min_ftz_f32, u32, u32, u32, min_bits(flush_bits(a), flush_bits(b)))
EXEC2(max_ftz_f32, u32, u32, u32, max_bits(flush_bits(a), flush_bits(b)))
EXEC2(min_f64, u64, u64, u64, number_f64(a, b, is_less_f64(a, b) ? a : b))
EXEC2(max_f64, u64, u64, u64, number_f64(a, b, is_less_f64(a, b) ? b : a))

// The rarer suffixes, read from the form for each lane.
static uint32_t extreme(const Form *form, uint32_t a, uint32_t b) {
  uint32_t sign = form->xorsign ? (a ^ b) & 0x80000000 : 0;
  if (form->xorsign) a &= 0x7fffffff, b &= 0x7fffffff;
  bool a_nan = is_nan_f32(a), b_nan = is_nan_f32(b);
  if ((a_nan && b_nan) || (form->nan && (a_nan || b_nan))) return 0x7fffffff;
  return (form->op == OP_MIN ? min_bits(a, b) : max_bits(a, b)) | sign;
}

EXEC(extreme_f32) {
  const Form *form = &in->form;
  Lane32 *d = place_at(warp, in->dst[0]);
  const Lane32 *x[3];
  for (int k = 0; k < 3; k++) x[k] = in->src[k] == NO_PLACE ? NULL : place_at(warp, in->src[k]);
  for (int lane = 0; lane < WARP_LANES; lane++) {
    if (!(mask >> lane & 1)) continue;
    uint32_t result = form->ftz ? flush_bits(x[0][lane]) : x[0][lane];
    for (int k = 1; k < 3 && x[k]; k++)
      result = extreme(form, result, form->ftz ? flush_bits(x[k][lane]) : x[k][lane]);
    d[lane] = result;
  }
}

// A third source is not seen in the form, so the plain ones ask.
EXEC(min_any_f32) {
  ExecFn two = in->form.ftz ? min_ftz_f32 : min_f32;
  (in->src[2] == NO_PLACE ? two : extreme_f32)(context, warp, in, mask);
}

EXEC(max_any_f32) {
  ExecFn two = in->form.ftz ? max_ftz_f32 : max_f32;
  (in->src[2] == NO_PLACE ? two : extreme_f32)(context, warp, in, mask);
}

// -- finding them

static ExecFn find_f32(const Form *form) {
  static const ExecFn add[2][2] = F32_TABLE(add_f32), sub[2][2] = F32_TABLE(sub_f32);
  static const ExecFn mul[2][2] = F32_TABLE(mul_f32), fma_[2][2] = F32_TABLE(fma_f32);
  bool ftz = form->ftz, sat = form->sat;
  switch (form->op) {
    case OP_ADD: return add[ftz][sat];
    case OP_SUB: return sub[ftz][sat];
    case OP_MUL: return mul[ftz][sat];
    case OP_FMA:
    case OP_MAD: return fma_[ftz][sat];
    default: break;
  }
  if (sat) return NULL;
  switch (form->op) {
    case OP_DIV: return ftz ? div_f32_10 : div_f32_00;
    case OP_RCP: return ftz ? rcp_f32_10 : rcp_f32_00;
    case OP_SQRT: return ftz ? sqrt_f32_10 : sqrt_f32_00;
    case OP_NEG: return ftz ? neg_ftz_f32 : neg_f32;
    case OP_ABS: return ftz ? abs_ftz_f32 : abs_f32;
    case OP_MIN: return form->nan || form->xorsign ? extreme_f32 : min_any_f32;
    case OP_MAX: return form->nan || form->xorsign ? extreme_f32 : max_any_f32;
    case OP_COPYSIGN: return ftz ? NULL : copysign_f32;
    default: return NULL;
  }
}

static ExecFn find_f64(const Form *form) {
  if (form->ftz || form->sat || form->nan || form->xorsign) return NULL;
  switch (form->op) {
    case OP_ADD: return add_f64;
    case OP_SUB: return sub_f64;
    case OP_MUL: return mul_f64;
    case OP_FMA:
    case OP_MAD: return fma_f64;
    case OP_DIV: return div_f64;
    case OP_RCP: return rcp_f64;
    case OP_SQRT: return sqrt_f64;
    case OP_NEG: return neg_f64;
    case OP_ABS: return abs_f64;
    case OP_MIN: return min_f64;
    case OP_MAX: return max_f64;
    case OP_COPYSIGN: return copysign_f64;
    default: return NULL;
  }
}

ExecFn exec_find_float(const Form *form) {
  if (form->width || form->relu || form->approx || form->full) return NULL;
  return form->type == TYPE_F32 ? find_f32(form) : form->type == TYPE_F64 ? find_f64(form) : NULL;
}
