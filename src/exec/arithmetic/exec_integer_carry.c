// SPDX-License-Identifier: MIT
// Multi-word arithmetic: add.cc, addc, sub.cc, subc, mad.cc, madc.
//
// The carry flag of each lane is a bit of warp->carry. After a subtraction it
// holds the borrow, which the next subc subtracts. Sums are computed twice as
// wide as the operands, so that the bit above the result is the carry (or, for
// a difference below zero, the borrow).
#include "exec/arithmetic/exec_arithmetic.h"
#include "exec/lanes.h"

static bool reads_carry(const Form *form) {
  return form->op == OP_ADDC || form->op == OP_SUBC || form->op == OP_MADC;
}

// name, type of operands, type of the sum, bits, loop, sum of a, b, c and carry
#define CARRY(name, t, Wide, bits, loop, expression)                                      \
  static inline Wide name##_lane(VALUE_##t a, VALUE_##t b, VALUE_##t c, uint32_t carry) { \
    (void)c;                                                                              \
    return (expression);                                                                  \
  }                                                                                       \
  EXEC(name) {                                                                            \
    LANE_##t *d = place_at(warp, in->dst[0]);                                             \
    const LANE_##t *x = place_at(warp, in->src[0]), *y = place_at(warp, in->src[1]);      \
    const LANE_##t *z = in->src[2] == NO_PLACE ? x : place_at(warp, in->src[2]);          \
    uint32_t carry_in = reads_carry(&in->form) ? warp->carry : 0, carry_out = 0;          \
    loop for (int lane = 0; lane < WARP_LANES; lane++) {                                  \
      Wide sum = name##_lane((VALUE_##t)x[lane], (VALUE_##t)y[lane], (VALUE_##t)z[lane],  \
                             carry_in >> lane & 1);                                       \
      d[lane] = mask >> lane & 1 ? (BITS_##t)sum : d[lane];                               \
      carry_out |= (uint32_t)(sum >> bits & 1) << lane;                                   \
    }                                                                                     \
    if (in->form.carry_out) warp->carry = (warp->carry & ~mask) | (carry_out & mask);     \
  }

#define VECTOR _Pragma("omp simd reduction(| : carry_out)")
#define SCALAR

#define CARRY32(name, t, expression) CARRY(name, t, uint64_t, 32, VECTOR, expression)
#define CARRY64(name, t, expression) CARRY(name, t, UInt128, 64, SCALAR, expression)

// clang-format off
CARRY32(add_u32, u32, (uint64_t)a + b + carry)
CARRY64(add_u64, u64, (UInt128)a + b + carry)
CARRY32(sub_u32, u32, (uint64_t)a - b - carry)
CARRY64(sub_u64, u64, (UInt128)a - b - carry)
CARRY32(mad_lo_u32, u32, (uint64_t)(uint32_t)(a * b) + c + carry)
CARRY64(mad_lo_u64, u64, (UInt128)(a * b) + c + carry)
CARRY32(mad_hi_u32, u32, ((uint64_t)a * b >> 32) + c + carry)
CARRY64(mad_hi_u64, u64, ((UInt128)a * b >> 64) + c + carry)
CARRY32(mad_hi_s32, s32, (uint64_t)(uint32_t)((int64_t)a * b >> 32) + (uint32_t)c + carry)
CARRY64(mad_hi_s64, s64, (UInt128)(uint64_t)((Int128)a * b >> 64) + (uint64_t)c + carry)
// clang-format on

static ExecFn find_mad(const Form *form) {
  bool low = form->width == WIDTH_LOW;
  if (!low && form->width != WIDTH_HIGH) return NULL;
  switch (form->type) {
    case TYPE_U32: return low ? mad_lo_u32 : mad_hi_u32;
    case TYPE_S32: return low ? mad_lo_u32 : mad_hi_s32;
    case TYPE_U64: return low ? mad_lo_u64 : mad_hi_u64;
    case TYPE_S64: return low ? mad_lo_u64 : mad_hi_s64;
    default: return NULL;
  }
}

ExecFn exec_find_integer_carry(const Form *form) {
  static const ExecFn add[TYPE_COUNT] = {
      [TYPE_U32] = add_u32, [TYPE_S32] = add_u32, [TYPE_U64] = add_u64, [TYPE_S64] = add_u64};
  static const ExecFn sub[TYPE_COUNT] = {
      [TYPE_U32] = sub_u32, [TYPE_S32] = sub_u32, [TYPE_U64] = sub_u64, [TYPE_S64] = sub_u64};
  if (form->rounding || form->ftz || form->sat) return NULL;
  switch (form->op) {
    case OP_ADD:
    case OP_ADDC: return add[form->type];
    case OP_SUB:
    case OP_SUBC: return sub[form->type];
    case OP_MAD:
    case OP_MADC: return find_mad(form);
    default: return NULL;
  }
}
