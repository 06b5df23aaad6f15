// SPDX-License-Identifier: MIT
// C++ overloads for float that clang's headers declare for device code and leave to CUDA's
// headers to define: fmax(float, float) and the like.
#ifndef HEDDLE_FLOAT_MATH_H
#define HEDDLE_FLOAT_MATH_H

#define HEDDLE_FLOAT_1(result, name)                  \
  static __inline__ __device__ result name(float a) { \
    return name##f(a);                                \
  }
#define HEDDLE_FLOAT_2(name, second)                           \
  static __inline__ __device__ float name(float a, second b) { \
    return name##f(a, b);                                      \
  }

HEDDLE_FLOAT_1(float, acosh)
HEDDLE_FLOAT_1(float, asinh)
HEDDLE_FLOAT_1(float, atanh)
HEDDLE_FLOAT_1(float, cbrt)
HEDDLE_FLOAT_1(float, erf)
HEDDLE_FLOAT_1(float, erfc)
HEDDLE_FLOAT_1(float, exp2)
HEDDLE_FLOAT_1(float, expm1)
HEDDLE_FLOAT_1(float, lgamma)
HEDDLE_FLOAT_1(float, log1p)
HEDDLE_FLOAT_1(float, log2)
HEDDLE_FLOAT_1(float, logb)
HEDDLE_FLOAT_1(float, nearbyint)
HEDDLE_FLOAT_1(float, rint)
HEDDLE_FLOAT_1(float, round)
HEDDLE_FLOAT_1(float, tgamma)
HEDDLE_FLOAT_1(float, trunc)
HEDDLE_FLOAT_1(int, ilogb)
HEDDLE_FLOAT_1(long, lrint)
HEDDLE_FLOAT_1(long, lround)
HEDDLE_FLOAT_1(long long, llrint)
HEDDLE_FLOAT_1(long long, llround)
HEDDLE_FLOAT_2(copysign, float)
HEDDLE_FLOAT_2(fdim, float)
HEDDLE_FLOAT_2(fmax, float)
HEDDLE_FLOAT_2(fmin, float)
HEDDLE_FLOAT_2(hypot, float)
HEDDLE_FLOAT_2(nextafter, float)
HEDDLE_FLOAT_2(remainder, float)
HEDDLE_FLOAT_2(scalbln, long)
HEDDLE_FLOAT_2(scalbn, int)
#undef HEDDLE_FLOAT_1
#undef HEDDLE_FLOAT_2

static __inline__ __device__ float fma(float a, float b, float c) {
  return fmaf(a, b, c);
}
static __inline__ __device__ float remquo(float a, float b, int *quotient) {
  return remquof(a, b, quotient);
}

#endif
