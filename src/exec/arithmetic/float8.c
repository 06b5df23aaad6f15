// SPDX-License-Identifier: MIT
// Floats of eight bits: e4m3 (no infinity; 0x7f is its NaN) and e5m2, which is the upper half of
// an f16.
#include "exec/arithmetic/float8.h"

#include <math.h>

typedef struct Shape8 {
  int fraction_bits, bias, largest;  // largest: the bits of the largest finite value
} Shape8;

static Shape8 shape_of(DataType type) {
  return type == TYPE_E4M3 ? (Shape8){3, 7, 0x7e} : (Shape8){2, 15, 0x7b};
}

double float8_value(uint8_t bits, DataType type) {
  Shape8 shape = shape_of(type);
  int magnitude = bits & 0x7f, exponent = magnitude >> shape.fraction_bits;
  int fraction = magnitude & ((1 << shape.fraction_bits) - 1);
  double value;
  if (magnitude > shape.largest)
    value = type == TYPE_E5M2 && fraction == 0 ? INFINITY : NAN;
  else if (exponent == 0)
    value = ldexp(fraction, 1 - shape.bias - shape.fraction_bits);
  else
    value =
        ldexp(fraction + (1 << shape.fraction_bits), exponent - shape.bias - shape.fraction_bits);
  return bits & 0x80 ? -value : value;
}

uint8_t float8_from(double value, DataType type) {
  Shape8 shape = shape_of(type);
  if (value != value) return 0x7f;
  uint8_t sign = signbit(value) ? 0x80 : 0;
  double size = fabs(value), largest = float8_value((uint8_t)shape.largest, type);
  if (size >= largest) return sign | (uint8_t)shape.largest;
  int exponent;
  if (size == 0) return sign;
  frexp(size, &exponent);
  exponent--;  // size is in [1, 2) * 2^exponent
  if (exponent < 1 - shape.bias) exponent = 1 - shape.bias;
  // Counted in units of the last place: carries run into the exponent by themselves.
  int units = (int)nearbyint(ldexp(size, shape.fraction_bits - exponent));
  int bits = units + ((exponent + shape.bias - 1) << shape.fraction_bits);
  return sign | (uint8_t)(bits > shape.largest ? shape.largest : bits);
}
