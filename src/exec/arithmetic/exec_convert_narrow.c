// SPDX-License-Identifier: MIT
// cvt to and from tf32 and pairs of 8-bit floats, lane by lane.
//
//   tf32          an f32 whose lower 13 bits are zero
//   e4m3 e5m2     float8.h; made with .satfinite only
//   ue8m0         a power of two: 2^(bits - 127), 0xff is its NaN; the sign is lost
//
// Of two sources the first becomes the upper half. Halves become exact values in
// double, which holds them all, and are rounded once.
#include <math.h>

#include "exec/arithmetic/exec_convert.h"
#include "exec/arithmetic/float8.h"
#include "exec/arithmetic/half.h"
#include "exec/lanes.h"

static bool is_float8_pair(DataType type) {
  return type == TYPE_E4M3X2 || type == TYPE_E5M2X2;
}

static bool is_half_pair(DataType type) {
  return type == TYPE_F16X2 || type == TYPE_BF16X2;
}

bool exec_convert_is_narrow(const Form *form) {
  DataType to = (DataType)form->type, from = (DataType)form->type2;
  return to == TYPE_TF32 || is_float8_pair(to) || is_float8_pair(from) || to == TYPE_UE8M0X2 ||
         from == TYPE_UE8M0X2;
}

// ---- tf32

static uint32_t to_tf32(const Form *form, uint32_t bits) {
  static const FloatFormat tf32 = {.exponent_bits = 8, .fraction_bits = 10};
  uint32_t sign = bits & 0x80000000u, size = bits & 0x7fffffffu;
  if (size > 0x7f800000u) return 0x7fffffffu;
  if (form->relu && sign) return 0;
  if (form->satfinite && size == 0x7f800000u) return sign | 0x7f7fe000u;
  uint32_t result;
  if (form->rounding == ROUND_AWAY)
    result = (bits + (size < 0x7f800000u ? 0x1000u : 0)) & 0xffffe000u;
  else
    result = (uint32_t)exact_to_float(exact_from_float(bits, &format_f32), &tf32,
                                      (Rounding)form->rounding)
             << 13;
  bool overflowed = (result & 0x7fffffffu) == 0x7f800000u;
  return form->satfinite && overflowed ? sign | 0x7f7fe000u : result;
}

EXEC(exec_to_tf32) {
  Lane32 *d = place_at(warp, in->dst[0]);
  const Lane32 *x = place_at(warp, in->src[0]);
  const Form *form = &in->form;
  LANES_SCALAR(d, mask, to_tf32(form, x[lane]));
}

// ---- halves of 8 bits

static uint8_t to_scale(double value, bool rounds_up, bool saturates) {
  int exponent;
  if (value != value) return 0xff;
  double size = fabs(value);
  if (size == 0) return 0;
  if (isinf(size)) return saturates ? 0xfe : 0xff;
  double fraction = frexp(size, &exponent);  // in [0.5, 1)
  exponent += 126 + (rounds_up && fraction > 0.5);
  if (exponent < 0) return 0;
  return (uint8_t)(exponent < 0xff ? exponent : saturates ? 0xfe : 0xff);
}

static uint8_t to_narrow(const Form *form, double value) {
  if (form->type == TYPE_UE8M0X2)
    return to_scale(value, form->rounding == ROUND_UP, form->satfinite);
  if (form->relu && value < 0) value = 0;
  return float8_from(value, form->type == TYPE_E4M3X2 ? TYPE_E4M3 : TYPE_E5M2);
}

static double value_32(uint32_t bits) {
  union {
    uint32_t bits;
    float value;
  } x = {.bits = bits};
  return x.value;
}

// The two values that a lane converts: [0] the lower.
static void source_values(DataType type, uint32_t a, uint32_t b, double values[2]) {
  const FloatFormat *format = type == TYPE_F16X2 ? &format_f16 : &format_bf16;
  for (int h = 0; h < 2; h++) {
    uint16_t half = (uint16_t)(a >> 16 * h);
    uint8_t narrow = (uint8_t)(a >> 8 * h);
    if (type == TYPE_F32)
      values[h] = value_32(h ? a : b);
    else if (is_half_pair(type))
      values[h] = half_to_double(half, format);
    else if (type == TYPE_UE8M0X2)
      values[h] = narrow == 0xff ? NAN : ldexp(1, narrow - 127);
    else
      values[h] = float8_value(narrow, type == TYPE_E4M3X2 ? TYPE_E4M3 : TYPE_E5M2);
  }
}

static uint32_t convert(const Form *form, uint32_t a, uint32_t b) {
  double values[2];
  uint32_t result = 0;
  source_values((DataType)form->type2, a, b, values);
  for (int h = 0; h < 2; h++) {
    const FloatFormat *format = form->type == TYPE_F16X2 ? &format_f16 : &format_bf16;
    double value = form->relu && values[h] < 0 ? 0 : values[h];
    if (is_half_pair((DataType)form->type))
      result |= (uint32_t)half_from_double(value, format) << 16 * h;
    else
      result |= (uint32_t)to_narrow(form, values[h]) << 8 * h;
  }
  return result;
}

EXEC(exec_narrow) {
  Lane32 *d = place_at(warp, in->dst[0]);
  const Lane32 *a = place_at(warp, in->src[0]);
  const Lane32 *b = in->src[1] == NO_PLACE ? a : place_at(warp, in->src[1]);
  const Form *form = &in->form;
  LANES_SCALAR(d, mask, convert(form, a[lane], b[lane]));
}

// ---- what exists

static bool is_valid_tf32(const Form *form) {
  bool known = form->rounding == ROUND_AWAY
                   ? !form->relu
                   : form->rounding == ROUND_NEAREST || form->rounding == ROUND_ZERO;
  return form->type2 == TYPE_F32 && known;
}

static bool is_valid_narrow(const Form *form) {
  DataType to = (DataType)form->type, from = (DataType)form->type2;
  bool from_wide = from == TYPE_F32 || is_half_pair(from);
  if (to == TYPE_UE8M0X2)
    return (form->rounding == ROUND_ZERO || form->rounding == ROUND_UP) && !form->relu &&
           (from == TYPE_F32 || from == TYPE_BF16X2);
  if (form->rounding != ROUND_NEAREST) return false;
  if (is_float8_pair(to)) return form->satfinite && from_wide;
  if (from == TYPE_UE8M0X2) return to == TYPE_BF16X2 && !form->relu && !form->satfinite;
  return is_half_pair(to) && !form->satfinite;
}

ExecFn exec_find_convert_narrow(const Form *form) {
  if (form->mode != MODE_NONE || form->type3 || form->ftz || form->sat || form->integer_round)
    return NULL;
  if (form->type == TYPE_TF32) return is_valid_tf32(form) ? exec_to_tf32 : NULL;
  return is_valid_narrow(form) ? exec_narrow : NULL;
}
