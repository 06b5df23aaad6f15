// SPDX-License-Identifier: MIT
// Floating-point formats in software: f16 and bf16, and exact conversion between any format and
// integers in any rounding mode.
#include "exec/arithmetic/half.h"

#include <string.h>

const FloatFormat format_f16 = {5, 10}, format_bf16 = {8, 7};
const FloatFormat format_f32 = {8, 23}, format_f64 = {11, 52};

const FloatFormat *format_of(DataType type) {
  switch (type) {
    case TYPE_F16:
    case TYPE_F16X2: return &format_f16;
    case TYPE_BF16:
    case TYPE_BF16X2: return &format_bf16;
    case TYPE_F32: return &format_f32;
    case TYPE_F64: return &format_f64;
    default: return NULL;
  }
}

static int bias_of(const FloatFormat *format) {
  return (1 << (format->exponent_bits - 1)) - 1;
}

// The exponent of a subnormal's last bit: the finest step there is.
static int least_exponent(const FloatFormat *format) {
  return 1 - bias_of(format) - format->fraction_bits;
}

Exact exact_from_float(uint64_t bits, const FloatFormat *format) {
  int fraction_bits = format->fraction_bits, top = (1 << format->exponent_bits) - 1;
  uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
  int biased = (int)(bits >> fraction_bits) & top;
  Exact value = {.negative = bits >> (fraction_bits + format->exponent_bits) & 1};
  if (biased == top) {
    value.kind = fraction ? EXACT_NAN : EXACT_INFINITE;
  } else if (biased == 0) {
    value.significand = fraction;
    value.exponent = least_exponent(format);
  } else {
    value.significand = fraction | UINT64_C(1) << fraction_bits;
    value.exponent = least_exponent(format) + biased - 1;
  }
  return value;
}

Exact exact_from_unsigned(uint64_t value) {
  return (Exact){.significand = value};
}

Exact exact_from_signed(int64_t value) {
  return (Exact){.negative = value < 0,
                 .significand = value < 0 ? 0 - (uint64_t)value : (uint64_t)value};
}

// Whether to step away from zero after dropping bits: `half` is the first bit
// dropped, `rest` whether any other was set, `odd` the last bit kept.
static bool rounds_away(Rounding rounding, bool negative, bool odd, bool half, bool rest) {
  switch (rounding) {
    case ROUND_ZERO: return false;
    case ROUND_DOWN: return negative && (half || rest);
    case ROUND_UP: return !negative && (half || rest);
    case ROUND_AWAY: return half;
    default: return half && (rest || odd);
  }
}

// The significand in units of 2^exponent, which may not be below its own.
static uint64_t scale(Exact value, int exponent, Rounding rounding) {
  int drop = exponent - value.exponent;
  if (drop <= 0) return value.significand << -drop;
  uint64_t kept = drop < 64 ? value.significand >> drop : 0;
  bool half = drop <= 64 && (value.significand >> (drop - 1) & 1);
  uint64_t below = drop <= 64 ? (UINT64_C(1) << (drop - 1)) - 1 : UINT64_MAX;
  bool rest = value.significand & below;
  return kept + rounds_away(rounding, value.negative, kept & 1, half, rest);
}

static int highest_bit(uint64_t value) {
  return 63 - __builtin_clzll(value);
}

static uint64_t overflow(const FloatFormat *format, Rounding rounding, bool negative) {
  uint64_t infinity = ((UINT64_C(1) << format->exponent_bits) - 1) << format->fraction_bits;
  bool finite = rounding == ROUND_ZERO || (rounding == ROUND_DOWN && !negative) ||
                (rounding == ROUND_UP && negative);
  return infinity - finite;
}

// The magnitude's bits. Counting on from one fraction to the next carries into
// the exponent by itself, also when rounding does it.
static uint64_t magnitude_bits(Exact value, const FloatFormat *format, Rounding rounding) {
  if (value.significand == 0) return 0;
  int unit = highest_bit(value.significand) + value.exponent - format->fraction_bits;
  if (unit < least_exponent(format)) unit = least_exponent(format);
  uint64_t infinity = overflow(format, ROUND_NEAREST, false);
  if (unit - least_exponent(format) >= (1 << format->exponent_bits) - 2)
    return overflow(format, rounding, value.negative);
  uint64_t steps = (uint64_t)(unit - least_exponent(format)) << format->fraction_bits;
  uint64_t bits = steps + scale(value, unit, rounding);
  return bits < infinity ? bits : overflow(format, rounding, value.negative);
}

uint64_t exact_to_float(Exact value, const FloatFormat *format, Rounding rounding) {
  int sign_at = format->exponent_bits + format->fraction_bits;
  uint64_t sign = (uint64_t)value.negative << sign_at;
  if (value.kind == EXACT_NAN) return (UINT64_C(1) << sign_at) - 1;
  if (value.kind == EXACT_INFINITE) return sign | overflow(format, ROUND_NEAREST, false);
  return sign | magnitude_bits(value, format, rounding);
}

Exact exact_to_integral(Exact value, Rounding rounding) {
  if (value.kind != EXACT_FINITE || value.exponent >= 0) return value;
  value.significand = scale(value, 0, rounding);
  value.exponent = 0;
  return value;
}

uint64_t exact_to_integer(Exact value, int bits, bool is_signed, Rounding rounding, uint64_t nan) {
  if (value.kind == EXACT_NAN) return nan;
  uint64_t most = is_signed ? (UINT64_C(1) << (bits - 1)) - 1 : UINT64_MAX >> (64 - bits);
  uint64_t limit = !value.negative ? most : is_signed ? most + 1 : 0;
  uint64_t magnitude = UINT64_MAX;
  if (value.kind == EXACT_FINITE && value.significand == 0)
    magnitude = 0;
  else if (value.kind == EXACT_FINITE && highest_bit(value.significand) + value.exponent < 64)
    magnitude = scale(value, 0, rounding);
  if (magnitude > limit) magnitude = limit;
  return value.negative ? 0 - magnitude : magnitude;
}

static uint64_t double_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static double bits_double(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float bits_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static bool is_bf16(const FloatFormat *format) {
  return format->exponent_bits == 8;
}

// A bf16 is the upper half of an f32.
double half_to_double(uint16_t bits, const FloatFormat *format) {
  return bits_float(is_bf16(format) ? (uint32_t)bits << 16 : f32_bits_from_f16(bits));
}

// Rounds to a multiple of 2^exponent: where doubles are that far apart, adding does it.
static double round_to_unit(double value, int exponent) {
  double far = bits_double((uint64_t)(1023 + 52 + exponent) << 52 | UINT64_C(1) << 51);
  return value + far - far;
}

uint16_t half_from_double(double value, const FloatFormat *format) {
  uint64_t bits = double_bits(value);
  uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
  uint32_t infinity = (uint32_t)overflow(format, ROUND_NEAREST, false);
  int bias = bias_of(format), exponent = (int)(bits >> 52 & 0x7ff) - 1023;
  if (value != value) return 0x7fff;
  if (exponent > bias) return sign | (uint16_t)infinity;
  if (exponent < 1 - bias) exponent = 1 - bias;
  float rounded = (float)round_to_unit(value, exponent - format->fraction_bits);
  uint32_t f32 = float_bits(is_bf16(format) ? rounded : rounded * 0x1p-112f) & 0x7fffffff;
  uint32_t magnitude = f32 >> (23 - format->fraction_bits);
  return sign | (uint16_t)(magnitude < infinity ? magnitude : infinity);
}

// The product is exact. The sum's error, exact too, decides whether the sum is
// nudged to the odd neighbour, so that a later rounding sees that it was not exact.
double half_fma(double a, double b, double c) {
  double product = a * b, sum = product + c;
  double c_part = sum - product, error = (product - (sum - c_part)) + (c - c_part);
  uint64_t bits = double_bits(sum);
  if (!(error < 0 || error > 0) || bits & 1) return sum;
  return bits_double((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}
