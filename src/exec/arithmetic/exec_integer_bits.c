// SPDX-License-Identifier: MIT
// Bits: logic (of registers and predicates), shifts, counts, bit fields, byte
// permutation, and the dot products of bytes.
#include "exec/arithmetic/exec_arithmetic.h"
#include "exec/lanes.h"

#define BITS_IN_u16 16
#define BITS_IN_s16 16
#define BITS_IN_u32 32
#define BITS_IN_s32 32
#define BITS_IN_u64 64
#define BITS_IN_s64 64

// -- logic

#define X(t)                            \
  EXEC2(and_##t, t, t, t, (a & b))      \
  EXEC2(or_##t, t, t, t, a | b)         \
  EXEC2(xor_##t, t, t, t, a ^ b)        \
  EXEC1(not_##t, t, t, ~(MODULAR_##t)a) \
  EXEC1(cnot_##t, t, t, a == 0 ? 1 : 0)
FOR_UNSIGNED(X)
#undef X

static uint32_t predicate_source(const Warp *warp, const Instruction *in, int k) {
  uint32_t value = *predicate_at(warp, in->src[k]);
  return in->negated >> k & 1 ? ~value : value;
}

#define PREDICATE(name, expression)               \
  EXEC(name) {                                    \
    uint32_t *d = predicate_at(warp, in->dst[0]); \
    *d = (*d & ~mask) | (mask & (expression));    \
  }
PREDICATE(and_pred, predicate_source(warp, in, 0) & predicate_source(warp, in, 1))
PREDICATE(or_pred, predicate_source(warp, in, 0) | predicate_source(warp, in, 1))
PREDICATE(xor_pred, predicate_source(warp, in, 0) ^ predicate_source(warp, in, 1))
PREDICATE(not_pred, ~predicate_source(warp, in, 0))

// Bit 4a + 2b + c of the table is the result for bits a, b and c. Each pair of
// entries becomes a choice by c, each pair of these a choice by b, then by a.
static inline uint32_t choose(uint32_t by, uint32_t one, uint32_t zero) {
  return (by & one) | (~by & zero);
}

EXEC(lop3_u32) {
  Lane32 *d = place_at(warp, in->dst[0]);
  const Lane32 *a = place_at(warp, in->src[0]), *b = place_at(warp, in->src[1]);
  const Lane32 *c = place_at(warp, in->src[2]);
  uint32_t t[8];
  for (int k = 0; k < 8; k++) t[k] = in->offset >> k & 1 ? UINT32_MAX : 0;
  LANES(d, mask,
        choose(a[lane], choose(b[lane], choose(c[lane], t[7], t[6]), choose(c[lane], t[5], t[4])),
               choose(b[lane], choose(c[lane], t[3], t[2]), choose(c[lane], t[1], t[0]))));
}

// -- shifts: an amount beyond the width shifts everything out

#define X(t)                                                                                 \
  EXEC2(shl_##t, t, t, u32, b < BITS_IN_##t ? (MODULAR_##t)a << (b & (BITS_IN_##t - 1)) : 0) \
  EXEC2(shr_##t, t, t, u32, b < BITS_IN_##t ? a >> (b & (BITS_IN_##t - 1)) : 0)
FOR_UNSIGNED(X)
#undef X

#define X(t) EXEC2(shr_##t, t, t, u32, a >> (b < BITS_IN_##t ? b : BITS_IN_##t - 1))
FOR_SIGNED(X)
#undef X

// A funnel shift sees b:a as one number of 64 bits.
static inline uint64_t pair(uint32_t a, uint32_t b) {
  return (uint64_t)b << 32 | a;
}

EXEC3(shf_left_clamp, u32, u32, u32, u32, pair(a, b) << (c < 32 ? c : 32) >> 32)
EXEC3(shf_left_wrap, u32, u32, u32, u32, pair(a, b) << (c & 31) >> 32)
EXEC3(shf_right_clamp, u32, u32, u32, u32, pair(a, b) >> (c < 32 ? c : 32))
EXEC3(shf_right_wrap, u32, u32, u32, u32, pair(a, b) >> (c & 31))

// -- counts and positions

static inline int zeros32(uint32_t a) {
  return a ? __builtin_clz(a) : 32;
}

static inline int zeros64(uint64_t a) {
  return a ? __builtin_clzll(a) : 64;
}

static inline uint32_t reverse32(uint32_t a) {
  a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
  a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
  a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
  return __builtin_bswap32(a);
}

EXEC1_SCALAR(popc_u32, u32, u32, __builtin_popcount(a))
EXEC1_SCALAR(popc_u64, u32, u64, __builtin_popcountll(a))
EXEC1_SCALAR(clz_u32, u32, u32, zeros32(a))
EXEC1_SCALAR(clz_u64, u32, u64, zeros64(a))
EXEC1(brev_u32, u32, u32, reverse32(a))
EXEC1(brev_u64, u64, u64, (uint64_t)reverse32((uint32_t)a) << 32 | reverse32((uint32_t)(a >> 32)))

// The highest bit that is not a copy of the sign; all ones if there is none.
EXEC1_SCALAR(bfind_u32, u32, u32, 31 - zeros32(a))
EXEC1_SCALAR(bfind_s32, u32, s32, 31 - zeros32((uint32_t)(a ^ a >> 31)))
EXEC1_SCALAR(bfind_u64, u32, u64, 63 - zeros64(a))
EXEC1_SCALAR(bfind_s64, u32, s64, 63 - zeros64((uint64_t)(a ^ a >> 63)))

// The same counted from the top: how far to shift left.
static inline uint32_t shift_or_none(int zeros, int bits) {
  return zeros == bits ? UINT32_MAX : (uint32_t)zeros;
}

EXEC1_SCALAR(bfind_shift_u32, u32, u32, shift_or_none(zeros32(a), 32))
EXEC1_SCALAR(bfind_shift_s32, u32, s32, shift_or_none(zeros32((uint32_t)(a ^ a >> 31)), 32))
EXEC1_SCALAR(bfind_shift_u64, u32, u64, shift_or_none(zeros64(a), 64))
EXEC1_SCALAR(bfind_shift_s64, u32, s64, shift_or_none(zeros64((uint64_t)(a ^ a >> 63)), 64))

// The offset-th set bit from bit `base` on, upward or downward; offset 0 asks
// whether base itself is set.
static uint32_t nth_set(uint32_t bits, uint32_t base, int32_t offset) {
  if (base > 31) return UINT32_MAX;
  if (offset == 0) return bits >> base & 1 ? base : UINT32_MAX;
  int step = offset > 0 ? 1 : -1;
  int64_t wanted = offset > 0 ? (int64_t)offset : -(int64_t)offset;
  for (int at = (int)base; at >= 0 && at < 32; at += step)
    if ((bits >> at & 1) && --wanted == 0) return (uint32_t)at;
  return UINT32_MAX;
}

EXEC3_SCALAR(fns_u32, u32, u32, u32, s32, nth_set(a, b, c))

// -- bit fields: positions and lengths count modulo 256

static inline uint64_t low_ones(uint32_t count) {
  return count < 64 ? (UINT64_C(1) << (count & 63)) - 1 : UINT64_MAX;
}

// a is zero-extended, so that what lies beyond its top reads as zeros.
static inline uint64_t field(uint64_t a, uint32_t position, uint32_t length) {
  position &= 0xff;
  return position < 64 ? a >> (position & 63) & low_ones(length & 0xff) : 0;
}

// A field that ends beyond the top is filled up with the top bit, so it does
// no harm to sign-extend a first; its own sign bit then stands at `top`.
static inline int64_t signed_field(int64_t a, uint32_t position, uint32_t length) {
  position &= 0xff;
  length &= 0xff;
  if (length == 0) return 0;
  int64_t from = a >> (position < 63 ? position : 63);
  uint32_t above = length < 64 ? 64 - length : 0;
  return (int64_t)((uint64_t)from << above) >> above;
}

EXEC3(bfe_u32, u32, u32, u32, u32, field(a, b, c))
EXEC3(bfe_u64, u64, u64, u32, u32, field(a, b, c))
EXEC3(bfe_s32, s32, s32, u32, u32, signed_field(a, b, c))
EXEC3(bfe_s64, s64, s64, u32, u32, signed_field(a, b, c))

static inline uint64_t insert(uint64_t a, uint64_t b, uint32_t position, uint32_t length) {
  position &= 0xff;
  if (position > 63) return b;
  uint64_t ones = low_ones(length & 0xff) << position;
  return (b & ~ones) | (a << position & ones);
}

#define X(t)                                                                          \
  EXEC(bfi_##t) {                                                                     \
    LANE_##t *d = place_at(warp, in->dst[0]);                                         \
    const LANE_##t *a = place_at(warp, in->src[0]), *b = place_at(warp, in->src[1]);  \
    const Lane32 *position = place_at(warp, in->src[2]);                              \
    const Lane32 *length = place_at(warp, in->src[3]);                                \
    LANES(d, mask, (BITS_##t)insert(a[lane], b[lane], position[lane], length[lane])); \
  }
X(u32)
X(u64)
#undef X

static inline uint32_t ones_from(uint32_t position, uint32_t length) {
  return position < 32 ? (uint32_t)(low_ones(length) << position) : 0;
}

EXEC2(bmsk_clamp, u32, u32, u32, ones_from(a, b))
EXEC2(bmsk_wrap, u32, u32, u32, ones_from(a & 31, b & 31))
EXEC2(szext_clamp_u32, u32, u32, u32, a &low_ones(b))
EXEC2(szext_wrap_u32, u32, u32, u32, a &low_ones(b & 31))
EXEC2(szext_clamp_s32, s32, s32, u32, signed_field(a, 0, b < 32 ? b : 32))
EXEC2(szext_wrap_s32, s32, s32, u32, signed_field(a, 0, b & 31))

// -- bytes

// Which of the eight bytes of b:a goes to byte k of the result.
static uint32_t permute_source(Mode mode, uint32_t control, uint32_t k) {
  uint32_t c = control & 3;
  switch (mode) {
    case MODE_F4E: return c + k;
    case MODE_B4E: return (c - k) & 7;
    case MODE_RC8: return c;
    case MODE_ECL: return k > c ? k : c;
    case MODE_ECR: return k < c ? k : c;
    case MODE_RC16: return (c & 1) * 2 + (k & 1);
    default: return control >> 4 * k & 7;
  }
}

// Bit 3 of a selector copies the byte's sign over all of the byte.
static inline uint32_t permute_byte(uint64_t bytes, uint32_t selector) {
  uint32_t byte = (uint32_t)(bytes >> 8 * (selector & 7)) & 0xff;
  return selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}

static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t result = 0;
  for (uint32_t k = 0; k < 4; k++) result |= permute_byte(pair(a, b), c >> 4 * k & 15) << 8 * k;
  return result;
}

EXEC3(prmt_generic, u32, u32, u32, u32, permute(a, b, c))

EXEC(prmt_mode) {
  Lane32 *d = place_at(warp, in->dst[0]);
  const Lane32 *a = place_at(warp, in->src[0]), *b = place_at(warp, in->src[1]);
  const Lane32 *c = place_at(warp, in->src[2]);
  uint32_t selectors[4];
  for (uint32_t control = 0; control < 4; control++) {
    selectors[control] = 0;
    for (uint32_t k = 0; k < 4; k++)
      selectors[control] |= permute_source((Mode)in->form.mode, control, k) << 4 * k;
  }
  LANES_SCALAR(d, mask, permute(a[lane], b[lane], selectors[c[lane] & 3]));
}

// Parts of a, extended by its type, times bytes of b, extended by its own.
#define PART(type, bits, word, k) ((int32_t)(type##bits##_t)((word) >> (bits) * (k)))
#define DOT4(ta, tb)                                                               \
  (PART(ta, 8, a, 0) * PART(tb, 8, b, 0) + PART(ta, 8, a, 1) * PART(tb, 8, b, 1) + \
   PART(ta, 8, a, 2) * PART(tb, 8, b, 2) + PART(ta, 8, a, 3) * PART(tb, 8, b, 3))
#define DOT2(ta, tb, from) \
  (PART(ta, 16, a, 0) * PART(tb, 8, b, from) + PART(ta, 16, a, 1) * PART(tb, 8, b, from + 1))

#define X(name, ta, tb)                                                    \
  EXEC3(dp4a_##name, u32, u32, u32, u32, c + (uint32_t)DOT4(ta, tb))       \
  EXEC3(dp2a_lo_##name, u32, u32, u32, u32, c + (uint32_t)DOT2(ta, tb, 0)) \
  EXEC3(dp2a_hi_##name, u32, u32, u32, u32, c + (uint32_t)DOT2(ta, tb, 2))
X(uu, uint, uint)
X(us, uint, int)
X(su, int, uint)
X(ss, int, int)
#undef X

// -- finding them

static ExecFn find_logic(const Form *form) {
  static const ExecFn and_[TYPE_COUNT] = BY_BITS(and), or_[TYPE_COUNT] = BY_BITS(or);
  static const ExecFn xor_[TYPE_COUNT] = BY_BITS(xor), not_[TYPE_COUNT] = BY_BITS(not );
  static const ExecFn cnot[TYPE_COUNT] = BY_BITS(cnot);
  bool predicates = form->type == TYPE_PRED;
  switch (form->op) {
    case OP_AND: return predicates ? and_pred : and_[form->type];
    case OP_OR: return predicates ? or_pred : or_[form->type];
    case OP_XOR: return predicates ? xor_pred : xor_[form->type];
    case OP_NOT: return predicates ? not_pred : not_[form->type];
    default: return cnot[form->type];
  }
}

static ExecFn find_shift(const Form *form) {
  static const ExecFn shl[TYPE_COUNT] = BY_BITS(shl);
  static const ExecFn shr[TYPE_COUNT] = {
      [TYPE_B16] = shr_u16, [TYPE_U16] = shr_u16, [TYPE_S16] = shr_s16,
      [TYPE_B32] = shr_u32, [TYPE_U32] = shr_u32, [TYPE_S32] = shr_s32,
      [TYPE_B64] = shr_u64, [TYPE_U64] = shr_u64, [TYPE_S64] = shr_s64};
  return (form->op == OP_SHL ? shl : shr)[form->type];
}

static ExecFn find_funnel(const Form *form) {
  if (form->type != TYPE_B32) return NULL;
  if (form->mode == MODE_LEFT) return form->wrap ? shf_left_wrap : shf_left_clamp;
  if (form->mode == MODE_RIGHT) return form->wrap ? shf_right_wrap : shf_right_clamp;
  return NULL;
}

static ExecFn find_count(const Form *form) {
  static const ExecFn high[TYPE_COUNT] = {[TYPE_U32] = bfind_u32,
                                          [TYPE_S32] = bfind_s32,
                                          [TYPE_U64] = bfind_u64,
                                          [TYPE_S64] = bfind_s64};
  static const ExecFn shift[TYPE_COUNT] = {[TYPE_U32] = bfind_shift_u32,
                                           [TYPE_S32] = bfind_shift_s32,
                                           [TYPE_U64] = bfind_shift_u64,
                                           [TYPE_S64] = bfind_shift_s64};
  if (form->op == OP_BFIND) return (form->mode == MODE_SHIFTAMT ? shift : high)[form->type];
  if (form->type != TYPE_B32 && form->type != TYPE_B64) return NULL;
  bool narrow = form->type == TYPE_B32;
  switch (form->op) {
    case OP_POPC: return narrow ? popc_u32 : popc_u64;
    case OP_CLZ: return narrow ? clz_u32 : clz_u64;
    default: return narrow ? brev_u32 : brev_u64;
  }
}

static ExecFn find_field(const Form *form) {
  static const ExecFn bfe[TYPE_COUNT] = {
      [TYPE_U32] = bfe_u32, [TYPE_S32] = bfe_s32, [TYPE_U64] = bfe_u64, [TYPE_S64] = bfe_s64};
  static const ExecFn bfi[TYPE_COUNT] = {[TYPE_B32] = bfi_u32, [TYPE_B64] = bfi_u64};
  if (form->op == OP_BFE) return bfe[form->type];
  if (form->op == OP_BFI) return bfi[form->type];
  if (form->op == OP_BMSK)
    return form->type != TYPE_B32 ? NULL : form->wrap ? bmsk_wrap : bmsk_clamp;
  if (form->type == TYPE_U32) return form->wrap ? szext_wrap_u32 : szext_clamp_u32;
  if (form->type == TYPE_S32) return form->wrap ? szext_wrap_s32 : szext_clamp_s32;
  return NULL;
}

static ExecFn find_dot(const Form *form) {
  static const ExecFn dp4a[] = {dp4a_uu, dp4a_us, dp4a_su, dp4a_ss};
  static const ExecFn low[] = {dp2a_lo_uu, dp2a_lo_us, dp2a_lo_su, dp2a_lo_ss};
  static const ExecFn high[] = {dp2a_hi_uu, dp2a_hi_us, dp2a_hi_su, dp2a_hi_ss};
  bool a_signed = form->type == TYPE_S32, b_signed = form->type2 == TYPE_S32;
  if (!a_signed && form->type != TYPE_U32) return NULL;
  if (!b_signed && form->type2 != TYPE_U32) return NULL;
  int k = a_signed * 2 + b_signed;
  if (form->op == OP_DP4A) return dp4a[k];
  return form->width == WIDTH_LOW ? low[k] : form->width == WIDTH_HIGH ? high[k] : NULL;
}

ExecFn exec_find_integer_bits(const Form *form) {
  switch (form->op) {
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_NOT:
    case OP_CNOT: return find_logic(form);
    case OP_SHL:
    case OP_SHR: return find_shift(form);
    case OP_SHF: return find_funnel(form);
    case OP_POPC:
    case OP_CLZ:
    case OP_BFIND:
    case OP_BREV: return find_count(form);
    case OP_BFE:
    case OP_BFI:
    case OP_BMSK:
    case OP_SZEXT: return find_field(form);
    case OP_DP4A:
    case OP_DP2A: return find_dot(form);
    case OP_LOP3: return form->type == TYPE_B32 ? lop3_u32 : NULL;
    case OP_FNS: return form->type == TYPE_B32 ? fns_u32 : NULL;
    case OP_PRMT:
      return form->type != TYPE_B32 ? NULL : form->mode == MODE_NONE ? prmt_generic : prmt_mode;
    default: return NULL;
  }
}
