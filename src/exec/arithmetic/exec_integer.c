// SPDX-License-Identifier: MIT
// Integer arithmetic: sums, products, quotients, extremes.
//
// Where PTX leaves a result open we give what NVIDIA's cards give: a division
// by zero yields all ones, its remainder the dividend; the quotient of the
// smallest number by -1 wraps around.
#include "exec/arithmetic/exec_arithmetic.h"
#include "exec/lanes.h"

#define WIDE_u16 uint32_t
#define WIDE_s16 int32_t
#define WIDE_u32 uint64_t
#define WIDE_s32 int64_t
#define WIDE_u64 UInt128
#define WIDE_s64 Int128
#define SHIFT_u16 16
#define SHIFT_s16 16
#define SHIFT_u32 32
#define SHIFT_s32 32
#define SHIFT_u64 64
#define SHIFT_s64 64

#define ALL_ONES(t) ((MODULAR_##t) ~UINT64_C(0))
#define PRODUCT(t, a, b) ((WIDE_##t)(a) * (WIDE_##t)(b))
#define LOW(t, a, b) ((MODULAR_##t)(a) * (MODULAR_##t)(b))
#define HIGH(t, a, b) ((MODULAR_##t)(PRODUCT(t, a, b) >> SHIFT_##t))

static inline uint32_t saturate_s32(int64_t value) {
  return (uint32_t)(value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value);
}

// -- sums and products

#define X(t)                                               \
  EXEC2(add_##t, t, t, t, (MODULAR_##t)a + (MODULAR_##t)b) \
  EXEC2(sub_##t, t, t, t, (MODULAR_##t)a - (MODULAR_##t)b) \
  EXEC2(mul_lo_##t, t, t, t, LOW(t, a, b))                 \
  EXEC3(mad_lo_##t, t, t, t, t, LOW(t, a, b) + (MODULAR_##t)c)
FOR_UNSIGNED(X)
#undef X

#define X(t)                                \
  EXEC2(mul_hi_##t, t, t, t, HIGH(t, a, b)) \
  EXEC3(mad_hi_##t, t, t, t, t, HIGH(t, a, b) + (MODULAR_##t)c)
X(u16)
X(s16)
X(u32)
X(s32)
#undef X

EXEC2_SCALAR(mul_hi_u64, u64, u64, u64, HIGH(u64, a, b))
EXEC2_SCALAR(mul_hi_s64, s64, s64, s64, HIGH(s64, a, b))
EXEC3_SCALAR(mad_hi_u64, u64, u64, u64, u64, HIGH(u64, a, b) + c)
EXEC3_SCALAR(mad_hi_s64, s64, s64, s64, s64, HIGH(s64, a, b) + (uint64_t)c)

EXEC2(mul_wide_u16, u32, u16, u16, PRODUCT(u16, a, b))
EXEC2(mul_wide_s16, s32, s16, s16, PRODUCT(s16, a, b))
EXEC2(mul_wide_u32, u64, u32, u32, PRODUCT(u32, a, b))
EXEC2(mul_wide_s32, s64, s32, s32, PRODUCT(s32, a, b))
EXEC3(mad_wide_u16, u32, u16, u16, u32, PRODUCT(u16, a, b) + c)
EXEC3(mad_wide_s16, u32, s16, s16, u32, (uint32_t)PRODUCT(s16, a, b) + c)
EXEC3(mad_wide_u32, u64, u32, u32, u64, PRODUCT(u32, a, b) + c)
EXEC3(mad_wide_s32, u64, s32, s32, u64, (uint64_t)PRODUCT(s32, a, b) + c)

EXEC2(add_sat_s32, s32, s32, s32, saturate_s32((int64_t)a + b))
EXEC2(sub_sat_s32, s32, s32, s32, saturate_s32((int64_t)a - b))
EXEC3(mad_hi_sat_s32, s32, s32, s32, s32, saturate_s32((PRODUCT(s32, a, b) >> 32) + c))

// Products of 24-bit numbers: 48 bits, of which .hi keeps the upper 32.
static inline int64_t product24_s32(int32_t a, int32_t b) {
  int32_t a24 = (int32_t)((uint32_t)a << 8) >> 8, b24 = (int32_t)((uint32_t)b << 8) >> 8;
  return (int64_t)a24 * b24;
}

static inline int64_t product24_u32(uint32_t a, uint32_t b) {
  return (int64_t)((uint64_t)(a & 0xffffff) * (b & 0xffffff));
}

#define X(t)                                                                   \
  EXEC2(mul24_lo_##t, t, t, t, product24_##t(a, b))                            \
  EXEC2(mul24_hi_##t, t, t, t, product24_##t(a, b) >> 16)                      \
  EXEC3(mad24_lo_##t, t, t, t, t, (uint64_t)product24_##t(a, b) + (uint32_t)c) \
  EXEC3(mad24_hi_##t, t, t, t, t, (uint64_t)(product24_##t(a, b) >> 16) + (uint32_t)c)
X(u32)
X(s32)
#undef X
EXEC3(mad24_hi_sat_s32, s32, s32, s32, s32, saturate_s32((product24_s32(a, b) >> 16) + c))

// -- quotients

#define X(t)                                                                  \
  EXEC2_SCALAR(div_##t, t, t, t, b == 0 ? ALL_ONES(t) : (MODULAR_##t)(a / b)) \
  EXEC2_SCALAR(rem_##t, t, t, t, b == 0 ? a : a % b)
FOR_UNSIGNED(X)
#undef X

// The smallest number by -1 is the one quotient that does not fit; the host would trap.
#define X(t)                                     \
  EXEC2_SCALAR(div_##t, t, t, t,                 \
               b == 0    ? ALL_ONES(t)           \
               : b == -1 ? 0 - (MODULAR_##t)a    \
                         : (MODULAR_##t)(a / b)) \
  EXEC2_SCALAR(rem_##t, t, t, t, b == 0 ? a : b == -1 ? 0 : a % b)
FOR_SIGNED(X)
#undef X

// -- signs and extremes

#define X(t)                                                                             \
  EXEC3(sad_##t, t, t, t, t,                                                             \
        (MODULAR_##t)c +                                                                 \
            (a < b ? (MODULAR_##t)b - (MODULAR_##t)a : (MODULAR_##t)a - (MODULAR_##t)b)) \
  EXEC2(min2_##t, t, t, t, a < b ? a : b)                                                \
  EXEC2(max2_##t, t, t, t, a > b ? a : b)
FOR_INTEGERS(X)
#undef X

#define X(t)                                                        \
  EXEC1(abs_##t, t, t, a < 0 ? 0 - (MODULAR_##t)a : (MODULAR_##t)a) \
  EXEC1(neg_##t, t, t, 0 - (MODULAR_##t)a)
FOR_SIGNED(X)
#undef X

EXEC2(min_relu_s32, s32, s32, s32, a < 0 || b < 0 ? 0 : a < b ? a : b)
EXEC2(max_relu_s32, s32, s32, s32, a < 0 && b < 0 ? 0 : a > b ? a : b)

// -- finding them

static ExecFn find_sum(const Form *form) {
  static const ExecFn add[TYPE_COUNT] = BY_WIDTH(add), sub[TYPE_COUNT] = BY_WIDTH(sub);
  bool is_add = form->op == OP_ADD;
  if (form->sat && form->type != TYPE_S32) return NULL;
  if (form->sat) return is_add ? add_sat_s32 : sub_sat_s32;
  return (is_add ? add : sub)[form->type];
}

static ExecFn find_mul(const Form *form) {
  static const ExecFn lo[TYPE_COUNT] = BY_WIDTH(mul_lo), hi[TYPE_COUNT] = BY_INTEGER(mul_hi);
  static const ExecFn wide[TYPE_COUNT] = {[TYPE_U16] = mul_wide_u16,
                                          [TYPE_S16] = mul_wide_s16,
                                          [TYPE_U32] = mul_wide_u32,
                                          [TYPE_S32] = mul_wide_s32};
  if (form->sat) return NULL;
  switch (form->width) {
    case WIDTH_LOW: return lo[form->type];
    case WIDTH_HIGH: return hi[form->type];
    case WIDTH_WIDE: return wide[form->type];
    default: return NULL;
  }
}

static ExecFn find_mad(const Form *form) {
  static const ExecFn lo[TYPE_COUNT] = BY_WIDTH(mad_lo), hi[TYPE_COUNT] = BY_INTEGER(mad_hi);
  static const ExecFn wide[TYPE_COUNT] = {[TYPE_U16] = mad_wide_u16,
                                          [TYPE_S16] = mad_wide_s16,
                                          [TYPE_U32] = mad_wide_u32,
                                          [TYPE_S32] = mad_wide_s32};
  if (form->sat) return form->width == WIDTH_HIGH && form->type == TYPE_S32 ? mad_hi_sat_s32 : NULL;
  switch (form->width) {
    case WIDTH_LOW: return lo[form->type];
    case WIDTH_HIGH: return hi[form->type];
    case WIDTH_WIDE: return wide[form->type];
    default: return NULL;
  }
}

static ExecFn find_24(const Form *form) {
  bool is_signed = form->type == TYPE_S32, hi = form->width == WIDTH_HIGH;
  if (form->type != TYPE_U32 && !is_signed) return NULL;
  if (!hi && form->width != WIDTH_LOW) return NULL;
  if (form->sat) return form->op == OP_MAD24 && hi && is_signed ? mad24_hi_sat_s32 : NULL;
  if (form->op == OP_MUL24) {
    if (is_signed) return hi ? mul24_hi_s32 : mul24_lo_s32;
    return hi ? mul24_hi_u32 : mul24_lo_u32;
  }
  if (is_signed) return hi ? mad24_hi_s32 : mad24_lo_s32;
  return hi ? mad24_hi_u32 : mad24_lo_u32;
}

static ExecFn find_extreme(const Form *form) {
  static const ExecFn min[TYPE_COUNT] = BY_INTEGER(min2), max[TYPE_COUNT] = BY_INTEGER(max2);
  bool is_min = form->op == OP_MIN;
  if (form->nan || form->xorsign) return NULL;
  if (form->relu && form->type != TYPE_S32) return NULL;
  if (form->relu) return is_min ? min_relu_s32 : max_relu_s32;
  return (is_min ? min : max)[form->type];
}

ExecFn exec_find_integer(const Form *form) {
  static const ExecFn div[TYPE_COUNT] = BY_INTEGER(div), rem[TYPE_COUNT] = BY_INTEGER(rem);
  static const ExecFn sad[TYPE_COUNT] = BY_INTEGER(sad);
  static const ExecFn abs[TYPE_COUNT] = {
      [TYPE_S16] = abs_s16, [TYPE_S32] = abs_s32, [TYPE_S64] = abs_s64};
  static const ExecFn neg[TYPE_COUNT] = {
      [TYPE_S16] = neg_s16, [TYPE_S32] = neg_s32, [TYPE_S64] = neg_s64};
  if (form->rounding || form->ftz || form->approx || form->full) return NULL;
  switch (form->op) {
    case OP_ADD:
    case OP_SUB: return find_sum(form);
    case OP_MUL: return find_mul(form);
    case OP_MAD: return find_mad(form);
    case OP_MUL24:
    case OP_MAD24: return find_24(form);
    case OP_DIV: return div[form->type];
    case OP_REM: return rem[form->type];
    case OP_SAD: return sad[form->type];
    case OP_ABS: return abs[form->type];
    case OP_NEG: return neg[form->type];
    case OP_MIN:
    case OP_MAX: return find_extreme(form);
    default: return NULL;
  }
}
