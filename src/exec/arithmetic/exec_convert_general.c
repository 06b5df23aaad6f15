// SPDX-License-Identifier: MIT
// Any cvt, lane by lane: the source becomes an exact number, which is rounded
// once to the destination (half.h). No rounding mode of the host is involved.
//
// tf32 and 8-bit floats are in exec_convert_narrow.c; smaller ones and .rs are left out.
#include "exec/arithmetic/exec_convert.h"
#include "exec/arithmetic/half.h"
#include "exec/lanes.h"

static bool is_integer(DataType type) {
  return type_kind(type) == KIND_SIGNED || type_kind(type) == KIND_UNSIGNED;
}

static bool is_scalar_float(DataType type) {
  return type == TYPE_F16 || type == TYPE_BF16 || type == TYPE_F32 || type == TYPE_F64;
}

static bool is_pair(DataType type) {
  return type == TYPE_F16X2 || type == TYPE_BF16X2;
}

// -- what exists

// Every value of `from` is one of `to`.
static bool holds_all(DataType to, DataType from) {
  const FloatFormat *t = format_of(to), *f = format_of(from);
  return t->exponent_bits >= f->exponent_bits && t->fraction_bits >= f->fraction_bits;
}

// A rounding that could have no effect is tolerated, as ptxas does for bf16.
static bool is_valid_between_floats(const Form *form) {
  DataType to = (DataType)form->type, from = (DataType)form->type2;
  if (form->relu && (from != TYPE_F32 || type_bits(to) != 16)) return false;
  if (form->integer_round) return to == from;
  return form->rounding != ROUND_NONE || holds_all(to, from);
}

static bool is_valid_pair(const Form *form) {
  bool known = form->rounding == ROUND_NEAREST || form->rounding == ROUND_ZERO;
  return form->type2 == TYPE_F32 && known && !form->integer_round && !form->ftz && !form->sat;
}

static bool is_valid_pack(const Form *form) {
  bool sixteen = form->type == TYPE_U16 || form->type == TYPE_S16;
  bool eight = form->type == TYPE_U8 || form->type == TYPE_S8;
  bool third = form->type3 == TYPE_B32;
  return form->sat && form->type2 == TYPE_S32 &&
         (sixteen ? form->type3 == TYPE_NONE : eight && third);
}

bool exec_convert_is_valid(const Form *form) {
  DataType to = (DataType)form->type, from = (DataType)form->type2;
  if (form->rounding == ROUND_AWAY) return false;
  if (form->satfinite && !(from == TYPE_F32 && (is_pair(to) || type_bits(to) == 16))) return false;
  if (form->satfinite && type_kind(to) != KIND_FLOAT) return false;
  if (form->mode == MODE_PACK) return is_valid_pack(form);
  if (form->mode != MODE_NONE || form->type3 != TYPE_NONE) return false;
  if (is_pair(to)) return is_valid_pair(form);
  if (form->ftz && to != TYPE_F32 && from != TYPE_F32) return false;
  if (is_scalar_float(to) && is_scalar_float(from)) return is_valid_between_floats(form);
  if (form->relu) return false;
  if (is_integer(to) && is_integer(from)) return form->rounding == ROUND_NONE;
  if (is_scalar_float(to) && is_integer(from)) return form->rounding && !form->integer_round;
  return is_integer(to) && is_scalar_float(from) && form->rounding && form->integer_round;
}

// -- one lane

static int64_t sign_extend(uint64_t bits, int width) {
  return (int64_t)(bits << (64 - width)) >> (64 - width);
}

static Exact source_value(uint64_t bits, DataType type, bool ftz) {
  int width = type_bits(type);
  if (width < 64) bits &= (UINT64_C(1) << width) - 1;
  if (type_kind(type) == KIND_SIGNED) return exact_from_signed(sign_extend(bits, width));
  if (type_kind(type) != KIND_FLOAT) return exact_from_unsigned(bits);
  if (ftz && type == TYPE_F32 && !(bits & 0x7f800000)) bits &= 0x80000000;
  return exact_from_float(bits, format_of(type));
}

// A NaN has no integer: 0, or the top bit where a 64-bit type is involved.
static uint64_t nan_integer(DataType to, DataType from) {
  int bits = type_bits(to);
  return from == TYPE_F64 || bits == 64 ? UINT64_C(1) << (bits - 1) : 0;
}

static uint64_t to_integer(const Form *form, Exact value) {
  DataType to = (DataType)form->type, from = (DataType)form->type2;
  bool is_signed = type_kind(to) == KIND_SIGNED;
  if (is_integer(from) && !form->sat)  // drops the upper bits
    return value.negative ? 0 - value.significand : value.significand;
  return exact_to_integer(value, type_bits(to), is_signed, (Rounding)form->rounding,
                          nan_integer(to, from));
}

static uint64_t to_float(const Form *form, DataType to, Exact value) {
  const FloatFormat *format = format_of(to);
  if (form->integer_round) value = exact_to_integral(value, (Rounding)form->rounding);
  uint64_t bits = exact_to_float(value, format, (Rounding)form->rounding);
  uint64_t sign = UINT64_C(1) << (format->exponent_bits + format->fraction_bits);
  bool nan = value.kind == EXACT_NAN;
  uint64_t infinity = sign - (UINT64_C(1) << format->fraction_bits);
  if (form->satfinite && (bits & ~sign) == infinity) bits--;
  if (form->ftz && to == TYPE_F32 && !(bits & 0x7f800000)) bits &= sign;
  if (form->sat) {
    uint64_t one = exact_to_float(exact_from_unsigned(1), format, ROUND_NEAREST);
    return nan || bits & sign ? 0 : bits > one ? one : bits;
  }
  return form->relu && bits & sign && !nan ? 0 : bits;
}

static uint64_t convert(const Form *form, uint64_t bits) {
  DataType to = (DataType)form->type;
  Exact value = source_value(bits, (DataType)form->type2, form->ftz);
  return is_integer(to) ? to_integer(form, value) : to_float(form, to, value);
}

// Two floats become a pair, the first its upper half.
static uint64_t convert_pair(const Form *form, uint64_t a, uint64_t b) {
  DataType half = form->type == TYPE_F16X2 ? TYPE_F16 : TYPE_BF16;
  uint64_t high = to_float(form, half, source_value(a, TYPE_F32, false));
  return high << 16 | to_float(form, half, source_value(b, TYPE_F32, false));
}

// Packs two clamped integers, the first above the second, and the low bits of c above both.
static uint64_t convert_pack(const Form *form, uint64_t a, uint64_t b, uint64_t c) {
  int bits = type_bits((DataType)form->type);
  uint64_t part = (UINT64_C(1) << bits) - 1;
  return c << 2 * bits | (convert(form, a) & part) << bits | (convert(form, b) & part);
}

// -- lanes

static uint64_t read_lane(const Warp *warp, Place place, int bytes, int lane) {
  if (place == NO_PLACE) return 0;
  const void *lanes = place_at(warp, place);
  return bytes == 8 ? ((const Lane64 *)lanes)[lane] : ((const Lane32 *)lanes)[lane];
}

// Cuts a result to its type, and fills the register: with copies of the sign
// if the type has one.
static uint64_t extend(uint64_t bits, DataType type, int register_bytes) {
  int width = type_bits(type), register_bits = 8 * register_bytes;
  if (width < 64) bits &= (UINT64_C(1) << width) - 1;
  if (type_kind(type) == KIND_SIGNED && register_bits > width)
    bits = (uint64_t)sign_extend(bits, width);
  return register_bits < 64 ? bits & ((UINT64_C(1) << register_bits) - 1) : bits;
}

void exec_convert_general(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  (void)context;
  const Form *form = &in->form;
  bool pack = form->mode == MODE_PACK, pair = is_pair((DataType)form->type);
  DataType to = pack ? TYPE_B32 : (DataType)form->type;
  int dst_bytes = in->dst_bytes > type_bytes(to) ? in->dst_bytes : type_bytes(to);
  int src_bytes = in->src_bytes ? in->src_bytes : type_bytes((DataType)form->type2);
  void *d = place_at(warp, in->dst[0]);
  for (int lane = 0; lane < WARP_LANES; lane++) {
    if (!(mask >> lane & 1)) continue;
    uint64_t a = read_lane(warp, in->src[0], src_bytes, lane), result;
    uint64_t b = pack || pair ? read_lane(warp, in->src[1], src_bytes, lane) : 0;
    if (pair)
      result = convert_pair(form, a, b);
    else if (pack)
      result = convert_pack(form, a, b, read_lane(warp, in->src[2], 4, lane));
    else
      result = convert(form, a);
    result = extend(result, to, dst_bytes);
    if (dst_bytes == 8)
      ((Lane64 *)d)[lane] = result;
    else
      ((Lane32 *)d)[lane] = (uint32_t)result;
  }
}
