// SPDX-License-Identifier: MIT
// Comparisons and what hangs on them: setp, set, selp, slct, testp.
//
// A comparison yields a mask of lanes. Each pair of comparison and type has
// its own setp; set, and everything with halves, finds the comparison in a table.
#include "exec/execute.h"
#include "exec/arithmetic/exec_float.h"
#include "exec/arithmetic/half.h"

typedef uint32_t (*CompareFn)(const void *a, const void *b);

// -- setp

static uint32_t combine(const Warp *warp, const Instruction *in, uint32_t compared) {
  if (in->form.operation == OPERATION_NONE) return compared;
  uint32_t c = *predicate_at(warp, in->src[2]);
  if (in->negated >> 2 & 1) c = ~c;
  switch (in->form.operation) {
    case OPERATION_AND: return compared & c;
    case OPERATION_OR: return compared | c;
    default: return compared ^ c;
  }
}

static void set_predicate(const Warp *warp, Place place, uint32_t value, uint32_t mask) {
  if (place == NO_PLACE) return;
  uint32_t *d = predicate_at(warp, place);
  *d = (*d & ~mask) | (value & mask);
}

static inline void setp_finish(const Warp *warp, const Instruction *in, uint32_t mask,
                               uint32_t compared) {
  uint32_t p = combine(warp, in, compared);
  uint32_t q = in->dst[1] == NO_PLACE ? 0 : combine(warp, in, ~compared);
  set_predicate(warp, in->dst[0], p, mask);
  set_predicate(warp, in->dst[1], q, mask);
}

// input() is applied to each operand before the comparison.
#define COMPARISON(name, t, input, condition)                                                 \
  static inline bool name##_lane(VALUE_##t a, VALUE_##t b) {                                  \
    return (condition);                                                                       \
  }                                                                                           \
  static uint32_t name(const void *x_, const void *y_) {                                      \
    const LANE_##t *x = x_, *y = y_;                                                          \
    uint32_t compared;                                                                        \
    LANES_WHERE(compared, name##_lane(input((VALUE_##t)x[lane]), input((VALUE_##t)y[lane]))); \
    return compared;                                                                          \
  }                                                                                           \
  EXEC(setp_##name) {                                                                         \
    const void *x = place_at(warp, in->src[0]), *y = place_at(warp, in->src[1]);              \
    setp_finish(warp, in, mask, name(x, y));                                                  \
  }

// enumerator, name, type, condition. Of the floats' those named ...u are true
// when an operand is NaN, the others are false.
// clang-format off
#define INTEGER_COMPARISONS(X, t)                                                    \
  X(EQ, eq, t, a == b) X(NE, ne, t, a != b) X(LT, lt, t, a < b) X(LE, le, t, a <= b) \
  X(GT, gt, t, a > b) X(GE, ge, t, a >= b)
#define FLOAT_COMPARISONS(X, t)                                                      \
  X(EQ, eq, t, a == b) X(NE, ne, t, a < b || a > b) X(LT, lt, t, a < b)              \
  X(LE, le, t, a <= b) X(GT, gt, t, a > b) X(GE, ge, t, a >= b)                      \
  X(EQU, equ, t, !(a < b || a > b)) X(NEU, neu, t, a != b) X(LTU, ltu, t, !(a >= b)) \
  X(LEU, leu, t, !(a > b)) X(GTU, gtu, t, !(a <= b)) X(GEU, geu, t, !(a < b))        \
  X(NUM, num, t, a == a && b == b) X(NAN, nan, t, a != a || b != b)
// clang-format on

#define AS_IS(x) (x)
#define X(enumerator, name, t, condition) COMPARISON(name##_##t, t, AS_IS, condition)
#define INTEGER(t) INTEGER_COMPARISONS(X, t)
FOR_INTEGERS(INTEGER)
FLOAT_COMPARISONS(X, f32)
FLOAT_COMPARISONS(X, f64)
#undef X
#define X(enumerator, name, t, condition) COMPARISON(name##_ftz_##t, t, float_flush, condition)
FLOAT_COMPARISONS(X, f32)
#undef X

enum { COMPARE_COUNT = COMPARE_NAN + 1 };

typedef struct Comparison {
  CompareFn compare;
  ExecFn setp;
} Comparison;

#define X(enumerator, name, t, condition) [COMPARE_##enumerator] = {name##_##t, setp_##name##_##t},
#define EQUALITIES(t) \
  { [COMPARE_EQ] = {eq_##t, setp_eq_##t}, [COMPARE_NE] = {ne_##t, setp_ne_##t}, }
static const Comparison comparisons[TYPE_COUNT][COMPARE_COUNT] = {
    [TYPE_B16] = EQUALITIES(u16),
    [TYPE_B32] = EQUALITIES(u32),
    [TYPE_B64] = EQUALITIES(u64),
    [TYPE_U16] = {INTEGER_COMPARISONS(X, u16)},
    [TYPE_S16] = {INTEGER_COMPARISONS(X, s16)},
    [TYPE_U32] = {INTEGER_COMPARISONS(X, u32)},
    [TYPE_S32] = {INTEGER_COMPARISONS(X, s32)},
    [TYPE_U64] = {INTEGER_COMPARISONS(X, u64)},
    [TYPE_S64] = {INTEGER_COMPARISONS(X, s64)},
    [TYPE_F32] = {FLOAT_COMPARISONS(X, f32)},
    [TYPE_F64] = {FLOAT_COMPARISONS(X, f64)},
};
#undef X
#define X(enumerator, name, t, condition) \
  [COMPARE_##enumerator] = {name##_ftz_##t, setp_##name##_ftz_##t},
static const Comparison flushed[COMPARE_COUNT] = {FLOAT_COMPARISONS(X, f32)};
#undef X

static Comparison comparison_find(const Form *form, DataType type) {
  if (!form->ftz) return comparisons[type][form->compare];
  return type == TYPE_F32 ? flushed[form->compare] : (Comparison){NULL, NULL};
}

// -- halves: widened to f32, which holds each of their values

static bool is_half(DataType type) {
  return type == TYPE_F16 || type == TYPE_F16X2 || type == TYPE_BF16 || type == TYPE_BF16X2;
}

static bool is_pair(DataType type) {
  return type == TYPE_F16X2 || type == TYPE_BF16X2;
}

static uint32_t compare_halves(const Warp *warp, const Instruction *in, DataType type, int half) {
  const FloatFormat *format = format_of(type);
  float wide[2][WARP_LANES];
  for (int k = 0; k < 2; k++) {
    const Lane32 *x = place_at(warp, in->src[k]);
    for (int lane = 0; lane < WARP_LANES; lane++) {
      uint16_t bits = (uint16_t)(x[lane] >> 16 * half);
      bool subnormal = (bits & 0x7fff) >> format->fraction_bits == 0;
      wide[k][lane] = in->form.ftz && subnormal ? 0 : (float)half_to_double(bits, format);
    }
  }
  return comparisons[TYPE_F32][in->form.compare].compare(wide[0], wide[1]);
}

EXEC(setp_half) {
  setp_finish(warp, in, mask, compare_halves(warp, in, (DataType)in->form.type, 0));
}

// A pair sets p by its lower and q by its upper half.
EXEC(setp_pair) {
  uint32_t low = compare_halves(warp, in, (DataType)in->form.type, 0);
  uint32_t high = compare_halves(warp, in, (DataType)in->form.type, 1);
  uint32_t p = combine(warp, in, low), q = combine(warp, in, high);
  set_predicate(warp, in->dst[0], p, mask);
  set_predicate(warp, in->dst[1], q, mask);
}

static ExecFn find_setp(const Form *form) {
  DataType type = (DataType)form->type;
  if (form->type2 != TYPE_NONE || form->compare == COMPARE_NONE) return NULL;
  if (is_half(type)) return is_pair(type) ? setp_pair : setp_half;
  return comparison_find(form, type).setp;
}

// -- set

// What true looks like.
static uint32_t truth(DataType type) {
  switch (type) {
    case TYPE_U32:
    case TYPE_S32: return UINT32_MAX;
    case TYPE_U16:
    case TYPE_S16: return UINT16_MAX;
    case TYPE_F32: return 0x3f800000;
    case TYPE_F16:
    case TYPE_F16X2: return 0x3c00;
    case TYPE_BF16:
    case TYPE_BF16X2: return 0x3f80;
    default: return 0;
  }
}

static uint32_t compare_set(const Warp *warp, const Instruction *in, int half) {
  DataType type = (DataType)in->form.type2;
  if (is_half(type)) return compare_halves(warp, in, type, half);
  return comparison_find(&in->form, type)
      .compare(place_at(warp, in->src[0]), place_at(warp, in->src[1]));
}

EXEC(set_lanes) {
  Lane32 *d = place_at(warp, in->dst[0]);
  uint32_t value = truth((DataType)in->form.type);
  uint32_t result = combine(warp, in, compare_set(warp, in, 0));
  LANES(d, mask, result >> lane & 1 ? value : 0);
}

EXEC(set_pair) {
  Lane32 *d = place_at(warp, in->dst[0]);
  uint32_t value = truth((DataType)in->form.type) & 0xffff;
  uint32_t low = combine(warp, in, compare_set(warp, in, 0));
  uint32_t high = combine(warp, in, compare_set(warp, in, 1));
  LANES(d, mask, (low >> lane & 1 ? value : 0) | (high >> lane & 1 ? value << 16 : 0));
}

static ExecFn find_set(const Form *form) {
  DataType to = (DataType)form->type, from = (DataType)form->type2;
  if (truth(to) == 0 || form->compare == COMPARE_NONE) return NULL;
  if (is_pair(from)) return to == from || to == TYPE_U32 || to == TYPE_S32 ? set_pair : NULL;
  if (is_pair(to)) return NULL;
  if (is_half(from)) return set_lanes;
  if (to != TYPE_U32 && to != TYPE_S32 && to != TYPE_F32) return NULL;
  return comparison_find(form, from).compare ? set_lanes : NULL;
}

// -- selp, slct

#define SELP(name, Lane)                                                         \
  EXEC(name) {                                                                   \
    Lane *d = place_at(warp, in->dst[0]);                                        \
    const Lane *a = place_at(warp, in->src[0]), *b = place_at(warp, in->src[1]); \
    uint32_t chosen = *predicate_at(warp, in->src[2]);                           \
    if (in->negated >> 2 & 1) chosen = ~chosen;                                  \
    LANES(d, mask, chosen >> lane & 1 ? a[lane] : b[lane]);                      \
  }
SELP(selp_32, Lane32)
SELP(selp_64, Lane64)

EXEC3(slct_32_s32, u32, u32, u32, s32, c >= 0 ? a : b)
EXEC3(slct_64_s32, u64, u64, u64, s32, c >= 0 ? a : b)
EXEC3(slct_32_f32, u32, u32, u32, f32, c >= 0 ? a : b)
EXEC3(slct_64_f32, u64, u64, u64, f32, c >= 0 ? a : b)
EXEC3(slct_ftz_32_f32, u32, u32, u32, f32, float_flush(c) >= 0 ? a : b)
EXEC3(slct_ftz_64_f32, u64, u64, u64, f32, float_flush(c) >= 0 ? a : b)

// 0 where selp and slct have no such type.
static int selectable_bits(DataType type) {
  int bits = type_bits(type);
  bool fits = type_kind(type) != KIND_FLOAT || type == TYPE_F32 || type == TYPE_F64;
  return fits && (bits == 16 || bits == 32 || bits == 64) && type <= TYPE_F64 ? bits : 0;
}

static ExecFn find_selp(const Form *form) {
  int bits = selectable_bits((DataType)form->type);
  return bits == 0 || form->type2 ? NULL : bits == 64 ? selp_64 : selp_32;
}

static ExecFn find_slct(const Form *form) {
  int bits = selectable_bits((DataType)form->type);
  if (bits == 0) return NULL;
  if (form->type2 == TYPE_S32) return form->ftz ? NULL : bits == 64 ? slct_64_s32 : slct_32_s32;
  if (form->type2 != TYPE_F32) return NULL;
  if (form->ftz) return bits == 64 ? slct_ftz_64_f32 : slct_ftz_32_f32;
  return bits == 64 ? slct_64_f32 : slct_32_f32;
}

// -- testp: zeros count as normal

static bool has_property(Mode mode, int class) {
  switch (mode) {
    case MODE_FINITE: return class != FP_INFINITE && class != FP_NAN;
    case MODE_INFINITE: return class == FP_INFINITE;
    case MODE_NUMBER: return class != FP_NAN;
    case MODE_NOTANUMBER: return class == FP_NAN;
    case MODE_NORMAL: return class == FP_NORMAL || class == FP_ZERO;
    default: return class == FP_SUBNORMAL;
  }
}

#define TESTP(name, Lane)                                                                 \
  EXEC(name) {                                                                            \
    const Lane *x = place_at(warp, in->src[0]);                                           \
    uint32_t result = 0;                                                                  \
    for (int lane = 0; lane < WARP_LANES; lane++)                                         \
      result |= (uint32_t)has_property((Mode)in->form.mode, fpclassify(x[lane])) << lane; \
    set_predicate(warp, in->dst[0], result, mask);                                        \
  }
TESTP(testp_f32, LaneF32)
TESTP(testp_f64, LaneF64)

static ExecFn find_testp(const Form *form) {
  if (form->mode < MODE_FINITE || form->mode > MODE_SUBNORMAL) return NULL;
  return form->type == TYPE_F32 ? testp_f32 : form->type == TYPE_F64 ? testp_f64 : NULL;
}

ExecFn exec_find_compare(const Form *form) {
  switch (form->op) {
    case OP_SETP: return find_setp(form);
    case OP_SET: return find_set(form);
    case OP_SELP: return find_selp(form);
    case OP_SLCT: return find_slct(form);
    case OP_TESTP: return find_testp(form);
    default: return NULL;
  }
}
