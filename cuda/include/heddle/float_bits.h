// SPDX-License-Identifier: MIT
// Floats as bits, and on their way from double to something shorter.
#ifndef HEDDLE_FLOAT_BITS_H
#define HEDDLE_FLOAT_BITS_H

#define HEDDLE_BOTH static __inline__ __host__ __device__ __attribute__((unused))

namespace heddle_float {

HEDDLE_BOTH unsigned int float_bits(float a) {
  unsigned int bits;
  __builtin_memcpy(&bits, &a, sizeof bits);
  return bits;
}
HEDDLE_BOTH float bits_float(unsigned int bits) {
  float a;
  __builtin_memcpy(&a, &bits, sizeof a);
  return a;
}

// Rounded to odd: where bits are lost, towards zero and with the last bit set. A
// further rounding to half the bits or less is then as if from the double.
HEDDLE_BOTH float to_odd(double a) {
  float nearest = (float)a;
  unsigned int bits = float_bits(nearest);
  if ((double)nearest == a || a != a || (bits & 0x7fffffffu) >= 0x7f800000u) return nearest;
  bool is_beyond = (double)nearest > a ? a > 0 : a < 0;
  return bits_float((is_beyond ? bits - 1 : bits) | 1);
}

}  // namespace heddle_float
#undef HEDDLE_BOTH

#endif
