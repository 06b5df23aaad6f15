// SPDX-License-Identifier: MIT
// What a reduction leaves in memory, element by element, for tests that compare the device with it.
#ifndef UNIT_HOST_REDUCTION_H
#define UNIT_HOST_REDUCTION_H

#include <stdlib.h>

#include "unit/exec_support.h"

// As PTX spells them.
typedef struct Reduction {
  const char *operation, *type;
} Reduction;

static inline bool is(const char *a, const char *b) {
  return strcmp(a, b) == 0;
}

static inline uint32_t size_of(const char *type) {
  return (uint32_t)strtoul(type + (is(type, "bf16") ? 2 : 1), NULL, 10) / 8;
}

static inline double real_of(uint64_t bits, const char *type) {
  if (is(type, "f64")) return f64_of(bits);
  if (is(type, "f32")) return (double)f32_of(bits);
  return half_value(bits, is(type, "bf16") ? TYPE_BF16 : TYPE_F16);
}

// Small integers, exact in every type, and so are their sums.
static inline uint64_t real_bits(double value, const char *type) {
  if (is(type, "f64")) return bits_of_f64(value);
  uint64_t single = bits_of_f32((float)value);
  if (is(type, "f32")) return single;
  if (is(type, "bf16")) return single >> 16;
  uint64_t exponent = single >> 23 & 255;
  return exponent ? (single >> 16 & 0x8000) | (exponent - 112) << 10 | (single >> 13 & 0x3ff) : 0;
}

static inline bool is_real(const char *type) {
  return type[0] == 'f' || type[0] == 'b' ? !is(type, "b32") && !is(type, "b64") : false;
}

static inline uint64_t reduce_integers(const Reduction *x, uint64_t old, uint64_t given) {
  int bits = 8 * (int)size_of(x->type);
  uint64_t mask = bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
  bool less = x->type[0] == 's' ? signed_of(given, bits) < signed_of(old, bits) : given < old;
  if (is(x->operation, "and")) return old & given;
  if (is(x->operation, "or")) return old | given;
  if (is(x->operation, "xor")) return old ^ given;
  if (is(x->operation, "inc")) return old >= given ? 0 : old + 1;
  if (is(x->operation, "dec")) return old == 0 || old > given ? given : old - 1;
  if (is(x->operation, "min")) return less ? given : old;
  if (is(x->operation, "max")) return less ? old : given;
  return (old + given) & mask;
}

static inline uint64_t reduce(const Reduction *x, uint64_t old, uint64_t given) {
  if (!is_real(x->type)) return reduce_integers(x, old, given);
  double a = real_of(old, x->type), b = real_of(given, x->type);
  double result = is(x->operation, "add") ? a + b : (b < a) == is(x->operation, "min") ? b : a;
  return real_bits(result, x->type);
}

#endif
