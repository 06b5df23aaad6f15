// SPDX-License-Identifier: MIT
// Complex numbers for C: pairs of floats or doubles and functions on them.
#ifndef HEDDLE_CUCOMPLEX_H
#define HEDDLE_CUCOMPLEX_H
#define CU_COMPLEX_H_ 1  // what programs ask for to know that it was read

#include <math.h>

#include "vector_functions.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define HEDDLE_COMPLEX static __inline__ __host__ __device__ __attribute__((unused))
// Division scales by the larger part of the divisor's sum, to stay in range.
#define HEDDLE_COMPLEXES(Number, real, suffix, Name, hypotenuse, magnitude)                      \
  HEDDLE_COMPLEX real cuCreal##suffix(Number a) {                                                \
    return a.x;                                                                                  \
  }                                                                                              \
  HEDDLE_COMPLEX real cuCimag##suffix(Number a) {                                                \
    return a.y;                                                                                  \
  }                                                                                              \
  HEDDLE_COMPLEX Number make_cu##Name##Complex(real x, real y) {                                 \
    return HEDDLE_MAKE(x, y);                                                                    \
  }                                                                                              \
  HEDDLE_COMPLEX Number cuConj##suffix(Number a) {                                               \
    return make_cu##Name##Complex(a.x, -a.y);                                                    \
  }                                                                                              \
  HEDDLE_COMPLEX Number cuCadd##suffix(Number a, Number b) {                                     \
    return make_cu##Name##Complex(a.x + b.x, a.y + b.y);                                         \
  }                                                                                              \
  HEDDLE_COMPLEX Number cuCsub##suffix(Number a, Number b) {                                     \
    return make_cu##Name##Complex(a.x - b.x, a.y - b.y);                                         \
  }                                                                                              \
  HEDDLE_COMPLEX Number cuCmul##suffix(Number a, Number b) {                                     \
    return make_cu##Name##Complex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                 \
  }                                                                                              \
  HEDDLE_COMPLEX Number cuCdiv##suffix(Number a, Number b) {                                     \
    real scale = 1 / (magnitude(b.x) + magnitude(b.y));                                          \
    real ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;                 \
    real inverse = 1 / (bx * bx + by * by);                                                      \
    return make_cu##Name##Complex((ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse); \
  }                                                                                              \
  HEDDLE_COMPLEX Number cuCfma##suffix(Number a, Number b, Number c) {                           \
    return make_cu##Name##Complex(a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y);     \
  }                                                                                              \
  HEDDLE_COMPLEX real cuCabs##suffix(Number a) {                                                 \
    return hypotenuse(a.x, a.y);                                                                 \
  }

#define HEDDLE_MAKE make_float2
HEDDLE_COMPLEXES(cuFloatComplex, float, f, Float, hypotf, fabsf)
#undef HEDDLE_MAKE
#define HEDDLE_MAKE make_double2
HEDDLE_COMPLEXES(cuDoubleComplex, double, , Double, hypot, fabs)
#undef HEDDLE_MAKE
HEDDLE_COMPLEX cuComplex make_cuComplex(float x, float y) {
  return make_float2(x, y);
}
#undef HEDDLE_COMPLEXES
#undef HEDDLE_COMPLEX

#endif
