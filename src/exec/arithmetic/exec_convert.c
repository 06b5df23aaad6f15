// SPDX-License-Identifier: MIT
// cvt between registers of the natural width, in the forms that programs are
// full of; cvta and isspacep. Every other cvt is left to exec_convert_general.c,
// also when a register turns out to be wider than its type.
#include "exec/arithmetic/exec_convert.h"
#include "exec/arithmetic/exec_float.h"
#include "exec/arithmetic/half.h"

// The widest destination register that a stored value is right for: signed
// values narrower than a lane would have to be extended in a wider one.
#define WIDEST_u8 4
#define WIDEST_s8 1
#define WIDEST_u16 4
#define WIDEST_s16 2
#define WIDEST_u32 4
#define WIDEST_s32 4
#define WIDEST_f32 4
#define WIDEST_u64 8
#define WIDEST_s64 8
#define WIDEST_f64 8

#define CVT(name, D, S, expression)                                                  \
  EXEC1(name##_lanes, D, S, expression)                                              \
  EXEC(name) {                                                                       \
    bool natural = in->dst_bytes <= WIDEST_##D && in->src_bytes <= sizeof(LANE_##S); \
    (natural ? name##_lanes : exec_convert_general)(context, warp, in, mask);        \
  }

// -- integers

// clang-format off
#define FROM_ALL(X, d)                                                   \
  X(d, u8) X(d, s8) X(d, u16) X(d, s16) X(d, u32) X(d, s32) X(d, u64) X(d, s64)
#define ALL_PAIRS(X)                                                     \
  FROM_ALL(X, u8) FROM_ALL(X, s8) FROM_ALL(X, u16) FROM_ALL(X, s16)      \
  FROM_ALL(X, u32) FROM_ALL(X, s32) FROM_ALL(X, u64) FROM_ALL(X, s64)
// clang-format on

#define X(d, s) CVT(cvt_##d##_##s, d, s, a)
ALL_PAIRS(X)
FROM_ALL(X, f32)
FROM_ALL(X, f64)
#undef X

#define ENUM_u8 TYPE_U8
#define ENUM_s8 TYPE_S8
#define ENUM_u16 TYPE_U16
#define ENUM_s16 TYPE_S16
#define ENUM_u32 TYPE_U32
#define ENUM_s32 TYPE_S32
#define ENUM_u64 TYPE_U64
#define ENUM_s64 TYPE_S64

static const ExecFn integers[TYPE_COUNT][TYPE_COUNT] = {
#define X(d, s) [ENUM_##d][ENUM_##s] = cvt_##d##_##s,
    ALL_PAIRS(X)
#undef X
};

// -- integers to floats, to nearest

static ExecFn find_from_integer(const Form *form) {
#define X(d, s) [ENUM_##s] = cvt_##d##_##s,
  static const ExecFn to_f32[TYPE_COUNT] = {FROM_ALL(X, f32)};
  static const ExecFn to_f64[TYPE_COUNT] = {FROM_ALL(X, f64)};
#undef X
  if (form->sat || form->rounding != ROUND_NEAREST) return NULL;
  return form->type == TYPE_F32   ? to_f32[form->type2]
         : form->type == TYPE_F64 ? to_f64[form->type2]
                                  : NULL;
}

// -- floats to integers: clamped; NaN gives 0, or the top bit where a double is involved

static inline int32_t s32_from_f32(float x) {
  return x >= 0x1p31f ? INT32_MAX : x >= -0x1p31f ? (int32_t)x : x != x ? 0 : INT32_MIN;
}

static inline uint32_t u32_from_f32(float x) {
  return x >= 0x1p32f ? UINT32_MAX : x >= 0 ? (uint32_t)x : 0;
}

static inline int32_t s32_from_f64(double x) {
  return x >= 0x1p31 ? INT32_MAX : x >= -0x1p31 ? (int32_t)x : INT32_MIN;
}

static inline uint32_t u32_from_f64(double x) {
  return x >= 0x1p32 ? UINT32_MAX : x >= 0 ? (uint32_t)x : x != x ? 0x80000000 : 0;
}

static inline int64_t s64_from_f64(double x) {
  return x >= 0x1p63 ? INT64_MAX : x >= -0x1p63 ? (int64_t)x : INT64_MIN;
}

static inline uint64_t u64_from_f64(double x) {
  return x >= 0x1p64 ? UINT64_MAX : x >= 0 ? (uint64_t)x : x != x ? UINT64_C(1) << 63 : 0;
}

#define FOR_MODES(X) \
  X(rni, rintf, rint) X(rzi, truncf, trunc) X(rmi, floorf, floor) X(rpi, ceilf, ceil)

#define X(mode, round32, round64)                                                \
  CVT(cvt_##mode##_s32_f32, s32, f32, s32_from_f32(round32(a)))                  \
  CVT(cvt_##mode##_u32_f32, u32, f32, u32_from_f32(round32(a)))                  \
  CVT(cvt_##mode##_s64_f32, s64, f32, s64_from_f64(round32(a)))                  \
  CVT(cvt_##mode##_u64_f32, u64, f32, u64_from_f64(round32(a)))                  \
  CVT(cvt_##mode##_s32_f64, s32, f64, s32_from_f64(round64(a)))                  \
  CVT(cvt_##mode##_u32_f64, u32, f64, u32_from_f64(round64(a)))                  \
  CVT(cvt_##mode##_s64_f64, s64, f64, s64_from_f64(round64(a)))                  \
  CVT(cvt_##mode##_u64_f64, u64, f64, u64_from_f64(round64(a)))                  \
  CVT(cvt_##mode##_ftz_s32_f32, s32, f32, s32_from_f32(round32(float_flush(a)))) \
  CVT(cvt_##mode##_ftz_u32_f32, u32, f32, u32_from_f32(round32(float_flush(a)))) \
  CVT(cvt_##mode##_ftz_s64_f32, s64, f32, s64_from_f64(round32(float_flush(a)))) \
  CVT(cvt_##mode##_ftz_u64_f32, u64, f32, u64_from_f64(round32(float_flush(a))))
FOR_MODES(X)
#undef X

#define BY_ROUNDING(types)                                             \
  {                                                                    \
    [ROUND_NEAREST] = cvt_rni_##types, [ROUND_ZERO] = cvt_rzi_##types, \
    [ROUND_DOWN] = cvt_rmi_##types, [ROUND_UP] = cvt_rpi_##types       \
  }

// Functions by type and rounding.
typedef ExecFn ByRounding[ROUND_UP + 1];

static ExecFn find_to_integer(const Form *form) {
  static const ByRounding from_f64[TYPE_COUNT] = {[TYPE_S32] = BY_ROUNDING(s32_f64),
                                                  [TYPE_U32] = BY_ROUNDING(u32_f64),
                                                  [TYPE_S64] = BY_ROUNDING(s64_f64),
                                                  [TYPE_U64] = BY_ROUNDING(u64_f64)};
  static const ByRounding from_f32[TYPE_COUNT] = {[TYPE_S32] = BY_ROUNDING(s32_f32),
                                                  [TYPE_U32] = BY_ROUNDING(u32_f32),
                                                  [TYPE_S64] = BY_ROUNDING(s64_f32),
                                                  [TYPE_U64] = BY_ROUNDING(u64_f32)};
  static const ByRounding flushed[TYPE_COUNT] = {[TYPE_S32] = BY_ROUNDING(ftz_s32_f32),
                                                 [TYPE_U32] = BY_ROUNDING(ftz_u32_f32),
                                                 [TYPE_S64] = BY_ROUNDING(ftz_s64_f32),
                                                 [TYPE_U64] = BY_ROUNDING(ftz_u64_f32)};
  if (form->type2 == TYPE_F64) return from_f64[form->type][form->rounding];
  if (form->type2 != TYPE_F32) return NULL;
  return (form->ftz ? flushed : from_f32)[form->type][form->rounding];
}

// -- floats

CVT(cvt_f64_f32, f64, f32, a)
CVT(cvt_ftz_f64_f32, f64, f32, float_flush(a))
CVT(cvt_f32_f64, f32, f64, float_result((float)a, false, false))
CVT(cvt_ftz_f32_f64, f32, f64, float_result((float)a, true, false))
CVT(cvt_sat_f32_f32, f32, f32, float_saturate(a))
CVT(cvt_ftz_sat_f32_f32, f32, f32, float_saturate(float_flush(a)))

// An f32's lanes are read and written as bits.
CVT(cvt_f32_f16, u32, u16, f32_bits_from_f16(a))
CVT(cvt_f16_f32, u16, u32, f16_bits_from_f32(a))
CVT(cvt_bf16_f32, u16, u32, bf16_bits_from_f32(a))
EXEC2(cvt_f16x2_f32, u32, u32, u32, f16_bits_from_f32(a) << 16 | f16_bits_from_f32(b))
EXEC2(cvt_bf16x2_f32, u32, u32, u32, bf16_bits_from_f32(a) << 16 | bf16_bits_from_f32(b))

static ExecFn find_from_f32(const Form *form) {
  if (form->ftz || form->sat || form->relu || form->rounding != ROUND_NEAREST) return NULL;
  switch (form->type) {
    case TYPE_F16: return cvt_f16_f32;
    case TYPE_BF16: return cvt_bf16_f32;
    case TYPE_F16X2: return cvt_f16x2_f32;
    case TYPE_BF16X2: return cvt_bf16x2_f32;
    default: return NULL;
  }
}

#define X(mode, round32, round64)                                                              \
  CVT(cvt_##mode##_f32_f32, f32, f32, float_result(round32(a), false, false))                  \
  CVT(cvt_##mode##_ftz_f32_f32, f32, f32, float_result(round32(float_flush(a)), false, false)) \
  CVT(cvt_##mode##_f64_f64, f64, f64, round64(a))
FOR_MODES(X)
#undef X

static ExecFn find_integral(const Form *form) {
  static const ExecFn f32[] = BY_ROUNDING(f32_f32), f64[] = BY_ROUNDING(f64_f64);
  static const ExecFn ftz[] = BY_ROUNDING(ftz_f32_f32);
  if (form->sat) return NULL;
  if (form->type == TYPE_F64) return f64[form->rounding];
  return form->type == TYPE_F32 ? (form->ftz ? ftz : f32)[form->rounding] : NULL;
}

static ExecFn find_between_floats(const Form *form) {
  if (form->integer_round) return find_integral(form);
  bool to_f32 = form->type == TYPE_F32, from_f32 = form->type2 == TYPE_F32;
  if (to_f32 && from_f32 && form->sat) return form->ftz ? cvt_ftz_sat_f32_f32 : cvt_sat_f32_f32;
  if (form->sat) return NULL;
  if (to_f32 && form->type2 == TYPE_F16 && !form->ftz) return cvt_f32_f16;
  if (form->type == TYPE_F64 && from_f32) return form->ftz ? cvt_ftz_f64_f32 : cvt_f64_f32;
  if (to_f32 && form->type2 == TYPE_F64 && form->rounding == ROUND_NEAREST)
    return form->ftz ? cvt_ftz_f32_f64 : cvt_f32_f64;
  return from_f32 ? find_from_f32(form) : NULL;
}

static ExecFn find_fast(const Form *form) {
  bool to_float = type_kind((DataType)form->type) == KIND_FLOAT;
  bool from_float = type_kind((DataType)form->type2) == KIND_FLOAT;
  if (form->mode != MODE_NONE || form->satfinite) return NULL;
  if (to_float) return from_float ? find_between_floats(form) : find_from_integer(form);
  if (from_float) return find_to_integer(form);
  return form->sat ? NULL : integers[form->type][form->type2];
}

// -- address spaces: windows of the generic space

static uint64_t window_of(Space space) {
  switch (space) {
    case SPACE_SHARED: return SHARED_WINDOW;
    case SPACE_LOCAL:
    case SPACE_FRAME: return LOCAL_WINDOW;
    case SPACE_PARAM: return PARAM_WINDOW;
    default: return 0;  // global and constant memory have no window
  }
}

static uint64_t window_distance(const Form *form) {
  uint64_t window = window_of((Space)form->space);
  return form->mode == MODE_TO ? 0 - window : window;
}

EXEC(cvta_32) {
  Lane32 *d = place_at(warp, in->dst[0]);
  const Lane32 *a = place_at(warp, in->src[0]);
  uint32_t distance = (uint32_t)window_distance(&in->form);
  LANES(d, mask, a[lane] + distance);
}

EXEC(cvta_64) {
  Lane64 *d = place_at(warp, in->dst[0]);
  const Lane64 *a = place_at(warp, in->src[0]);
  uint64_t distance = window_distance(&in->form);
  LANES(d, mask, a[lane] + distance);
}

static ExecFn find_cvta(const Form *form) {
  if (form->space == SPACE_GENERIC || form->space == SPACE_TEXTURE) return NULL;
  if (form->type != TYPE_U32 && form->type != TYPE_U64) return NULL;
  bool wide = form->type == TYPE_U64;
  if (window_of((Space)form->space) == 0) return wide ? exec_mov_64 : exec_mov_32;
  return wide ? cvta_64 : cvta_32;
}

static bool is_in_window(uint64_t address, Space space) {
  return address - window_of(space) < WINDOW_BYTES;
}

static bool is_in_space(const ExecContext *context, uint64_t address, Space space) {
  if (space == SPACE_GLOBAL)
    return !is_in_window(address, SPACE_SHARED) && !is_in_window(address, SPACE_LOCAL) &&
           !is_in_window(address, SPACE_PARAM);
  if (space != SPACE_CONST) return is_in_window(address, space);
  const Allocation *found = device_memory_find(context->memory, address);
  return found && found->kind == ALLOCATION_CONSTANT;
}

EXEC(isspacep) {
  const void *a = place_at(warp, in->src[0]);
  uint32_t result = 0;
  for (int lane = 0; lane < WARP_LANES; lane++) {
    if (!(mask >> lane & 1)) continue;
    uint64_t address =
        in->address_bytes == 4 ? ((const Lane32 *)a)[lane] : ((const Lane64 *)a)[lane];
    result |= (uint32_t)is_in_space(context, address, (Space)in->form.space) << lane;
  }
  uint32_t *d = predicate_at(warp, in->dst[0]);
  *d = (*d & ~mask) | result;
}

static ExecFn find_cvt(const Form *form) {
  if (exec_convert_is_narrow(form)) return exec_find_convert_narrow(form);
  if (!exec_convert_is_valid(form)) return NULL;
  ExecFn fast = find_fast(form);
  return fast ? fast : exec_convert_general;
}

ExecFn exec_find_convert(const Form *form) {
  switch (form->op) {
    case OP_CVT: return find_cvt(form);
    case OP_CVTA: return find_cvta(form);
    case OP_ISSPACEP:
      return form->space == SPACE_GENERIC || form->space == SPACE_TEXTURE ? NULL : isspacep;
    default: return NULL;
  }
}
