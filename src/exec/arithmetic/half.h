// SPDX-License-Identifier: MIT
// Floating-point formats in software: f16 and bf16, and exact conversion
// between any format and integers in any rounding mode.
//
// A finite value of any PTX type is an integer of at most 64 bits times a
// power of two. Exact holds it so, without loss; the only rounding happens
// when it is turned into its destination. Slow but free of the host's modes.
#ifndef EXEC_ARITHMETIC_HALF_H
#define EXEC_ARITHMETIC_HALF_H

#include "isa/form.h"

typedef struct FloatFormat {
  int exponent_bits, fraction_bits;
} FloatFormat;

extern const FloatFormat format_f16, format_bf16, format_f32, format_f64;

// The format of a type (for a pair, of its halves); NULL if it is not a float.
const FloatFormat *format_of(DataType type);

typedef enum ExactKind { EXACT_FINITE, EXACT_INFINITE, EXACT_NAN } ExactKind;

// (-1)^negative * significand * 2^exponent
typedef struct Exact {
  ExactKind kind;
  bool negative;
  uint64_t significand;
  int exponent;
} Exact;

Exact exact_from_float(uint64_t bits, const FloatFormat *format);
Exact exact_from_unsigned(uint64_t value);
Exact exact_from_signed(int64_t value);

// Rounds; a rounding of ROUND_NONE is to nearest. NaN becomes all ones but the sign.
uint64_t exact_to_float(Exact value, const FloatFormat *format, Rounding rounding);
// Rounds to an integral value.
Exact exact_to_integral(Exact value, Rounding rounding);
// Rounds and clamps to an integer of so many bits; its upper bits are those of
// a 64-bit integer. A NaN gives `nan`.
uint64_t exact_to_integer(Exact value, int bits, bool is_signed, Rounding rounding, uint64_t nan);

// f16 and bf16 as doubles, which hold them, their products and (rounded to
// odd) their fused sums well enough to be rounded once more without harm.
double half_to_double(uint16_t bits, const FloatFormat *format);
uint16_t half_from_double(double value, const FloatFormat *format);  // to nearest
double half_fma(double a, double b, double c);

// An f32's bits to those of the nearest f16. Below its normal numbers the host's addition rounds
// to f16's finest step, 2^-24.
static inline uint32_t f16_bits_from_f32(uint32_t bits) {
  uint32_t size = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
  union {
    uint32_t bits;
    float value;
  } small = {.bits = size};
  small.value += 0.5f;
  uint32_t normal = (size + 0xfff + (size >> 13 & 1) - 0x38000000) >> 13;
  uint32_t result = size < 0x38800000 ? small.bits - 0x3f000000 : normal;
  if (size >= 0x477ff000) result = 0x7c00;
  return size > 0x7f800000 ? 0x7fff : sign | result;
}

static inline uint32_t bf16_bits_from_f32(uint32_t bits) {
  uint32_t nearest = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : nearest;
}

// The bits of an f32 that equals an f16, NaN becoming 0x7fffffff; simple
// enough for a lane loop.
static inline uint32_t f32_bits_from_f16(uint32_t bits) {
  union {
    uint32_t bits;
    float value;
  } scaled = {.bits = (bits & 0x7fff) << 13};
  uint32_t sign = (bits & 0x8000) << 16;
  scaled.value *= 0x1p112f;  // the difference of the biases
  if ((bits & 0x7fff) > 0x7c00) return 0x7fffffff;
  return (bits & 0x7fff) == 0x7c00 ? sign | 0x7f800000 : sign | scaled.bits;
}

#endif
